// What the plain assistant can do: look something up, draw it, act after it was allowed, and ask.
import { defineTool, type ToolConfig } from "glove-wasm/react";
import { pause } from "../network/script.js";
import { z } from "../schema.js";
import { Steps, Weather } from "./cards.js";
import { cities, forecastOf } from "./weather.js";

const getWeather = defineTool({
  name: "get_weather",
  description: "Looks up the weather of a city, now and for three days.",
  title: ({ city }) => `Weather in ${city}`,
  inputSchema: z.object({ city: z.enum(cities) }),
  parallel: true,
  idempotent: true,
  async do({ city }) {
    await pause(700 + 100 * city.length);
    const forecast = forecastOf(city);
    // The model reads the city and today; the days are for the card alone.
    return { status: "success", data: { city, now: forecast.now, sky: forecast.sky }, renderData: { city, ...forecast } };
  },
  renderResult: ({ data }) => <Weather {...data} />,
});

const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].map((name, at) => ({
  name,
  steps: [7_200, 9_850, 4_100, 11_300, 8_050, 12_900, 6_400][at] ?? 0,
}));

const chartSteps = defineTool({
  name: "chart_steps",
  description: "Draws the steps of the last days.",
  title: "Chart your steps",
  inputSchema: z.object({ days: z.number().int().min(1).max(7) }),
  idempotent: true,
  async do({ days: count }) {
    await pause(400);
    const shown = days.slice(-count);
    return { status: "success", data: { days: shown }, renderData: shown };
  },
  renderResult: ({ data }) => <Steps days={data} />,
});

const sendEmail = defineTool({
  name: "send_email",
  description: "Sends an email from your address.",
  title: ({ to }) => `Send an email to ${to}`,
  inputSchema: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
  requiresPermission: true,
  async do({ to, subject }) {
    await pause(900);
    return { to, subject };
  },
});

/** `select` and `input` are renderers that come with the package. */
const bookTable = defineTool({
  name: "book_table",
  description: "Asks for the time and books a table.",
  title: ({ guests }) => `Book a table for ${guests === 2 ? "two" : guests}`,
  inputSchema: z.object({ guests: z.number().int().min(1).max(12) }),
  displayStrategy: "hide-on-complete",
  // Nothing is booked before both are answered, so after a reload it may simply ask again.
  onInterrupted: "rerun",
  async do(_, display) {
    const options = ["18:30", "19:15", "20:00", "21:00"];
    const time = await display.pushAndWait({ message: "When would you like to come?", options }, "select");
    const note = await display.pushAndWait(
      { message: "Anything the restaurant should know?", default: "A quiet corner" },
      "input",
    );
    return { time, note };
  },
});

export const tools: readonly ToolConfig[] = [getWeather, chartSteps, sendEmail, bookTable];
