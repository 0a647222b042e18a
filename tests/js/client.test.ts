// Clients: what they refuse, one engine for each session, and which session a page begins with.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { DEFAULT_SESSION_STORAGE_KEY, GloveClient, type GloveClientConfig, generateSessionId, MemoryStore } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { scene, texts, until } from "../support/session.js";

const soon = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

function storage(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage;
}

test("a client without a model says what it needs, in the original's words", () => {
  expect(() => new GloveClient({})).toThrow("GloveClient requires either 'endpoint' or 'createModel'");
});

test("making a client makes nothing else, and a session asks for its parts once", () => {
  const createModel = vi.fn(() => createScriptedModel([]));
  const createStore = vi.fn((id: string) => new MemoryStore(id));
  const client = new GloveClient({ createModel, createStore });
  expect([createModel.mock.calls.length, createStore.mock.calls.length]).toEqual([0, 0]);
  expect(client.session("a")).toBe(client.session("a"));
  expect(client.session("b")).not.toBe(client.session("a"));
  expect([createModel.mock.calls.length, createStore.mock.calls]).toEqual([2, [["a"], ["b"]]]);
});

test("a screen that is mounted twice in a row has one engine, and the last one to leave lets it go", async () => {
  const { client, session } = scene([]);
  const first = client.retain(session);
  first();
  const second = client.retain(session);
  await soon(5);
  expect(session.disposed).toBe(false);
  first();
  await soon(5);
  expect(session.disposed).toBe(false);
  second();
  await soon(5);
  expect(session.disposed).toBe(true);
  expect(client.session("s1")).not.toBe(session);
});

test("a run goes on when nothing shows its session any more, and its session goes afterwards", async () => {
  let answer = () => {};
  const { client, session } = scene([{ text: "late", until: new Promise<void>((resolve) => (answer = resolve)) }]);
  const leave = client.retain(session);
  const sending = session.sendMessage("Hi");
  await until(session, ({ run }) => run.phase === "model");
  leave();
  await soon(5);
  expect(session.disposed).toBe(false);
  answer();
  expect(await sending).toMatchObject({ text: "late" });
  await soon(10);
  expect(session.disposed).toBe(true);
  expect((await client.resolveStore("s1").getMessages()).map(({ text }) => text)).toEqual(["Hi", "late"]);
});

test("a run is stopped when that is wanted", async () => {
  const { client, session } = scene([{ text: "late", after: 5000 }], { whenUnused: "stop" });
  const leave = client.retain(session);
  const sending = session.sendMessage("Hi");
  await until(session, ({ run }) => run.phase === "model");
  leave();
  expect(await sending).toEqual({ type: "aborted" });
});

test("a session that was let go comes back with what was said, without a store of the application", async () => {
  const { client, session } = scene(["one"]);
  client.retain(session)();
  await session.sendMessage("1");
  await until(session, ({ busy }) => !busy);
  await soon(10);
  const again = client.session("s1");
  expect(again).not.toBe(session);
  await again.start();
  await until(again, ({ timeline }) => timeline.length === 2);
  expect(texts(again.getSnapshot())).toEqual(["user: 1", "agent: one"]);
});

test("the sessions of a client do not mix", async () => {
  const { client } = scene([]);
  const a = client.session("a", { model: createScriptedModel([{ deltas: ["secret", " of a"], every: 10 }]) });
  const b = client.session("b", { model: createScriptedModel(["of b"]) });
  await Promise.all([a.sendMessage("to a"), b.sendMessage("to b")]);
  expect(texts(a.getSnapshot())).toEqual(["user: to a", "agent: secret of a"]);
  expect(texts(b.getSnapshot())).toEqual(["user: to b", "agent: of b"]);
});

const first = (config: Partial<GloveClientConfig>, given?: string) =>
  new GloveClient({ createModel: () => createScriptedModel([]), ...config }).firstSessionId(given);

test("the first session is the application's, the given one, the remembered one, or a new one", async () => {
  const kept = storage();
  kept.setItem(DEFAULT_SESSION_STORAGE_KEY, "kept");
  const persistSession = { storage: kept };
  expect(await first({ getSessionId: async () => "own", persistSession }, "given")).toBe("own");
  expect(first({ persistSession })).toBe("kept");
  expect(first({ persistSession }, "given")).toBe("given");
  expect(kept.getItem(DEFAULT_SESSION_STORAGE_KEY)).toBe("given");
  expect(first({})).toMatch(/^glove_[0-9a-f-]{36}$/);
  const other = storage();
  const id = first({ persistSession: { key: "mine", storage: other } });
  expect(other.getItem("mine")).toBe(id);
});

test("clients of different databases remember sessions of their own; the default one keeps its key", () => {
  const kept = storage();
  const persistSession = { storage: kept };
  const [a, b] = [first({ persistSession }), first({ persistSession, database: { name: "b" } })];
  expect(a).not.toBe(b);
  expect([kept.getItem("glove:session"), kept.getItem("glove:session:b")]).toEqual([a, b]);
  for (const database of [{}, { name: undefined }, { name: "glove" }]) expect(first({ persistSession, database })).toBe(a);
  expect(first({ persistSession, database: { name: "b" } })).toBe(b);
  // A key of the application is used as it is.
  expect(first({ persistSession: { key: "glove:session", storage: kept }, database: { name: "b" } })).toBe(a);
});

test("a storage that is not allowed is as good as none", () => {
  const storage = {
    getItem: () => {
      throw new Error("denied");
    },
  } as unknown as Storage;
  expect(first({ persistSession: { storage } })).toMatch(/^glove_/);
});

test("new conversations have the application's ids, or fresh ones", async () => {
  const { client } = scene([], { createSessionId: async () => "from the server" });
  expect(await client.mintSessionId()).toBe("from the server");
  expect(new Set(Array.from({ length: 100 }, generateSessionId)).size).toBe(100);
});

test("two hundred sessions in a row work and are let go", async () => {
  const client = new GloveClient({ createModel: () => createScriptedModel(["ok"]) });
  const open = vi.fn();
  for (let at = 0; at < 200; at++) {
    const session = client.session(`s${at}`);
    await session.sendMessage("Hi");
    session.dispose();
    if (session.disposed) open();
  }
  expect(open).toHaveBeenCalledTimes(200);
  client.dispose();
});

test("a session that was disposed of is not held by its client", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const client = new GloveClient({ createModel: () => createScriptedModel([]), createStore: (id) => new MemoryStore(id) });
  const left = (() => {
    const session = client.session("s1");
    session.dispose();
    return new WeakRef(session);
  })();
  await new Promise((later) => setTimeout(later, 0));
  collect();
  expect(left.deref()).toBeUndefined();
});
