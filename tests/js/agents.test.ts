// Agents that are called as tools of other agents.
import {
  defineAgent,
  defineTool,
  GloveClient,
  type GloveClientConfig,
  MemoryStore,
  type StoreAdapter,
  type ToolConfig,
} from "glove-wasm";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { until } from "../support/session.js";

const call = (name: string, input: unknown, id = "c1") => ({ toolCalls: [{ name, input, id }] });
const task = (task: string) => ({ task });

/** Sessions over stores that outlive their pages. */
function pages() {
  const stores = new Map<string, StoreAdapter>();
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    return store;
  };
  const open = (script: readonly ScriptedAnswer[], config: Partial<GloveClientConfig>) => {
    const model = createScriptedModel(script);
    const client = new GloveClient({ createModel: () => model, createStore, systemPrompt: "Outer.", ...config });
    return { client, model, session: client.session("s") };
  };
  return { open, stores };
}

const researcher = (script: readonly ScriptedAnswer[], tools: readonly ToolConfig[] = []) => {
  const model = createScriptedModel(script);
  const agent = defineAgent({ name: "researcher", description: "Finds out.", systemPrompt: "Inner.", tools, model });
  return { agent, model };
};
const inside = "s::agent::c1";

test("the answer of an agent is the result of its call, and its conversation is a session under the call", async () => {
  const { agent, model: inner } = researcher(["Rain, 3 mm."]);
  expectTypeOf(agent.name).toEqualTypeOf<"researcher">();
  const { session, client, model } = pages().open([call("researcher", task("Oslo's weather?")), "It rains."], { tools: [agent] });
  expect(await session.sendMessage("Weather?")).toMatchObject({ type: "completed", text: "It rains." });
  const [, , results] = await session.messages();
  expect(results?.tool_results?.[0]?.result).toMatchObject({
    status: "success",
    data: "Rain, 3 mm.",
    renderData: { session: inside },
  });
  expect(inner.calls[0]).toMatchObject({ systemPrompt: "Inner." });
  expect(inner.calls[0]?.messages.map(({ text }) => text)).toEqual(["Oslo's weather?"]);
  expect(model.calls[0]?.tools).toContain("researcher");
  const texts = (await client.session(inside).messages()).map(({ text }) => text);
  expect(texts).toEqual(["Oslo's weather?", "Rain, 3 mm."]);
});

test("subscribers hear when an agent begins and ends, also one that was stopped or failed, and it has skills of its own", async () => {
  const { agent } = researcher(["Rain."]);
  const heard: unknown[] = [];
  const record = (type: string, data: unknown) => {
    if (type.startsWith("agent_")) heard.push([type, data]);
  };
  const failing = {
    ...createScriptedModel([]),
    name: "f",
    setSystemPrompt() {},
    prompt: () => Promise.reject(new Error("down")),
  };
  const broken = defineAgent({ name: "broken", description: "", systemPrompt: "", model: failing });
  const config = { tools: [agent, broken], subscribers: [{ record }], skills: [] };
  const script = [call("researcher", task("?")), call("broken", task("?"), "c2"), "Done."];
  await pages().open(script, config).session.sendMessage("Go");
  const of = (name: string, call_id: string) => ({ name, call_id, session: `s::agent::${call_id}` });
  expect(heard).toEqual([
    ["agent_started", of("researcher", "c1")],
    ["agent_finished", { ...of("researcher", "c1"), outcome: "completed" }],
    ["agent_started", of("broken", "c2")],
    ["agent_finished", { ...of("broken", "c2"), outcome: "failed" }],
  ]);
});

test("what an agent uses counts into the budget of the request that called it", async () => {
  const { agent } = researcher([{ text: "Rain.", usage: { tokens_in: 900, tokens_out: 100 } }]);
  const { session } = pages().open([call("researcher", task("?")), "It rains."], { tools: [agent], budgets: { tokens: 500 } });
  expect(await session.sendMessage("Weather?")).toMatchObject({ type: "paused", rule: "tokens" });
});

