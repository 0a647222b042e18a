// A chat over the browser's database whose tools show widgets and files, and ask.
import {
  defineAgent,
  definePlugin,
  GloveClient,
  GloveProvider,
  Render,
  type SlotProps,
  type ToolConfig,
  useGlove,
} from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";

const schema = { type: "object" } as const;

/** The tools and the text of a skill are there from the round on in which the model takes it up. */
const mail: ToolConfig = { name: "send_mail", description: "", jsonSchema: schema, requireApproval: true, do: () => "sent" };
const skills = definePlugin({
  id: "skills",
  initialState: [] as string[],
  async prepare({ state, context, tools }) {
    if (!(await state.get()).includes("mail")) return;
    context.add("The skill mail is active.");
    tools.add(mail);
  },
});

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
  {
    name: "take_up",
    description: "",
    jsonSchema: schema,
    idempotent: true,
    do: async (_, display) => {
      await display.state(skills).set(["mail"]);
      return "mail is active";
    },
  },
  {
    name: "pay",
    description: "",
    jsonSchema: schema,
    requireApproval: ({ euros }: { euros: number }) => ({ required: euros > 100, reason: `Paying ${euros} needs approval.` }),
    do: ({ euros }: { euros: number }) => `paid ${euros}`,
  },
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
  plugins: [skills],
  createModel: () =>
    createScriptedModel(({ messages, systemPrompt, tools }) => {
      const last = messages.at(-1);
      const [result] = last?.tool_results ?? [];
      const began = messages.findLast(({ sender, tool_results }) => sender === "user" && !tool_results)?.text ?? "";
      if (began.startsWith("Pay "))
        return result
          ? `Done: ${result.result.data}.`
          : { toolCalls: [{ name: "pay", input: { euros: Number(began.slice(4)) } }] };
      if (began === "Mail Ann") {
        if (result?.tool_name === "send_mail") return "The mail is sent.";
        const known = tools.includes("send_mail") && systemPrompt.includes("The skill mail is active.");
        return { toolCalls: [{ name: known ? "send_mail" : "take_up" }] };
      }
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
