// Tools as applications of glove-react have them: one for each way to show something, and one written without `defineTool`.
import { defineTool, type SlotRenderProps, type ToolConfig, type ToolResultRenderProps } from "glove-wasm/react";
import { z } from "zod";

const pickColor = defineTool({
  name: "pick_color",
  description: "Lets the person pick one of some colors.",
  inputSchema: z.object({ colors: z.array(z.string()) }),
  displayPropsSchema: z.object({ colors: z.array(z.string()) }),
  resolveSchema: z.string(),
  displayStrategy: "hide-on-complete",
  async do(input, display) {
    const color = await display.pushAndWait({ colors: input.colors });
    return { status: "success" as const, data: `The person picked ${color}.`, renderData: { color } };
  },
  render({ props, resolve, reject }) {
    return (
      <div>
        {props.colors.map((color) => (
          <button key={color} type="button" onClick={() => resolve(color)}>
            {color}
          </button>
        ))}
        <button type="button" onClick={() => reject("No color")}>
          None
        </button>
      </div>
    );
  },
  renderResult({ data, status }) {
    const { color } = data as { color: string };
    return (
      <p>
        Picked: {color} ({status})
      </p>
    );
  },
});

const showWeather = defineTool({
  name: "show_weather",
  description: "Shows the weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  displayPropsSchema: z.object({ city: z.string(), degrees: z.number() }),
  displayStrategy: "hide-on-new",
  async do({ city }, display) {
    const degrees = city.length;
    await display.pushAndForget({ city, degrees });
    return `${degrees} degrees in ${city}`;
  },
  render: ({ props }) => (
    <p>
      Weather: {props.city}, {props.degrees}°
    </p>
  ),
});

const pinNote = defineTool({
  name: "pin_note",
  description: "Pins a note to the conversation.",
  inputSchema: z.object({ text: z.string() }),
  displayPropsSchema: z.object({ text: z.string() }),
  displayStrategy: "stay",
  async do({ text }, display) {
    await display.pushAndForget({ text });
    return "pinned";
  },
  render: ({ props }) => <p>Pinned: {props.text}</p>,
});

const wipe = defineTool({
  name: "wipe",
  description: "Deletes everything, when the person confirms.",
  inputSchema: z.object({}),
  displayPropsSchema: z.object({ question: z.string() }),
  requiresPermission: true,
  displayStrategy: "hide-on-complete",
  async do(_, display) {
    await display.pushAndWait({ question: "Really everything?" });
    return { status: "success" as const, data: { deleted: 3 } };
  },
  render: ({ props, resolve }) => (
    <button type="button" onClick={() => resolve()}>
      {props.question}
    </button>
  ),
});

interface Rating {
  topic: string;
}

const rate: ToolConfig<Rating> = {
  name: "rate",
  description: "Asks for one to three stars.",
  inputSchema: z.object({ topic: z.string() }),
  displayStrategy: "hide-on-complete",
  async do(input, display) {
    const stars = await display.pushAndWait<Rating, number>({ input });
    return { status: "success", data: stars, renderData: { ...input, stars } };
  },
  render({ data, resolve }: SlotRenderProps<Rating>) {
    return (
      <div>
        <span>How was {data.topic}?</span>
        {[1, 2, 3].map((stars) => (
          <button key={stars} type="button" onClick={() => resolve(stars)}>
            {"★".repeat(stars)}
          </button>
        ))}
      </div>
    );
  },
  renderResult: ({ data, output }: ToolResultRenderProps<Rating & { stars: number }>) => (
    <p>
      {data.topic}: {data.stars} stars, told as {output}
    </p>
  ),
};

export const tools: ToolConfig[] = [pickColor, showWeather, pinNote, wipe, rate];
