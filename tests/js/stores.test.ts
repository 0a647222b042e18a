// Stores of the application, as sessions use them.
import { createRemoteStore, GloveError, MemoryStore, type Message, permissionKey, type StoreAdapter } from "glove-wasm";
import { expect, test, vi } from "vitest";
import { scene, texts, until } from "../support/session.js";

/** A store as the first version of the API describes it: messages and counters, nothing else. */
function plainStore(stored: Message[] = []): StoreAdapter & { readonly log: unknown[] } {
  const log: unknown[] = [];
  return {
    log,
    identifier: "plain",
    getMessages: async () => [...stored],
    appendMessages: async (messages) => {
      stored.push(...messages);
      log.push(["append", messages.map(({ text }) => text)]);
    },
    getTokenCount: async () => 0,
    addTokens: async (count) => void log.push(["tokens", count]),
    getTurnCount: async () => 0,
    incrementTurn: async () => void log.push(["turn"]),
    resetHistory: async () => void log.push(["reset"]),
  };
}

test("a plain store gets messages, tokens and turns, and its history is never reset", async () => {
  const store = plainStore();
  const { session } = scene([{ text: "one", usage: { tokens_in: 7, tokens_out: 2 } }], { createStore: () => store });
  await session.sendMessage("1");
  expect(store.log).toEqual([["append", ["1"]], ["append", ["one"]], ["turn"], ["tokens", { tokens_in: 7, tokens_out: 2 }]]);
  expect(session.getSnapshot()).toMatchObject({ storage: "custom", tasks: [] });
});

test("a store that counts with a number gets the sum", async () => {
  const store = plainStore();
  const { session } = scene([{ text: "one", usage: { tokens_in: 7, tokens_out: 2 } }], {
    createStore: () => store,
    tokenCounterStyle: "number",
  });
  await session.sendMessage("1");
  expect(store.log).toContainEqual(["tokens", 9]);
});

test("a conversation that another program wrote is shown and gone on with", async () => {
  const store = plainStore([
    { sender: "user", text: "old question" },
    { sender: "agent", text: "", tool_calls: [{ tool_name: "t", input_args: { a: 1 }, id: "x" }] },
    {
      sender: "user",
      text: "tool results",
      tool_results: [{ tool_name: "t", call_id: "x", result: { status: "success", data: { n: 1 } } }],
    },
    { sender: "agent", text: "old answer" },
  ]);
  const { session, model } = scene(["new"], { createStore: () => store });
  await session.start();
  const { timeline } = await until(session, ({ timeline }) => timeline.length === 3);
  expect(texts({ ...session.getSnapshot(), timeline })).toEqual([
    "user: old question",
    't: success {"n":1}',
    "agent: old answer",
  ]);
  await session.sendMessage("more");
  expect(model.calls[0]?.messages.map(({ text }) => text)).toEqual(["old question", "", "tool results", "old answer", "more"]);
});

test("a counter that fails is reported and makes nothing be written twice", async () => {
  const store = { ...plainStore(), addTokens: vi.fn(() => Promise.reject(new Error("no counter"))) };
  const { session, events } = scene(["one"], { createStore: () => store });
  expect(await session.sendMessage("1")).toMatchObject({ text: "one" });
  expect(events).toContainEqual(["error", { code: "STORE_FAILED", message: "no counter" }]);
  expect((await store.getMessages()).map(({ text }) => text)).toEqual(["1", "one"]);
});

test("two sessions over one store are told that they write over each other", async () => {
  const store = new MemoryStore("one");
  const a = scene(["a"], { createStore: () => store });
  const b = scene(["b"], { createStore: () => store });
  await Promise.all([a.session.start(), b.session.start()]);
  await a.session.sendMessage("1");
  await expect(b.session.sendMessage("2")).rejects.toMatchObject({ code: "STORE_CONFLICT" });
});

