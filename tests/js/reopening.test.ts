// Sessions whose page went away and that are opened again: what begins by itself, what waits, and what is said when it fails.
import { GloveClient, type GloveClientConfig, type GloveSession, MemoryStore, type ToolConfig } from "glove-wasm";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { texts, until } from "../support/session.js";

const soon = (ms = 30) => new Promise((later) => setTimeout(later, ms));

/** Pages over one store, one after the other. What its tools did is noted. */
function pages(tool: Partial<ToolConfig> = {}) {
  const [store, did]: [MemoryStore, string[]] = [new MemoryStore("s"), []];
  const form: ToolConfig = {
    name: "form",
    description: "",
    jsonSchema: { type: "object" },
    do: (_, display) => {
      did.push("form");
      return display.pushAndWait({ input: "Name?" });
    },
    ...tool,
  };
  const open = (script: readonly ScriptedAnswer[], config: Partial<GloveClientConfig> = {}): GloveSession =>
    new GloveClient({
      createModel: () => createScriptedModel(script),
      createStore: () => store,
      systemPrompt: "",
      tools: [form],
      ...config,
    }).session("s");
  return { open, did, form };
}

const asksForm: readonly ScriptedAnswer[] = [{ toolCalls: [{ name: "form", id: "c1" }] }];

/** A page that went away while its form was open. */
async function left(tool: Partial<ToolConfig> = {}) {
  const all = pages(tool);
  const first = all.open(asksForm);
  void first.sendMessage("Hi");
  await until(first, ({ run }) => run.phase === "waiting");
  await soon();
  first.dispose();
  return all;
}

const harmless: [string, (session: GloveSession) => unknown, unknown][] = [
  ["undo", (session) => session.undo().catch(({ code }: { code: string }) => code), "OUT_OF_PROTOCOL"],
  ["a message to be dropped", async (session) => (await session.sendMessage({ text: "x", whenBusy: "drop" })).type, "dropped"],
  ["an answer to nothing", (session) => session.approve("none"), false],
  ["a slot that is not there", (session) => session.resolveSlot("none", 1), false],
];

test.each(harmless)("with `resume: manual`, %s begins nothing", async (_, act, answer) => {
  const { open, did } = await left({ onInterrupted: "rerun" });
  const second = open(["done"], { resume: "manual" });
  await second.start();
  await until(second, ({ run }) => run.phase === "interrupted");
  expect(await act(second)).toBe(answer);
  await soon();
  expect(second.getSnapshot().run.phase).toBe("interrupted");
  expect(did).toEqual(["form"]);
});

test("with `resume: manual`, answering again goes on with what was interrupted, and makes nothing twice", async () => {
  const { open, did } = await left();
  const second = open(["done"], { resume: "manual" });
  await second.start();
  const again = second.regenerate();
  const { slots } = await until(second, ({ run, slots }) => run.phase === "waiting" && slots.length === 1);
  expect(second.resolveSlot(slots[0]?.id ?? "", "Ada")).toBe(true);
  await again;
  await until(second, ({ busy }) => !busy);
  expect(texts(second.getSnapshot())).toEqual(["user: Hi", "form: success Ada", "agent: done"]);
  expect(did).toEqual(["form", "form"]);
});

test("with `resume: manual`, a message that interrupts ends what was interrupted, and nothing of that begins first", async () => {
  const { open, did } = await left({ onInterrupted: "rerun" });
  const second = open(["new"], { resume: "manual" });
  await second.start();
  expect(await second.sendMessage({ text: "Instead", whenBusy: "interrupt" })).toMatchObject({ text: "new" });
  expect(second.getSnapshot()).toMatchObject({ slots: [], run: { phase: "idle" } });
  expect(did).toEqual(["form"]);
});