test("an approval inside is answered there, also after a reload, and nothing runs twice", async () => {
  const { open } = pages();
  const did: string[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    inputSchema: z.object({ euros: z.number() }),
    requireApproval: true,
    do: ({ euros }) => {
      did.push(`paid ${euros}`);
      return "paid";
    },
  });
  const first = researcher([call("pay", { euros: 5 }, "p1")], [pay]);
  const before = open([call("researcher", task("Pay 5"))], { tools: [first.agent] });
  void before.session.sendMessage("Pay").catch(() => {});
  await until(before.client.session(inside), ({ approvals }) => approvals.length === 1);
  before.client.dispose();

  const second = researcher(["Paid 5."], [pay]);
  const after = open(["All paid."], { tools: [second.agent] });
  await after.session.start();
  const inner = after.client.session(inside);
  const { approvals } = await until(inner, ({ approvals }) => approvals.length === 1);
  inner.approve(approvals[0]?.id ?? "");
  const { timeline } = await until(after.session, ({ busy }) => !busy);
  expect(timeline.at(-1)).toMatchObject({ kind: "agent_text", text: "All paid." });
  expect(did).toEqual(["paid 5"]);
  expect(second.model.calls).toHaveLength(1);
});

test("stopping the outer run stops the agent, and both sessions go on", async () => {
  const { agent } = researcher([{ text: "Never", after: 60_000 }, "Fine."]);
  const { session, client } = pages().open([call("researcher", task("?")), "Hi."], { tools: [agent] });
  const asked = session.sendMessage("Weather?");
  const inner = await until(session, ({ timeline }) => timeline.length === 2).then(() => client.session(inside));
  await until(inner, ({ run }) => run.phase === "model");
  session.abort();
  expect(await asked).toEqual({ type: "aborted" });
  await until(inner, ({ busy }) => !busy);
  expect((await session.sendMessage("Hello")).type).toBe("completed");
});

test("an agent that is stopped while its session is opened calls no model and no tool", async () => {
  const { open, stores } = pages();
  const did: string[] = [];
  const note: ToolConfig = { name: "note", description: "", jsonSchema: { type: "object" }, do: () => did.push("noted") };
  const { agent, model } = researcher([call("note", {}, "n1"), "Noted."], [note]);
  let opened = () => {};
  const opening = new Promise<void>((resolve) => {
    opened = resolve;
  });
  let read = () => {};
  const readable = new Promise<void>((resolve) => {
    read = resolve;
  });
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    if (id !== inside) return store;
    return new Proxy(store, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]) => {
          opened();
          await readable;
          return value.apply(target, args);
        };
      },
    });
  };
  const { session, client } = open([call("researcher", task("Note it")), "Hi."], { tools: [agent], createStore });
  const asked = session.sendMessage("Go");
  await opening;
  session.abort();
  expect(await asked).toEqual({ type: "aborted" });
  read();
  await client.session(inside).start();
  expect((await session.sendMessage("Hello")).type).toBe("completed");
  expect([model.calls.length, did]).toEqual([0, []]);
});

test("after a reload that resumes nothing by itself, resuming the outer run resumes the agent", async () => {
  const { open } = pages();
  const first = researcher([{ text: "Never", after: 60_000 }]);
  const before = open([call("researcher", task("?"))], { tools: [first.agent], resume: "manual" });
  void before.session.sendMessage("Weather?").catch(() => {});
  await until(before.session, ({ timeline }) => timeline.length === 2);
  await until(before.client.session(inside), ({ run }) => run.phase === "model");
  before.client.dispose();

  const second = researcher(["Rain."]);
  const after = open(["It rains."], { tools: [second.agent], resume: "manual" });
  await after.session.start();
  expect(after.session.getSnapshot().run.phase).toBe("interrupted");
  expect(await after.session.resume()).toMatchObject({ type: "completed", text: "It rains." });
  expect(second.model.calls).toHaveLength(1);
});

