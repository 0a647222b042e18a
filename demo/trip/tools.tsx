// What the trip planner's assistant can do.
import { defineTool, type ToolConfig } from "glove-wasm/react";
import { pause } from "../network/script.js";
import { z } from "../schema.js";
import { Asked, Itinerary, PreferencesForm } from "./cards.js";
import { cities, cityNames, kinds, placeOf, weather } from "./places.js";
import { alternative, getPlan, replace, setPlan, stopsOf, takeBack } from "./plan.js";

const city = z.enum(cityNames);
const days = z.number().int().min(1).max(3);

export const preferences = z.object({ city, days, likes: z.array(z.enum(kinds)).min(1), pace: z.enum(["relaxed", "packed"]) });

const askPreferences = defineTool({
  name: "ask_preferences",
  description: "Asks where to go, for how long, and what for. Give what is known already.",
  title: "Ask about your trip",
  inputSchema: z.object({ city: city.optional(), days: days.optional() }),
  displayPropsSchema: z.object({ city: city.optional(), days: days.optional() }),
  resolveSchema: preferences,
  displayStrategy: "hide-on-complete",
  // Nothing has happened before the form is answered, so after a reload it may simply be shown again.
  onInterrupted: "rerun",
  async do(known, display) {
    const chosen = await display.pushAndWait(known);
    return { status: "success", data: chosen, renderData: chosen };
  },
  render: ({ props, resolve, reject }) => <PreferencesForm {...props} onChoose={resolve} onCancel={reject} />,
  renderResult: ({ data }) => <Asked {...data} />,
});

const searchPlaces = defineTool({
  name: "search_places",
  description: "Finds places of one kind in a city.",
  title: ({ city, kind }) => `Search ${city} for ${kind}`,
  inputSchema: z.object({ city, kind: z.enum(kinds) }),
  // Searches run at the same time, and may be repeated without harm.
  parallel: true,
  idempotent: true,
  async do({ city, kind }) {
    await pause(500 + 250 * kinds.indexOf(kind));
    return cities[city].filter((place) => place.kind === kind).map(({ id, name, euros }) => ({ id, name, euros }));
  },
});

const checkWeather = defineTool({
  name: "check_weather",
  description: "Tells the weather of the next three days.",
  title: ({ city }) => `Check the weather in ${city}`,
  inputSchema: z.object({ city }),
  parallel: true,
  idempotent: true,
  async do({ city }) {
    await pause(900);
    return { city, days: weather[city] };
  },
});

const makeItinerary = defineTool({
  name: "make_itinerary",
  description: "Puts a trip together: for each day the ids of its places, in order.",
  title: ({ city }) => `Build the ${city} itinerary`,
  inputSchema: z.object({ city, days: z.array(z.array(z.string())).min(1).max(3) }),
  do({ city, days }) {
    const unknown = days.flat().filter((id) => !placeOf(id));
    if (unknown.length > 0) return { status: "error", data: null, message: `There is no place ${unknown.join(", ")}.` };
    setPlan({ city, days });
    const drawn = days.map((ids) => stopsOf(ids).map(({ place, from }) => ({ from, name: place.name, kind: place.kind })));
    // The model learns that it is done; the card is drawn from what only the screen gets, and drawn again after a reload.
    return {
      status: "success",
      data: { city, stops: days.flat().length, euros: days.flat().reduce((sum, id) => sum + (placeOf(id)?.euros ?? 0), 0) },
      renderData: { city, days: drawn },
    };
  },
  undo: takeBack,
  renderResult: ({ data }) => <Itinerary {...data} />,
});

const changeStop = defineTool({
  name: "change_stop",
  description: "Replaces a stop of the plan by another place, or takes it out.",
  title: ({ stop, take_out }) => `${take_out ? "Remove" : "Replace"} ${placeOf(stop)?.name ?? stop}`,
  inputSchema: z.object({ stop: z.string(), take_out: z.boolean().optional() }),
  do({ stop, take_out }) {
    const place = placeOf(stop);
    if (!place || !getPlan()?.days.flat().includes(stop)) {
      return { status: "error", data: null, message: `“${place?.name ?? stop}” is not in the plan.` };
    }
    const other = take_out ? undefined : alternative(place);
    if (!take_out && !other) return { status: "error", data: null, message: "There is nothing left to replace it with." };
    replace(stop, other);
    return { gone: place.name, instead: other?.name };
  },
  undo: takeBack,
});

const readPlan = defineTool({
  name: "read_plan",
  description: "Reads the plan as it is now.",
  title: "Read the plan",
  inputSchema: z.object({}),
  idempotent: true,
  do() {
    const plan = getPlan();
    return plan ? { city: plan.city, days: plan.days.map((ids) => ids.map((id) => placeOf(id)?.name)) } : null;
  },
});

export const tools: readonly ToolConfig[] = [askPreferences, searchPlaces, checkWeather, makeItinerary, changeStop, readPlan];