test("a form whose tool comes later than its session waits for a person, and goes on with the tool", async () => {
  const { open, form } = await left();
  const second = open(["done"], { tools: [] });
  await second.start();
  const { approvals } = await until(second, ({ approvals }) => approvals.length === 1);
  expect(approvals[0]).toMatchObject({ kind: "interrupted", toolName: "form" });
  second.configure({ tools: [form] });
  await soon();
  second.approve(approvals[0]?.id ?? "");
  const { slots } = await until(second, ({ slots }) => slots.some(({ renderer }) => renderer === "form"));
  second.resolveSlot(slots.at(-1)?.id ?? "", "Ada");
  await until(second, ({ busy }) => !busy);
  expect(texts(second.getSnapshot())).toEqual(["user: Hi", "form: success Ada", "agent: done"]);
});

test.each<[string, Partial<ToolConfig>]>([
  ["returns without asking", { do: () => "not asked" }],
  ["throws", { do: () => Promise.reject(new Error("not loaded yet")) }],
])("a tool that is entered again and %s is asked about", async (_, changed) => {
  const { open, form } = await left();
  const second = open(["done"], { tools: [{ ...form, ...changed }] });
  await second.start();
  const { approvals } = await until(second, ({ approvals }) => approvals.length === 1);
  expect(approvals[0]).toMatchObject({ kind: "interrupted", toolName: "form" });
});

test("a run that goes on by itself and fails says why", async () => {
  const { open } = pages();
  const first = open([{ text: "Never", after: 10_000 }]);
  first.sendMessage("Hi").catch(() => {});
  await until(first, ({ run }) => run.phase === "model");
  await soon();
  first.dispose();
  const told: unknown[] = [];
  const failing = createScriptedModel(() => {
    throw new Error("no network here");
  });
  const subscribers = [{ record: (type: string, data: unknown) => void (type === "error" && told.push(data)) }];
  const second = open([], { createModel: () => failing, subscribers });
  await second.start();
  const { error, status, run } = await until(second, ({ error }) => error !== undefined);
  expect([error?.message, status, run.phase]).toEqual([expect.stringContaining("no network here"), "error", "paused"]);
  expect(told).toMatchObject([{ code: "MODEL_ADAPTER", message: expect.stringContaining("no network here") }]);
});

test("text that was shown stays as a partial entry until the new answer takes its place", async () => {
  const { open } = pages();
  const deltas = Array.from({ length: 200 }, (_, at) => `word${at} `);
  const first = open([{ deltas, every: 20 }]);
  first.sendMessage("Hi").catch(() => {});
  // Without a word to the page that it will be gone.
  await soon(1_500);
  first.dispose();
  const second = open([{ deltas: ["A ", "new ", "one."], every: 20, after: 300 }]);
  await second.start();
  const { timeline } = await until(second, ({ timeline, run }) => timeline.length === 2 && run.phase === "model");
  expect(timeline[1]).toMatchObject({ kind: "agent_text", partial: true, text: expect.stringMatching(/^word0 word1 word2 /) });
  const writing = await until(second, ({ streamingText }) => streamingText !== "");
  expect(texts(writing)).toEqual(["user: Hi"]);
  await until(second, ({ busy }) => !busy);
  expect(texts(second.getSnapshot())).toEqual(["user: Hi", "agent: A new one."]);
  expect(await second.messages()).toHaveLength(2);
});

test("a page that goes away while a tool's summary is made leaves the tool's result, and nothing runs again", async () => {
  let runs = 0;
  const { open } = pages({
    onInterrupted: "rerun",
    do: () => `saved ${++runs}`,
    generateToolSummary: () => new Promise<string>(() => {}),
  });
  const first = open(asksForm);
  void first.sendMessage("Hi");
  await vi.waitFor(() => expect(runs).toBe(1));
  await soon();
  first.dispose();
  const second = open(["done"]);
  await second.start();
  const last = await until(second, ({ busy, timeline }) => !busy && timeline.length === 3);
  expect(texts(last)).toEqual(["user: Hi", "form: success saved 1", "agent: done"]);
  expect(runs).toBe(1);
});
