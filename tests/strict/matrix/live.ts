// Conversations that are lived through: a session asks, the provider answers in its own words, and what is sent next is judged too.
import {
  createAdapter,
  defineTool,
  GloveClient,
  type GloveSession,
  jsonSchema,
  MemoryStore,
  type ModelAdapter,
} from "glove-wasm";
import { hosts } from "../hosts.js";
import { sentBy } from "../stand-in.js";
import type { Sent } from "../types.js";
import { answer, type Said } from "./answers.js";
import type { Situation } from "./situations.js";
import type { Target } from "./targets.js";

interface Scene {
  readonly session: GloveSession;
  /** Another session over the same record, with other options. */
  again(options: Situation["options"]): GloveSession;
  /** Until the provider was asked so often. */
  asked(times: number): Promise<void>;
  /** Lets the slow tool end. */
  finish(): void;
}

export interface Live {
  readonly name: string;
  readonly options?: Situation["options"];
  readonly says: readonly Said[];
  readonly compaction?: { readonly compaction_context_limit: number };
  act(scene: Scene): Promise<unknown>;
}

let made = 0;
const call = (name: string, args: object | string = {}) => ({
  id: `call_${(made++).toString(36).padStart(20, "0")}`,
  name,
  args: typeof args === "string" ? args : JSON.stringify(args),
});
const ask =
  (...texts: string[]) =>
  async ({ session }: Scene) => {
    for (const text of texts) await session.sendMessage(text).catch(() => {});
  };
const thinks = { thought: "I look." };

