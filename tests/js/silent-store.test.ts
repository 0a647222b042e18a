// A store that never answers: nothing waits for it for good, and what it stores late is not stored twice.
import { MemoryStore, type StoreAdapter } from "glove-wasm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { scene, texts } from "../support/session.js";
import { sharedSession } from "../support/shared-store.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** Passes some time, and lets all happen that follows. */
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A store whose next call of a method waits until it is let go. */
function held(store: StoreAdapter, method: "appendStep" | "appendMessages" | "readRun" | "getTasks" | "getInboxItems") {
  const call = (store[method] as (...args: unknown[]) => Promise<unknown>).bind(store);
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const wait = vi.fn(async (...args: unknown[]) => {
    Object.assign(store, { [method]: call });
    await gate;
    return call(...args);
  });
  Object.assign(store, { [method]: wait });
  return { go, wait };
}

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => "fine",
    ({ code }: { code: string }) => code,
  );

/** Messages alone. */
function plain(): StoreAdapter {
  const store: StoreAdapter = new MemoryStore("s1");
  return Object.assign(store, { appendStep: undefined, readRun: undefined });
}

test.each([
  ["steps", () => new MemoryStore("s1"), "appendStep" as const],
  ["messages", plain, "appendMessages" as const],
])("a write of %s that is not answered is given up, and not done again when it was stored late", async (_, make, method) => {
  const store = make();
  const { go } = held(store, method);
  const { session, model } = scene(["one", "two"], { createStore: () => store });
  await session.start();
  const sending = outcome(session.sendMessage("Hi"));
  await pass(59_000);
  expect(session.getSnapshot().busy).toBe(true);
  await pass(2_000);
  expect(await sending).toBe("STORE_UNAVAILABLE");
  expect(session.getSnapshot()).toMatchObject({ busy: false, run: { phase: "paused" } });
  // It may be stored still: nothing else is begun.
  expect(await outcome(session.resume())).toBe("STORE_UNAVAILABLE");
  go();
  await pass(10);
  expect(await session.resume()).toMatchObject({ text: "one" });
  await session.sendMessage("More");
  expect((await store.getMessages()).map(({ text }) => text)).toEqual(["Hi", "one", "More", "two"]);
  expect(model.calls).toHaveLength(2);
});

test("stopping does not wait for a store that does not answer", async () => {
  const store = new MemoryStore("s1");
  held(store, "appendStep");
  const { session } = scene(["one"], { createStore: () => store });
  await session.start();
  const sending = outcome(session.sendMessage("Hi"));
  await pass(100);
  session.stop();
  await pass(2_500);
  expect(await sending).toBe("STORE_UNAVAILABLE");
  expect(session.getSnapshot().busy).toBe(false);
});

test("a session whose store cannot be read says so, and one whose tasks cannot be is there without them", async () => {
  const [silent, slow] = [new MemoryStore("s1"), new MemoryStore("s1")];
  held(silent, "readRun");
  const first = scene([], { createStore: () => silent });
  const starting = outcome(first.session.start());
  await pass(61_000);
  expect(await starting).toBe("STORE_UNAVAILABLE");
  held(slow, "getTasks");
  const second = scene(["one"], { createStore: () => slow });
  const sending = second.session.sendMessage("Hi");
  await pass(2_000);
  await sending;
  expect(texts(second.session.getSnapshot())).toEqual(["user: Hi", "agent: one"]);
});

test("a lease that is not answered is asked for again", async () => {
  const store = sharedSession("s1")();
  const lease = store.lease?.bind(store) ?? (async () => false);
  // Who stands for a session keeps the method.
  store.lease = vi.fn(lease).mockReturnValueOnce(new Promise(() => {}));
  const { session } = scene(["one"], { createStore: () => store });
  const sending = outcome(session.sendMessage("Hi"));
  // What asks for it is loaded in a time of its own.
  await vi.waitFor(() => expect(store.lease).toHaveBeenCalled());
  await pass(3_000);
  expect(await sending).toBe("SESSION_OPEN_ELSEWHERE");
  await pass(60_000);
  await vi.waitFor(() => expect(session.getSnapshot()).toMatchObject({ tab: "leader", error: undefined, busy: false }));
  expect(texts(session.getSnapshot())).toEqual(["user: Hi", "agent: one"]);
});
