// A chat over the browser's database whose tools show widgets and files, and ask.
import { defineAgent, GloveClient, GloveProvider, Render, type SlotProps, type ToolConfig, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";

const schema = { type: "object" } as const;
const tools: readonly ToolConfig[] = [
  {
    name: "weather",
    description: "",
    jsonSchema: schema,
    do(_, display) {
      display.displayWidget("forecast", { city: "Oslo", mm: [3, 0, 12] }, "Rain, then sun");
      display.displayWidget("wind", { knots: 12, from: "west" });
      display.addFileOutput({ name: "week.csv", type: "text/csv", content: "mon;3\ntue;0\n", summary: "week.csv, two days" });
      return "Rain in Oslo";
    },
  },
  {
    name: "make",
    description: "",
    jsonSchema: schema,
    do(input: { megabytes: number }, display) {
      const content = new Uint8Array(input.megabytes * 1_000_000).fill(7);
      display.addFileOutput({ name: "large.bin", content, summary: "a large file" });
      return "made";
    },
  },
  { name: "remind", description: "", jsonSchema: schema, requireApproval: true, do: () => "planned" },
  defineAgent({ name: "scout", description: "Looks it up.", systemPrompt: "scout" }),
  defineAgent({
    name: "clerk",
    description: "Signs it.",
    systemPrompt: "clerk",
    tools: [{ name: "sign", description: "", jsonSchema: schema, requireApproval: true, do: () => "signed" }],
  }),
];

/** The seed's walk: the weather, a reminder that needs approval, and the prompt that a timer begins. */
const client = new GloveClient({
  systemPrompt: "",
  userId: "ann",
  tools,
  createModel: () =>
    createScriptedModel(({ messages, systemPrompt }) => {
      const last = messages.at(-1);
      if (systemPrompt === "scout") return "It is all there.";
      if (systemPrompt === "clerk") return last?.tool_results ? "It is signed." : { toolCalls: [{ name: "sign" }] };
      if (last?.tool_results?.[1]) return `Report: ${last.tool_results.map(({ result }) => result.data).join(" ")}`;
      if (last?.text === "Research")
        return { toolCalls: ["scout", "clerk"].map((name) => ({ name, input: { task: `Help, ${name}` } })) };
      if (last?.tool_results?.[0]?.tool_name === "make") return "Made.";
      if (last?.tool_results) return last.tool_results[0]?.tool_name === "weather" ? "It rains in Oslo." : "I will remind you.";
      if (last?.text.includes("began by itself")) return "Your reminder: take an umbrella.";
      if (last?.text.includes("large"))
        return { toolCalls: [{ name: "make", input: { megabytes: last.text === "large" ? 10 : 13 } }] };
      return { toolCalls: [{ name: last?.text.includes("Remind") ? "remind" : "weather" }] };
    }),
});

function Forecast({ data }: SlotProps) {
  const { city, mm } = data as { city: string; mm: readonly number[] };
  return (
    <section aria-label={`Forecast for ${city}`}>
      {mm.map((rain) => (
        <meter key={rain} aria-label={`${rain} mm`} value={rain} max={20} />
      ))}
    </section>
  );
}

const renderers = { forecast: Forecast };
const Chat = () => <Render glove={useGlove({ sessionId: "s", renderers })} />;
createRoot(document.body.appendChild(document.createElement("main"))).render(
  <GloveProvider client={client}>
    <Chat />
  </GloveProvider>,
);
Object.assign(globalThis, { client, look: true });