test("after a reload, the session of an agent that is opened before its outer one waits for its agent", async () => {
  const { open } = pages();
  const first = researcher([{ text: "Never", after: 60_000 }]);
  const before = open([call("researcher", task("?"))], { tools: [first.agent] });
  void before.session.sendMessage("Weather?").catch(() => {});
  await until(before.session, ({ timeline }) => timeline.length === 2);
  await until(before.client.session(inside), ({ run }) => run.phase === "model");
  before.client.dispose();

  const second = researcher(["Rain."]);
  const after = open(["It rains."], { tools: [second.agent] });
  const inner = after.client.session(inside);
  await inner.start();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([inner.getSnapshot().run.phase, after.model.calls.length]).toEqual(["interrupted", 0]);
  await after.session.start();
  const { timeline } = await until(after.session, ({ busy }) => !busy);
  expect(timeline.at(-1)).toMatchObject({ kind: "agent_text", text: "It rains." });
  expect(second.model.calls.map(({ systemPrompt }) => systemPrompt)).toEqual(["Inner."]);
  expect(after.model.calls).toHaveLength(1);
});

test("the session of an agent that is not at work can be read, and runs nothing by the tools of the page until its agent is", async () => {
  const did: string[] = [];
  const pay = (by: string) =>
    defineTool({ name: "pay", description: "", inputSchema: z.object({}), requireApproval: true, do: () => did.push(by) });
  const { open, stores } = pages();
  const first = researcher([call("pay", {}, "p1")], [pay("agent")]);
  const before = open([call("researcher", task("?"))], { tools: [first.agent] });
  void before.session.sendMessage("Weather?").catch(() => {});
  await until(before.client.session(inside), ({ approvals }) => approvals.length === 1);
  before.client.dispose();

  const second = researcher(["Paid."], [pay("agent")]);
  const errors: unknown[] = [];
  const record = (type: string, data: unknown) => type === "error" && errors.push((data as { code: string }).code);
  const after = open(["Done."], { tools: [second.agent, pay("page")], subscribers: [{ record }] });
  const inner = after.client.session(inside);
  const store = stores.get(inside) as MemoryStore;
  const read = vi.spyOn(store, "readRunText");
  const refuses = async () => {
    for (const ask of [() => inner.sendMessage("Hello?"), inner.resume, inner.undo, inner.regenerate])
      await expect(ask()).rejects.toMatchObject({ code: "AGENT_NOT_RUNNING" });
  };
  await refuses();
  expect([inner.getSnapshot().sessionReady, read.mock.calls]).toEqual([false, []]);
  await inner.start();
  expect(inner.getSnapshot().approvals).toHaveLength(1);
  await refuses();
  expect([inner.approve("p1"), errors]).toEqual([false, ["AGENT_NOT_RUNNING"]]);
  expect((await inner.messages()).map(({ text }) => text)).toEqual(["?", ""]);

  await after.session.start();
  await until(after.session, ({ run }) => run.phase === "waiting");
  expect(inner.approve("p1")).toBe(true);
  const { timeline } = await until(after.session, ({ busy }) => !busy);
  expect([did, timeline.at(-1)]).toEqual([["agent"], expect.objectContaining({ text: "Done." })]);
});

test("an agent that is stopped alone is an error of its call that says so", async () => {
  const { agent } = researcher([{ text: "Never", after: 60_000 }]);
  const { session, client, model } = pages().open([call("researcher", task("?")), "Fine."], { tools: [agent] });
  const asked = session.sendMessage("Weather?");
  const inner = await until(session, ({ timeline }) => timeline.length === 2).then(() => client.session(inside));
  await until(inner, ({ run }) => run.phase === "model");
  inner.abort();
  expect(await asked).toMatchObject({ type: "completed", text: "Fine." });
  expect(JSON.stringify(model.calls[1]?.messages.at(-1))).toContain("The agent did not end its task: it is aborted.");
});