test("a remote store calls what is there with the session's id, and keeps the rest in memory", async () => {
  const stored: Message[] = [];
  const getMessages = vi.fn(async () => stored);
  const appendMessages = vi.fn(async (_: string, messages: Message[]) => stored.push(...messages));
  const store = createRemoteStore("s7", { getMessages, appendMessages });
  const { session } = scene(["one"], { createStore: () => store });
  await session.sendMessage("1");
  expect(appendMessages.mock.calls.map(([id]) => id)).toEqual(["s7", "s7"]);
  expect(getMessages).toHaveBeenCalledTimes(1);
  expect([await store.getTurnCount(), await store.getTokenCount()]).toEqual([1, 15]);
  await store.setPermission?.("rm", "granted");
  expect(await store.getPermission?.("rm")).toBe("granted");
  expect(store.appendStep).toBeUndefined();
});

test("a remote store may keep the run itself", async () => {
  const memory = new MemoryStore("x");
  const store = createRemoteStore("x", {
    getMessages: () => memory.getMessages(),
    appendMessages: (_, messages) => memory.appendMessages(messages),
    appendStep: (_, step) => memory.appendStep(step),
    readRun: () => memory.readRun(),
  });
  const { session } = scene(["one"], { createStore: () => store });
  await session.sendMessage("1");
  expect(await memory.readRun()).toMatchObject({ messages: [{ text: "1" }, { text: "one" }], checkpoint: expect.any(String) });
});

test("permissions may hold for certain arguments only", async () => {
  const store = new MemoryStore("x");
  await store.setPermission("rm", "denied");
  await store.setPermission("rm", "granted", { path: "/tmp" });
  expect(await store.getPermission("rm", { path: "/tmp" })).toBe("granted");
  expect(await store.getPermission("rm", { path: "/" })).toBe("denied");
  expect(await store.getPermission("other")).toBe("unset");
  expect([permissionKey("rm", { a: 1 }), permissionKey("rm"), permissionKey("rm", 1n)]).toEqual([
    'rm::{"a":1}',
    "rm::null",
    "rm::null",
  ]);
});

test("memory counts tokens given either way", async () => {
  const store = new MemoryStore("x");
  await store.addTokens(5);
  await store.addTokens({ tokens_in: 1, tokens_out: 2, cache_read_input_tokens: 3 });
  expect(await store.getTokenCount()).toBe(8);
  expect(await store.getTokenConsumption()).toEqual({ tokens_in: 6, tokens_out: 2, cache_read_input_tokens: 3 });
  await store.resetCounters();
  expect(await store.getTokenCount()).toBe(0);
});

test("what came into the inbox is told to the model with the next message, once", async () => {
  const store = new MemoryStore("x");
  await store.addInboxItem({ id: "i1", tag: "order", request: "Ship it", response: "shipped", status: "resolved" });
  const { session, model } = scene(["ok", "ok"], { createStore: () => store });
  await session.sendMessage("1");
  expect(model.calls[0]?.messages[0]?.text).toContain("shipped");
  await until(session, ({ inbox }) => inbox.length === 1);
  await vi.waitFor(async () => expect(await store.getInboxItems()).toMatchObject([{ status: "consumed" }]));
  await session.sendMessage("2");
  expect(model.calls[1]?.messages.filter(({ text }) => text.includes("shipped"))).toHaveLength(1);
});

test("a run whose page died goes on in the next session, and a finished tool is not run again", async () => {
  const store = new MemoryStore("x");
  const work = vi.fn(() => "worked");
  const tools = [{ name: "t", description: "", jsonSchema: { type: "object" }, do: work }];
  const first = scene([{ toolCalls: [{ name: "t" }] }, { text: "never", after: 60_000 }], { tools, createStore: () => store });
  void first.session.sendMessage("Hi");
  await vi.waitFor(() => expect(first.model.calls).toHaveLength(2));
  first.client.dispose();
  const second = scene(["went on"], { tools, createStore: () => store });
  await second.session.start();
  await until(second.session, ({ busy, timeline }) => !busy && timeline.length === 3);
  expect(second.shown()).toEqual(["user: Hi", "t: success worked", "agent: went on"]);
  expect(work).toHaveBeenCalledOnce();
});