export const lives: readonly Live[] = [
  {
    name: "a call and its answer",
    says: [{ calls: [call("look", { city: "Rome" })] }, { text: "Sunny." }],
    act: ask("Hi", "Thanks"),
  },
  {
    name: "text before a call",
    says: [{ text: "Looking.", calls: [call("look", { city: "Rome" })] }, { text: "Sunny." }],
    act: ask("Hi", "Thanks"),
  },
  {
    name: "two calls at once",
    says: [{ calls: [call("look", { city: "Rome" }), call("look", { city: "Oslo" })] }, { text: "Sunny." }],
    act: ask("Hi", "Thanks"),
  },
  {
    name: "three rounds",
    says: [
      { calls: [call("look", { city: "a" })] },
      { calls: [call("none")] },
      { calls: [call("look", { city: "b" })] },
      { text: "Sunny." },
    ],
    act: ask("Hi", "Thanks"),
  },
  { name: "a tool that fails", says: [{ calls: [call("fail")] }, { text: "It failed." }], act: ask("Hi", "Thanks") },
  { name: "a tool that gives nothing", says: [{ calls: [call("none")] }, { text: "Done." }], act: ask("Hi", "Thanks") },
  { name: "a tool that is not there", says: [{ calls: [call("missing")] }, { text: "Sorry." }], act: ask("Hi", "Thanks") },
  {
    name: "arguments that do not fit",
    says: [{ calls: [call("look", { city: 1 })] }, { text: "Sorry." }],
    act: ask("Hi", "Thanks"),
  },
  {
    name: "thoughts, then a call",
    options: { reasoningEffort: "medium" },
    says: [
      { ...thinks, calls: [call("look", { city: "Rome" })] },
      { ...thinks, text: "Sunny." },
    ],
    act: ask("Hi", "Thanks"),
  },
  {
    name: "thoughts in three rounds",
    options: { reasoningEffort: "high", reasoning: true },
    says: [
      { ...thinks, text: "So.", calls: [call("look", { city: "a" })] },
      { ...thinks, calls: [call("none")] },
      { ...thinks, calls: [call("look", { city: "b" })] },
      { text: "Sunny." },
    ],
    act: ask("Hi", "Thanks"),
  },
  {
    name: "thoughts come back later",
    options: { reasoningEffort: "low" },
    says: [
      { calls: [call("look", { city: "a" })] },
      { ...thinks, text: "Yes." },
      { ...thinks, calls: [call("none")] },
      { text: "Done." },
    ],
    act: ask("Hi", "And?", "Thanks"),
  },
  {
    name: "thinking is switched on in another session",
    says: [{ calls: [call("look", { city: "a" })] }, { text: "Yes." }, { ...thinks, calls: [call("none")] }, { text: "Done." }],
    act: async (scene) => {
      await ask("Hi")(scene);
      await ask("And?")({ ...scene, session: scene.again({ reasoningEffort: "medium" }) });
    },
  },
  {
    name: "thinking is switched off in another session",
    options: { reasoningEffort: "medium" },
    says: [
      { ...thinks, calls: [call("look", { city: "a" })] },
      { ...thinks, text: "Yes." },
      { calls: [call("none")] },
      { text: "Done." },
    ],
    act: async (scene) => {
      await ask("Hi")(scene);
      await ask("And?")({ ...scene, session: scene.again({ reasoningEffort: "none" }) });
    },
  },
  ...(["steer", "interrupt", "queue"] as const).map(
    (whenBusy): Live => ({
      name: `${whenBusy} while a tool runs`,
      says: [{ calls: [call("slow"), call("none")] }, { text: "Yes." }, { text: "And yes." }],
      async act({ session, asked, finish }) {
        const first = session.sendMessage("Hi").catch(() => {});
        await asked(1);
        const second = session.sendMessage({ text: "Rather this", whenBusy }).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 5));
        finish();
        await Promise.all([first, second]);
        await session.sendMessage("Thanks").catch(() => {});
      },
    }),
  ),
  {
    name: "a stop while a tool runs",
    says: [{ calls: [call("slow"), call("none")] }, { text: "Yes." }],
    async act({ session, asked, finish }) {
      const first = session.sendMessage("Hi").catch(() => {});
      await asked(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      session.abort();
      finish();
      await first;
      await session.sendMessage("Go on").catch(() => {});
    },
  },
  { name: "an answer that breaks off", says: [{ text: "The answ", cut: true }, { text: "Yes." }], act: ask("Hi", "Go on") },
  { name: "an empty answer", says: [{}, { text: "Yes." }], act: ask("Hi", "Hello?") },
  { name: "an answer of blanks", says: [{ text: "\n\n" }, { text: "Yes." }], act: ask("Hi", "Hello?") },
  {
    name: "thoughts without an answer",
    options: { reasoningEffort: "low" },
    says: [thinks, { text: "Yes." }],
    act: ask("Hi", "Hello?"),
  },
  {
    name: "another answer",
    says: [{ text: "one" }, { text: "two" }, { text: "three" }],
    async act({ session }) {
      await session.sendMessage("Hi").catch(() => {});
      await session.regenerate().catch(() => {});
      await session.sendMessage("Thanks").catch(() => {});
    },
  },
  {
    name: "a summary",
    compaction: { compaction_context_limit: 5 },
    says: [
      { calls: [call("look", { city: "a" })] },
      { text: "They spoke." },
      { text: "Yes." },
      { text: "They spoke on." },
      { text: "Yes." },
    ],
    act: ask("Hi", "And?", "Thanks"),
  },
  {
    name: "tools as text",
    options: { toolUse: "text" },
    says: [{ text: 'Action: look\nAction Input: {"city":"Rome"}' }, { text: "Final Answer: Sunny." }],
    act: ask("Hi", "Thanks"),
  },
];

const look = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;

export async function lived({ options, host }: Target, { says, act, compaction, ...live }: Live): Promise<Sent[]> {
  const sent: Sent[] = [];
  const script = [...says];
  const api = hosts.get(host)?.api ?? "chat";
  const fetch = async (url: string, init: RequestInit) => {
    sent.push(sentBy(url, init));
    return answer(api, script.shift() ?? { text: "Yes." }, options.model ?? "");
  };
  let finish = () => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const tool = (name: string, work: () => unknown) =>
    defineTool({ name, description: "Does it.", inputSchema: jsonSchema({ type: "object" }), do: work });
  const tools = [
    defineTool({ name: "look", description: "Looks.", inputSchema: jsonSchema(look), do: () => "sunny" }),
    tool("none", () => null),
    tool("fail", () => Promise.reject(new Error("no network"))),
    tool("slow", () => slow),
  ];
  const policy = { maxRetries: 0 };
  const store = new MemoryStore("s1");
  const open = (more: Situation["options"]) => {
    const model: ModelAdapter = createAdapter({ ...options, ...more, fetch, policy });
    return new GloveClient({
      createModel: () => model,
      createStore: () => store,
      systemPrompt: "You help.",
      tools,
      ...(compaction && { compaction }),
    }).session("s1");
  };
  const asked = async (times: number) => {
    for (let waited = 0; sent.length < times && waited < 500; waited++) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  await act({ session: open(live.options), again: open, asked, finish });
  return sent;
}