test("while an agent waits for a person its outer run waits too, and no time of its budget passes, also over a reload", async () => {
  const { open } = pages();
  const pay: ToolConfig = {
    name: "pay",
    description: "",
    jsonSchema: { type: "object" },
    requireApproval: true,
    do: () => "paid",
  };
  const script = [call("pay", {}, "p1"), call("pay", {}, "p2"), "Paid twice."];
  const budgets = { wall_clock_ms: 1_000 };
  const errors: unknown[] = [];
  const subscribers = [{ record: (type: string, data: unknown) => void (type === "error" && errors.push(data)) }];
  const page = (inner: readonly ScriptedAnswer[], outer: readonly ScriptedAnswer[]) =>
    open(outer, { tools: [researcher(inner, [pay]).agent], budgets, subscribers });
  const pass = () => new Promise((resolve) => setTimeout(resolve, 1_200));
  const answer = async ({ client, session }: ReturnType<typeof page>) => {
    const inner = client.session(inside);
    const [approval] = (await until(inner, ({ approvals }) => approvals.length === 1)).approvals;
    await until(session, ({ run }) => run.phase === "waiting");
    await pass();
    inner.approve(approval?.id ?? "");
    // The next one, or the end: between the two there is none.
    await until(inner, ({ approvals, busy }) => !busy || (approvals.length === 1 && approvals[0]?.id !== approval?.id));
  };
  const first = page(script, [call("researcher", task("Pay twice"))]);
  void first.session.sendMessage("Pay").catch(() => {});
  await until(first.session, ({ timeline }) => timeline.length === 2);
  await answer(first);
  await until(first.session, ({ run }) => run.phase === "waiting");
  first.client.dispose();

  const second = page(script.slice(2), ["All paid."]);
  await second.session.start();
  await answer(second);
  const { timeline, slots } = await until(second.session, ({ busy }) => !busy);
  expect(timeline.at(-1)).toMatchObject({ kind: "agent_text", text: "All paid." });
  expect(slots.some(({ waits }) => waits)).toBe(false);
  expect(errors).toEqual([]);
});

test("an agent that calls itself, and agents that are nested too deep, are refused with a code, and the run goes on", async () => {
  const tools: ToolConfig[] = [];
  const events: unknown[] = [];
  const again = (id: string) => call("loop", task("again"), id);
  const model = createScriptedModel([again("c1"), again("c2"), "Gave up.", "Outer gave up."]);
  tools.push(defineAgent({ name: "loop", description: "", systemPrompt: "", tools }));
  const record = (type: string, data: unknown) => void (type === "error" && events.push(data));
  const { session } = pages().open([], { tools, createModel: () => model, subscribers: [{ record }] });
  expect(await session.sendMessage("Go")).toMatchObject({ text: "Outer gave up." });
  expect(events).toMatchObject([{ code: "AGENT_RECURSION" }]);

  const deep = ["a1", "a2", "a3", "a4", "a5"].reduceRight<ToolConfig[]>(
    (inner, name) => [defineAgent({ name, description: "", systemPrompt: "", tools: inner })],
    [],
  );
  const calls = ["a1", "a2", "a3", "a4", "a5"].map((name) => call(name, task("deeper"), name));
  const chain = createScriptedModel([...calls, "4", "3", "2", "1", "0"]);
  const nested = pages().open([], { tools: deep, createModel: () => chain, subscribers: [{ record }] });
  expect(await nested.session.sendMessage("Go")).toMatchObject({ text: "0" });
  expect(events.at(-1)).toMatchObject({ code: "AGENT_TOO_DEEP" });
});