test.each(["unavailable", "quota", "newer", "corrupt", "conflict", "failed"])(
  "an error of a store with the code of its kind (%s) reaches the application with that code",
  async (kind) => {
    const code = `STORE_${kind.toUpperCase()}`;
    const store = new MemoryStore("x");
    store.appendStep = async () => {
      throw new GloveError(code, "This happened; do that.");
    };
    const { session } = scene(["never"], { createStore: () => store });
    await expect(session.sendMessage("1")).rejects.toMatchObject({ code, message: "This happened; do that." });
    expect(session.getSnapshot().error).toMatchObject({ code });
  },
);

test("a store may take and give its steps as text, strict ones are marked, and both methods have to be there", async () => {
  const texts: [string, string][] = [];
  const store: StoreAdapter = {
    ...plainStore(),
    appendStepText: async (step, durability) => void texts.push([step, durability]),
    readRunText: async () => '{"messages":[],"records":[]}',
  };
  const tools = [{ name: "t", description: "", jsonSchema: { type: "object" }, do: () => "done" }];
  const { session } = scene([{ toolCalls: [{ name: "t" }] }, "end"], { tools, createStore: () => store });
  await session.sendMessage("1");
  expect(texts.map(([, durability]) => durability)).toContain("strict");
  expect(JSON.parse(texts[0]?.[0] ?? "")).toMatchObject({ firstMessage: 0, seq: 1 });
  const { readRunText, ...half } = store;
  const other = scene(["end"], { createStore: () => half });
  const before = texts.length;
  await other.session.sendMessage("1");
  expect(texts).toHaveLength(before);
});

test("a store says where it keeps things, and what is wrong with that", async () => {
  const store: StoreAdapter = { ...plainStore(), storage: "indexeddb", warning: { code: "W", message: "so" } };
  const { session, events } = scene(["one"], { createStore: () => store });
  await session.start();
  expect(session.getSnapshot().storage).toBe("indexeddb");
  expect(events).toContainEqual(["warning", { code: "W", message: "so" }]);
});

test("a stored call without a result is shown as stopped, and a summary as one", async () => {
  const store = plainStore([
    { sender: "user", text: "first" },
    { sender: "user", text: "[Conversation summary from compaction]", is_compaction: true },
    { sender: "agent", text: "", tool_calls: [{ tool_name: "t", input_args: {}, id: "x" }] },
    { sender: "user", text: "second" },
    { sender: "agent", text: "answer" },
  ]);
  const { session, shown } = scene([], { createStore: () => store });
  await session.start();
  await until(session, ({ timeline }) => timeline.length > 0);
  expect(shown()).toEqual(["user: first", "summary", "t: aborted", "user: second", "agent: answer"]);
});

test("a store that cannot be read is an error, and the next use tries again", async () => {
  const store = new MemoryStore("x");
  await store.appendMessages([{ sender: "user", text: "old" }]);
  const { session, shown } = scene(["one", "new"], { createStore: () => store });
  vi.spyOn(store, "readRun").mockRejectedValueOnce(new Error("offline"));
  await expect(session.sendMessage("1")).rejects.toMatchObject({ code: "STORE_FAILED", message: "offline" });
  expect(session.getSnapshot()).toMatchObject({ status: "error", busy: false, sessionReady: false, timeline: [] });
  expect(session.getSnapshot().queue).toMatchObject([{ text: "1" }]);
  expect(await session.sendMessage("2")).toMatchObject({ text: "new" });
  expect(shown()).toEqual(["user: old", "user: 1", "agent: one", "user: 2", "agent: new"]);
  expect(session.getSnapshot()).toMatchObject({ status: "ready", sessionReady: true });
});
