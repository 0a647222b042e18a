// Plugins: what they add before each call of the model, what they keep, and what becomes of those that fail.
import {
  askFor,
  definePlugin,
  defineTool,
  GloveClient,
  type GloveClientConfig,
  GloveError,
  type JsonSchema,
  MemoryStore,
  type Plugin,
  type StoredStep,
} from "glove-wasm";
import { createScriptedModel, type ScriptedCall } from "glove-wasm/testing";
import { expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

const stateSchema = z.object({ active: z.array(z.string()) });

/** The model activates a skill by its name; from the next round on its tool and its text are there. */
function skills(did: string[] = []) {
  const email = defineTool({
    name: "email_send",
    description: "Sends a mail.",
    inputSchema: z.object({ to: z.string() }),
    idempotent: true,
    do: ({ to }) => {
      did.push(to);
      return "sent";
    },
  });
  const plugin = definePlugin({
    id: "skills",
    stateSchema,
    initialState: { active: [] as string[] },
    async prepare({ state, context, tools }) {
      const { active } = await state.get();
      if (!active.includes("email")) return;
      context.add("The skill `email` is active.");
      tools.add(email);
    },
  });
  const activate = defineTool({
    name: "activate",
    description: "Activates a skill.",
    inputSchema: z.object({ skill: z.string() }),
    idempotent: true,
    async do({ skill }, display) {
      const state = display.state(plugin);
      expectTypeOf(state.get).returns.resolves.toEqualTypeOf<{ active: string[] }>();
      await state.set(({ active }) => ({ active: [...new Set([...active, skill])] }));
      return `${skill} is active`;
    },
  });
  return { plugins: [plugin], tools: [activate] };
}

const call = (name: string, input: unknown, id: string) => ({ toolCalls: [{ name, input, id }] });
const script = [call("activate", { skill: "email" }, "a1"), call("email_send", { to: "ann" }, "e1"), "Sent."];

/** A plugin that adds text. */
const saying = (id: string, text: string, more: Partial<Plugin> = {}): Plugin =>
  definePlugin({ id, prepare: ({ context }) => context.add(text), ...more });
const failing = (more: Partial<Plugin> = {}): Plugin =>
  definePlugin({
    id: "broken",
    prepare({ context, tools }) {
      context.add("Half of it.");
      tools.add({ name: "half", description: "", jsonSchema: { type: "object" }, do: () => "half" });
      throw new Error("no database");
    },
    ...more,
  });
const codes = (events: readonly [string, unknown][]) =>
  events.filter(([type]) => type === "error").map(([, data]) => (data as { code: string }).code);

test("what a tool activates in round one is there in round two, for the model and to be run, and after a reload", async () => {
  const did: string[] = [];
  const store = new MemoryStore("s1");
  const config = { ...skills(did), createStore: () => store };
  const { session, model } = scene(script, config);
  expect(await session.sendMessage("Mail Ann")).toMatchObject({ type: "completed", text: "Sent." });
  expect(model.calls.map(({ tools }) => tools.includes("email_send"))).toEqual([false, true, true]);
  expect(model.calls.map(({ systemPrompt }) => systemPrompt)).toEqual([
    "You are a test.",
    "You are a test.\n\nThe skill `email` is active.",
    "You are a test.\n\nThe skill `email` is active.",
  ]);
  expect(did).toEqual(["ann"]);
  session.dispose();
  const after = scene([call("email_send", { to: "bob" }, "e2"), "Again."], { ...skills(did), createStore: () => store });
  await after.session.sendMessage("And Bob");
  expect(after.model.calls[0]?.tools).toContain("email_send");
  expect(did).toEqual(["ann", "bob"]);
});

test("a call of an added tool that waits for an approval is approved and run after a reload", async () => {
  const did: string[] = [];
  const store = new MemoryStore("s1");
  const pay = { name: "pay", description: "", jsonSchema: { type: "object" }, requireApproval: true, do: () => did.push("paid") };
  const config: Partial<GloveClientConfig> = {
    createStore: () => store,
    plugins: [definePlugin({ id: "bank", prepare: ({ tools }) => tools.add(pay) })],
  };
  const before = scene([call("pay", {}, "p1")], config);
  void before.session.sendMessage("Pay").catch(() => {});
  await until(before.session, ({ approvals }) => approvals.length === 1);
  before.session.dispose();
  const after = scene(["Paid."], config);
  await after.session.start();
  after.session.configure({ limits: { turns: 50 } });
  after.session.approve("p1");
  await until(after.session, ({ busy }) => !busy);
  expect([did, after.shown().at(-1)]).toEqual([["paid"], "agent: Paid."]);
});

test("a call that was approved as a plugin's tool never runs a later tool of the application by that name", async () => {
  const did: string[] = [];
  const pay = (by: string) => ({
    name: "pay",
    description: "",
    jsonSchema: { type: "object" } as const,
    requireApproval: true,
    do: () => did.push(by),
  });
  const plugin = definePlugin({ id: "bank", prepare: ({ tools }) => tools.add(pay("plugin")) });
  const { session, shown } = scene([call("pay", {}, "p1"), "Paid."], { plugins: [plugin] });
  void session.sendMessage("Pay").catch(() => {});
  await until(session, ({ approvals }) => approvals.length === 1);
  const tools = [{ ...pay("application"), name: "Pay" }];
  expect(() => session.configure({ tools })).toThrow(expect.objectContaining({ code: "TOOL_NAME_TAKEN" }));
  session.approve("p1");
  await until(session, ({ busy }) => !busy);
  expect([did, shown().at(-1)]).toEqual([["plugin"], "agent: Paid."]);
});

test("what was activated is never lost and nothing runs without it, whichever write the page dies at", async () => {
  const answer = ({ messages }: ScriptedCall) => {
    const results = messages.flatMap(({ tool_results = [] }) => tool_results).length;
    return script[results] as (typeof script)[0];
  };
  let deaths = 0;
  for (let at = 0; at < 40; at++) {
    const did: string[] = [];
    let left = at;
    class Dying extends MemoryStore {
      override appendStep(step: StoredStep): Promise<void> {
        return left-- > 0 ? super.appendStep(step) : new Promise(() => {});
      }
    }
    const store = new Dying("s1");
    const config = () => ({ ...skills(did), createStore: () => store, createModel: () => createScriptedModel(answer) });
    const before = scene([], config());
    const sent = before.session.sendMessage("Mail Ann").then(
      () => "ended",
      () => "closed",
    );
    await Promise.race([sent, until(before.session, () => left < 0)]);
    before.session.dispose();
    if (left >= 0) break;
    deaths++;
    left = Number.POSITIVE_INFINITY;
    const after = scene([], config());
    await after.session.start();
    await until(after.session, ({ busy }) => !busy);
    if (after.shown().length === 0) await after.session.sendMessage("Mail Ann");
    expect(after.shown().at(-1), `killed at write ${at}`).toBe("agent: Sent.");
    const names = (await after.session.messages()).flatMap(({ tool_calls = [] }) => tool_calls.map(({ tool_name }) => tool_name));
    expect(names, `killed at write ${at}`).toEqual(["activate", "email_send"]);
    expect(new Set(did)).toEqual(new Set(["ann"]));
    after.session.dispose();
  }
  expect(deaths).toBeGreaterThan(6);
});

test("a plugin that fails is reported and leaves the round without its share; one that is required pauses the request until it works", async () => {
  const { session, model, events } = scene(["Hi.", "Back."], { plugins: [failing(), saying("kind", "Be kind.")] });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed" });
  expect(codes(events)).toEqual(["PLUGIN_FAILED"]);
  expect(model.calls[0]).toMatchObject({ systemPrompt: "You are a test.\n\nBe kind.", tools: [] });
  let works = false;
  const required = definePlugin({
    id: "required",
    required: true,
    prepare({ context }) {
      if (!works) throw new Error("no network");
      context.add("It is there.");
    },
  });
  session.configure({ plugins: [required] });
  const refused = { code: "PLUGIN_FAILED", message: expect.stringContaining('The plugin "required" failed: no network') };
  await expect(session.sendMessage("Are you there?")).rejects.toMatchObject(refused);
  expect(session.getSnapshot()).toMatchObject({ error: refused, run: { phase: "paused" } });
  expect(model.calls).toHaveLength(1);
  works = true;
  expect(await session.resume()).toMatchObject({ type: "completed", text: "Back." });
  expect(model.calls[1]?.systemPrompt).toBe("You are a test.\n\nIt is there.");
});

test("what a plugin reports is told, and what it adds stays", async () => {
  const plugin = definePlugin({
    id: "half",
    prepare({ context, report }) {
      context.add("Half of it.");
      report(new GloveError("HALF_MISSING", "The other half is missing."));
    },
  });
  const { session, model, events } = scene(["Hi."], { plugins: [plugin] });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed" });
  expect(codes(events)).toEqual(["HALF_MISSING"]);
  expect(model.calls[0]?.systemPrompt).toBe("You are a test.\n\nHalf of it.");
});

test("where nobody listens, the console is told of a plugin that fails, also while an answer is asked for", async () => {
  const told = vi.spyOn(console, "error").mockImplementation(() => {});
  try {
    const answer = { toolCalls: [{ name: "give_answer", input: { n: 1 } }], deltas: ["a"] };
    const model = createScriptedModel(["Hi.", answer]);
    const client = new GloveClient({ createModel: () => model, plugins: [failing()] });
    await client.session("s1").sendMessage("Hi");
    expect(told.mock.calls).toEqual([[expect.objectContaining({ code: "PLUGIN_FAILED" })]]);
    await askFor(client.session("s1"), "How many?", z.object({ n: z.number() }), { onPartial: () => {} });
    expect(told.mock.calls.map(([error]) => error.code)).toEqual(["PLUGIN_FAILED", "PLUGIN_FAILED"]);
    client.dispose();
  } finally {
    told.mockRestore();
  }
});

test("a plugin that never returns is left behind after its time, and what it adds or sets later is nobody's", async () => {
  let later = () => {};
  const signals: AbortSignal[] = [];
  const hanging = definePlugin({
    id: "hanging",
    initialState: 0,
    timeoutMs: 20,
    async prepare({ context, state, signal }) {
      signals.push(signal);
      await state.set(1);
      await new Promise<void>((resolve) => {
        later = resolve;
      });
      context.add("Too late.");
      await state.set(2);
    },
  });
  const look = defineTool({
    name: "look",
    description: "",
    inputSchema: z.object({}),
    do: (_, display) => display.state(hanging).get(),
  });
  const { session, model, events } = scene([call("look", {}, "l1"), "Hi."], { plugins: [hanging], tools: [look] });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed" });
  later();
  expect(codes(events)).toEqual(["PLUGIN_FAILED", "PLUGIN_FAILED"]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect(model.calls.map(({ systemPrompt }) => systemPrompt)).toEqual(["You are a test.", "You are a test."]);
  expect(session.getSnapshot().timeline[1]).toMatchObject({ output: "0" });
});

test("stopping the run fires the signal of a plugin that works, calls no model, and the session goes on", async () => {
  let begun: (signal: AbortSignal) => void = () => {};
  const begins = new Promise<AbortSignal>((resolve) => {
    begun = resolve;
  });
  let slow = true;
  const plugin = definePlugin({
    id: "slow",
    prepare({ signal }) {
      begun(signal);
      return slow ? new Promise(() => {}) : undefined;
    },
  });
  const { session, model, events } = scene(["Hi."], { plugins: [plugin] });
  const sent = session.sendMessage("Hi");
  const signal = await begins;
  session.abort();
  expect(await sent).toEqual({ type: "aborted" });
  await until(session, ({ busy }) => !busy && signal.aborted);
  expect([model.calls.length, codes(events)]).toEqual([0, []]);
  slow = false;
  expect(await session.sendMessage("Again")).toMatchObject({ type: "completed", text: "Hi." });
});

test("two plugins with one id, or something that is no plugin, are refused with a typed error", async () => {
  const { session } = scene(["Hi."], { plugins: [saying("a", "1"), saying("a", "2")] });
  const taken = { code: "PLUGIN_ID_TAKEN", message: 'Two plugins have the id "a"; rename one of them.' };
  await expect(session.sendMessage("Hi")).rejects.toMatchObject(taken);
  expect(session.getSnapshot().error).toMatchObject(taken);
  expect(() => definePlugin({ id: "a" } as Plugin)).toThrow('`prepare` of the plugin "a" must be a function, got undefined.');
  expect(() => definePlugin({ ...saying("a", ""), tools: [] } as Plugin)).toThrow("There is no option `tools`");
});

test("a stored state that does not match its schema any more is reported, the plugin begins anew, and the old one stays until it sets another", async () => {
  const store = new MemoryStore("s1");
  const createStore = () => store;
  const before = scene([script[0] as object, "Ok."], { ...skills(), createStore });
  await before.session.sendMessage("Mail");
  before.session.dispose();
  const seen: unknown[] = [];
  const renewed = definePlugin({
    id: "skills",
    stateSchema: z.object({ names: z.array(z.string()) }),
    initialState: { names: [] as string[] },
    prepare: async ({ state }) => void seen.push(await state.get()),
  });
  const updated = scene(["One.", "Two."], { plugins: [renewed], createStore });
  await updated.session.sendMessage("Hi");
  await updated.session.sendMessage("Hi");
  expect(seen).toEqual([{ names: [] }, { names: [] }]);
  expect(codes(updated.events)).toEqual(["PLUGIN_STATE_INVALID"]);
  updated.session.dispose();
  const back = scene(["Three."], { ...skills(), createStore });
  await back.session.sendMessage("Hi");
  expect(back.model.calls[0]?.tools).toContain("email_send");
});

test("a state that does not match is not set, nor one that is too large, and a plugin of another session is unknown", async () => {
  const { plugins, tools } = skills();
  const [plugin] = plugins;
  const seen: unknown[] = [];
  const set = defineTool({
    name: "set",
    description: "",
    inputSchema: z.object({}),
    async do(_, display) {
      const state = display.state(plugin as Plugin<unknown>);
      for (const value of [{ active: 3 }, { active: ["x".repeat(70_000)] }])
        await state.set(value).catch((error: { code: string }) => seen.push(error.code));
      try {
        display.state(saying("other", ""));
      } catch (error) {
        seen.push((error as { code: string }).code);
      }
      return state.get();
    },
  });
  const { session } = scene([call("set", {}, "s1"), "Ok."], { plugins, tools: [...tools, set] });
  await session.sendMessage("Hi");
  expect(seen).toEqual(["PLUGIN_STATE_INVALID", "PLUGIN_STATE_TOO_LARGE", "PLUGIN_UNKNOWN"]);
  expect(session.getSnapshot().timeline[1]).toMatchObject({ output: '{"active":[]}' });
});

test("a plugin knows what was asked and the conversation, and no model ever reads the state of anybody", async () => {
  const store = new MemoryStore("s1");
  const seen: unknown[] = [];
  const plugin = definePlugin({
    id: "notes",
    initialState: { secret: "" },
    async prepare({ state, input, conversation, services }) {
      const { secret } = await state.get();
      const prompts = await conversation.prompts();
      seen.push([conversation.userId, input, secret, prompts.length, services]);
      await state.set({ secret: `${secret}canary of ${conversation.userId};` });
    },
  });
  for (const userId of ["ann", "bob", "ann"]) {
    const { session, model } = scene(["Hi."], { plugins: [plugin], createStore: () => store, userId, services: 7 });
    await session.sendMessage(`I am ${userId}`);
    expect(JSON.stringify(model.calls)).not.toContain("canary");
    session.dispose();
  }
  expect(seen).toEqual([
    ["ann", "I am ann", "", 1, 7],
    ["bob", "I am bob", "", 2, 7],
    ["ann", "I am ann", "canary of ann;", 3, 7],
  ]);
});

test("a tool whose name is taken, or that no model could use, fails the plugin that adds it and no other", async () => {
  const adds = (id: string, name: string, jsonSchema: JsonSchema) =>
    definePlugin({ id, prepare: ({ tools }) => tools.add({ name, description: "", jsonSchema, do: () => "done" }) });
  const object = { type: "object" };
  const plugins = [
    adds("a", "Activate", object),
    adds("b", "list", { type: "array" }),
    adds("c", "good", object),
    adds("d", "GOOD", object),
  ];
  const { session, model, events } = scene(["Hi."], { plugins, tools: skills().tools });
  await session.sendMessage("Hi");
  expect(codes(events)).toEqual(["PLUGIN_FAILED", "PLUGIN_FAILED", "PLUGIN_FAILED"]);
  expect(model.calls[0]?.tools.filter((name) => name !== "glove_update_tasks")).toEqual(["activate", "good"]);
});

test("what a plugin and a tool set is kept for the user they began with, also when the session becomes another user's meanwhile", async () => {
  const seen: unknown[] = [];
  let asUser = () => {};
  const plugin = definePlugin({
    id: "notes",
    initialState: "",
    async prepare({ state, conversation: { userId } }) {
      seen.push([userId, await state.get()]);
      asUser();
      if (userId === "ann") await state.set(`canary of ${userId}`);
    },
  });
  const note = defineTool({
    name: "note",
    description: "",
    inputSchema: z.object({}),
    async do(_, display) {
      session.configure({ userId: "cleo" });
      const state = display.state(plugin);
      await state.set((before) => `${before}, by bob's tool`);
      return state.get();
    },
  });
  const script = ["Hi.", call("note", {}, "n1"), "Noted."];
  const { session } = scene(script, { plugins: [plugin], tools: [note], userId: "ann" });
  asUser = () => session.configure({ userId: "bob" });
  await session.sendMessage("I am ann");
  asUser = () => {};
  await session.sendMessage("I am bob");
  expect(seen).toEqual([
    ["ann", ""],
    ["bob", ""],
    ["cleo", ""],
  ]);
  expect(session.getSnapshot().timeline.find(({ kind }) => kind === "tool")).toMatchObject({ output: ", by bob's tool" });
});

test("a plugin that sets a state too large, or adds a tool by the name of the answer, fails alone", async () => {
  const large = definePlugin({
    id: "large",
    initialState: "",
    async prepare({ state, context }) {
      context.add("Half of it.");
      await state.set("x".repeat(70_000));
    },
  });
  const answers = definePlugin({
    id: "answers",
    prepare: ({ tools }) =>
      tools.add({ name: "Give_answer", description: "", jsonSchema: { type: "object" }, do: () => "taken" }),
  });
  const { session, model, events } = scene(["Hi."], { plugins: [large, answers, saying("kind", "Be kind.")] });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed", text: "Hi." });
  expect(codes(events)).toEqual(["PLUGIN_STATE_TOO_LARGE", "PLUGIN_FAILED"]);
  expect(model.calls[0]).toMatchObject({ systemPrompt: "You are a test.\n\nBe kind.", tools: [] });
});

test("closing the session fires the signal of a plugin that works, whatever time it may take", async () => {
  let begun: (signal: AbortSignal) => void = () => {};
  const begins = new Promise<AbortSignal>((resolve) => {
    begun = resolve;
  });
  const plugin = definePlugin({
    id: "hanging",
    timeoutMs: Number.POSITIVE_INFINITY,
    prepare({ signal }) {
      begun(signal);
      return new Promise(() => {});
    },
  });
  const { session, events } = scene(["Hi."], { plugins: [plugin] });
  const closed = expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  const signal = await begins;
  session.dispose();
  await closed;
  expect([signal.aborted, codes(events)]).toEqual([true, []]);
});

test("a tool that a plugin of one session adds is the application's own in another one, and gone when that leaves it out", async () => {
  const store = new MemoryStore("s1");
  const createStore = () => store;
  const tool = { name: "pay", description: "", jsonSchema: { type: "object" } as const, do: () => "paid" };
  const plugin = definePlugin({ id: "bank", prepare: ({ tools }) => tools.add(tool) });
  await scene(["Hi."], { plugins: [plugin] }).session.sendMessage("Hi");
  const before = scene(["Hi."], { tools: [tool], createStore });
  await before.session.sendMessage("Hi");
  expect(before.model.calls[0]?.tools).toContain("pay");
  before.session.dispose();
  const { session, model } = scene(["Hello."], { createStore });
  await session.sendMessage("Hello");
  expect(model.calls[0]?.tools).not.toContain("pay");
});

test("a call that waits for a tool which no plugin adds any more is refused when it is approved, and no model hears of that tool", async () => {
  const store = new MemoryStore("s1");
  const createStore = () => store;
  const pay = { name: "pay", description: "", jsonSchema: { type: "object" } as const, requireApproval: true, do: () => "paid" };
  const plugin = definePlugin({ id: "bank", prepare: ({ tools }) => tools.add(pay) });
  const before = scene([call("pay", {}, "p1")], { createStore, plugins: [plugin] });
  void before.session.sendMessage("Pay").catch(() => {});
  await until(before.session, ({ approvals }) => approvals.length === 1);
  before.session.dispose();
  // An update of the application left the plugin out.
  const { session, model, events } = scene([call("pai", {}, "p2"), "Sorry."], { createStore });
  await session.start();
  session.approve("p1");
  await until(session, ({ busy }) => !busy);
  expect(model.calls.map(({ tools }) => tools)).toEqual([[], []]);
  const results = (await session.messages()).flatMap(({ tool_results = [] }) => tool_results.map(({ result }) => result));
  expect(results.map(({ status, message }) => [status, message])).toEqual([
    ["error", expect.stringContaining("There is no longer a tool called pay.")],
    ["error", "No tool called pai exists. No tools are registered."],
  ]);
  expect(codes(events)).toContain("TOOL_UNKNOWN");
});

test("a state whose check never ends blocks no later one", async () => {
  let hangs = true;
  const stateSchema = {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate: (value: unknown) => (hangs ? new Promise<never>(() => {}) : { value: value as number }),
    },
  };
  const plugin = definePlugin({ id: "slow", stateSchema, initialState: 0, timeoutMs: 30, prepare: ({ state }) => state.set(1) });
  const { session, events } = scene(["One.", "Two."], { plugins: [plugin] });
  await session.sendMessage("Hi");
  hangs = false;
  await session.sendMessage("Hi again");
  expect(codes(events)).toEqual(["PLUGIN_FAILED"]);
});

test.each<[string, Partial<GloveClientConfig>]>([
  ["no plugins", {}],
  ["a plugin that adds nothing any more", { plugins: [definePlugin({ id: "bank", prepare: () => {} })] }],
])("after a reload with %s, no model is told of a tool that was added before", async (_, config) => {
  const store = new MemoryStore("s1");
  const createStore = () => store;
  const tool = { name: "pay", description: "", jsonSchema: { type: "object" } as const, do: () => "paid" };
  const plugin = definePlugin({ id: "bank", prepare: ({ tools }) => tools.add(tool) });
  const before = scene(["Hi."], { plugins: [plugin], createStore });
  await before.session.sendMessage("Hi");
  expect(before.model.calls[0]?.tools).toContain("pay");
  before.session.dispose();
  const { session, model } = scene(["Hello."], { ...config, createStore });
  await session.sendMessage("Hello");
  expect(model.calls[0]?.tools).not.toContain("pay");
});

test("a plugin reads what another one keeps, as it was before this round, and one that is not there is told of", async () => {
  const counts = definePlugin({
    id: "counts",
    initialState: { rounds: 0 },
    prepare: ({ state }) => state.set(({ rounds }) => ({ rounds: rounds + 1 })),
  });
  const seen: unknown[] = [];
  const follows = definePlugin({
    id: "follows",
    async prepare({ stateOf, context }) {
      const other = stateOf(counts);
      expectTypeOf(await other.get()).toEqualTypeOf<{ rounds: number }>();
      expect("set" in other).toBe(false);
      const own = await other.get();
      seen.push({ ...own });
      // A copy.
      Object.assign(own, { rounds: 99 });
      try {
        stateOf({ id: "nobody" });
      } catch (error) {
        context.add((error as GloveError).code);
      }
    },
  });
  const model = createScriptedModel(["One.", "Two.", "Three."]);
  const store = new MemoryStore("s");
  const client = () => new GloveClient({ createModel: () => model, createStore: () => store, plugins: [follows, counts] });
  const first = client();
  await first.session("s").sendMessage("1");
  await first.session("s").sendMessage("2");
  first.dispose();
  await client().session("s").sendMessage("3");
  expect(seen).toEqual([{ rounds: 0 }, { rounds: 1 }, { rounds: 2 }]);
});