test("the session of an agent is in no list, and is deleted with the one that called it", async () => {
  const { agent } = researcher(["Rain."]);
  const model = createScriptedModel([call("researcher", task("?")), "It rains."]);
  const client = new GloveClient({ createModel: () => model, systemPrompt: "", tools: [agent] });
  await client.session("s").sendMessage("Weather?");
  expect((await client.sessions()).map(({ id }) => id)).toEqual(["s"]);
  const stored = (id: string) =>
    client.exportSession(id).then(
      () => true,
      () => false,
    );
  expect([await stored("s"), await stored(inside)]).toEqual([true, true]);
  await client.deleteSession("s");
  expect([await stored("s"), await stored(inside)]).toEqual([false, false]);
});

test("a failing model inside is an error of the call, and wrong definitions are refused", async () => {
  const failing = {
    ...createScriptedModel([]),
    name: "broken",
    prompt: () => Promise.reject(new Error("no model")),
    setSystemPrompt: () => {},
  };
  const agent = defineAgent({ name: "researcher", description: "", systemPrompt: "", model: failing });
  const { session, model } = pages().open([call("researcher", task("?")), "Sorry."], { tools: [agent] });
  expect(await session.sendMessage("Weather?")).toMatchObject({ text: "Sorry." });
  expect(JSON.stringify(model.calls[1]?.messages.at(-1))).toContain("no model");
  // @ts-expect-error misspelt
  expect(() => defineAgent({ name: "a", description: "", systemPrompt: "", tool: [] })).toThrow("`tool` of the agent");
});

test("a page that dies at any write loses nothing and runs nothing twice", async () => {
  const script = [call("researcher", task("Note it")), "Done."];
  const innerScript = [call("note", { text: "x" }, "n1"), "Noted."];
  for (let at = 1; at < 40; at++) {
    const stores = new Map<string, MemoryStore>();
    const notes: string[] = [];
    let writes = 0;
    let over = false;
    const page = (dies: boolean) => {
      let dead = false;
      const createStore = (id: string) => {
        const rows = stores.get(id) ?? new MemoryStore(id);
        stores.set(id, rows);
        if (!dies) return rows;
        return new Proxy(rows, {
          get(target, key) {
            const value: unknown = Reflect.get(target, key);
            if (typeof value !== "function") return value;
            if (key !== "appendStep" && key !== "appendStepText") return value.bind(target);
            return async (...step: unknown[]) => {
              if (dead || ++writes === at) {
                dead = true;
                await new Promise(() => {});
              }
              return value.apply(target, step);
            };
          },
        });
      };
      const note: ToolConfig = {
        name: "note",
        description: "",
        jsonSchema: { type: "object" },
        onInterrupted: "fail",
        do: (_, display) => display.step("note", () => void (dead || notes.push("x"))),
      };
      const rule = (answers: readonly ScriptedAnswer[], results: number) => answers[results] ?? "?";
      const by = (answers: readonly ScriptedAnswer[]) =>
        createScriptedModel(({ messages }) => rule(answers, messages.filter((message) => message.tool_results).length) as never);
      const agent = defineAgent({ name: "researcher", description: "", systemPrompt: "", tools: [note], model: by(innerScript) });
      const client = new GloveClient({ createModel: () => by(script), createStore, systemPrompt: "", tools: [agent] });
      return { client, session: client.session("s"), isDead: () => dead };
    };
    const first = page(true);
    void first.session.sendMessage("Note").then(
      () => {
        over = true;
      },
      () => {},
    );
    await until(first.session, () => over || first.isDead());
    first.client.dispose();
    if (over) {
      expect(at).toBeGreaterThan(8);
      return;
    }
    const second = page(false);
    const stored = (await stores.get("s")?.getMessages())?.length ?? 0;
    if (stored > 0) {
      await second.session.start();
      const { timeline } = await until(second.session, ({ busy }) => !busy);
      expect([at, timeline.at(-1)]).toMatchObject([at, { kind: "agent_text", text: "Done." }]);
      expect([at, notes.length <= 1]).toEqual([at, true]);
      expect([at, timeline.filter(({ kind }) => kind === "tool").length]).toEqual([at, 1]);
    }
    second.client.dispose();
  }
});
