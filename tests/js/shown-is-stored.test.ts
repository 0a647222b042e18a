// What is shown as done is stored; what a person has written is kept, whatever the store does.
import { createEndpointModel, defineTool, GloveError, type GloveSession, MemoryStore, type StoreAdapter } from "glove-wasm";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { scene, texts, until } from "../support/session.js";

const quota = () => new GloveError("STORE_QUOTA", "The disk is full.");

/** A store whose writes take some turns of the event loop, or fail. */
class Slow extends MemoryStore {
  turns = 4;
  fails: (() => boolean) | undefined;
  override async appendStep(...args: Parameters<MemoryStore["appendStep"]>): Promise<void> {
    for (let turn = 0; turn < this.turns; turn++) await new Promise((later) => setImmediate(later));
    if (this.fails?.()) throw quota();
    return super.appendStep(...args);
  }
}

/** What was shown as done without being stored, snapshot by snapshot. */
function ahead(session: GloveSession, store: MemoryStore): Promise<string[]> {
  const found: Promise<string | undefined>[] = [];
  session.subscribe(() => {
    const { run, timeline } = session.getSnapshot();
    const last = timeline.at(-1);
    if (run.phase !== "idle" || last?.kind !== "agent_text") return;
    // Read at once: what is written later does not count.
    const stored = store.getMessages();
    found.push(stored.then((messages) => (messages.some(({ text }) => text === last.text) ? undefined : last.text)));
  });
  return new Promise((resolve) => {
    setTimeout(async () => resolve((await Promise.all(found)).filter((text) => text !== undefined)), 300);
  });
}

/** An endpoint whose answers come whole, in one piece each. */
function endpoint(...answers: readonly object[]) {
  const left = [...answers];
  const fetch = async () => {
    const message = { sender: "agent", text: "", ...left.shift() };
    const events = [
      { type: "text_delta", text: message.text },
      { type: "done", message, tokens_in: 1, tokens_out: 1 },
    ];
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { createModel: () => createEndpointModel("/api/chat", { fetch }) };
}

const form = defineTool({
  name: "form",
  description: "",
  inputSchema: z.object({}),
  resolveSchema: z.string(),
  onInterrupted: "rerun",
  do: (_, display) => display.pushAndWait("Your name?"),
});

test("an answer of a model that answers at once is shown as done when it is stored", async () => {
  const store = new Slow("s1");
  const model = endpoint({ text: "one" }, { text: "two" }, { text: "three" });
  const { session } = scene([], { createStore: () => store, ...model });
  const shown = ahead(session, store);
  for (const text of ["a", "b", "c"]) await session.sendMessage(text);
  expect(await shown).toEqual([]);
  expect(texts(session.getSnapshot()).slice(-2)).toEqual(["user: c", "agent: three"]);
});

test("a form that is answered in a resumed run leads to an answer that is shown as done when it is stored", async () => {
  const store = new Slow("s1");
  const first = scene([{ toolCalls: [{ name: "form" }] }], { createStore: () => store, tools: [form] });
  void first.session.sendMessage("Hi").catch(() => {});
  await until(first.session, ({ slots }) => slots.length === 1);
  await vi.waitFor(async () => expect(JSON.stringify(await store.readRun())).toContain("Your name?"));
  first.client.dispose();
  const { session } = scene([], { createStore: () => store, tools: [form], ...endpoint({ text: "Good day." }) });
  const shown = ahead(session, store);
  await session.start();
  const { slots } = await until(session, ({ slots }) => slots[0]?.status === "pending");
  session.resolveSlot(slots[0]?.id ?? "", "Don");
  await until(session, ({ run, timeline }) => run.phase === "idle" && timeline.at(-1)?.kind === "agent_text");
  expect(await shown).toEqual([]);
});

test("a run whose last write fails is paused and no more than that, until it is stored", async () => {
  const store = new Slow("s1");
  const { session, model } = scene(["The answer."], { createStore: () => store });
  let writes = 0;
  store.fails = () => ++writes === 2;
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "STORE_QUOTA" });
  expect(session.getSnapshot()).toMatchObject({ run: { phase: "paused" }, status: "error", error: { code: "STORE_QUOTA" } });
  session.clearError();
  expect(session.getSnapshot()).toMatchObject({ run: { phase: "paused" }, busy: false, error: undefined });
  expect(await session.resume()).toMatchObject({ type: "completed", text: "The answer." });
  expect(session.getSnapshot()).toMatchObject({ run: { phase: "idle" }, status: "ready" });
  expect((await store.getMessages()).map(({ text }) => text)).toEqual(["Hi", "The answer."]);
  expect(model.calls).toHaveLength(1);
});

test("a message whose inbox cannot be read is answered, and what came in is told with the next one", async () => {
  const store = new MemoryStore("s1");
  await store.addInboxItem({ id: "i1", tag: "t", request: "r", response: "the news", status: "resolved", blocking: false });
  let broken = true;
  const read = store.getInboxItems.bind(store);
  store.getInboxItems = async () => {
    if (broken) throw new GloveError("STORE_UNAVAILABLE", "The database did not respond.");
    return read();
  };
  const { session, events } = scene(["one", "two"], { createStore: () => store });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed", text: "one" });
  expect(events).toContainEqual(["error", expect.objectContaining({ code: "STORE_UNAVAILABLE" })]);
  broken = false;
  await session.sendMessage("And?");
  const written = (await store.getMessages()).map(({ text }) => text);
  expect(written.filter((text) => text.includes("the news"))).toHaveLength(1);
  expect(written.filter((text) => text === "Hi")).toHaveLength(1);
});

test("a message to a session that cannot be opened is kept in the queue, and sent when it can", async () => {
  const store: StoreAdapter = new MemoryStore("s1");
  let broken = true;
  const read = store.readRun?.bind(store);
  store.readRun = async () => {
    if (broken || !read) throw new GloveError("STORE_UNAVAILABLE", "The database did not respond.");
    return read();
  };
  const { session } = scene(["one", "two", "three"], { createStore: () => store });
  await expect(session.sendMessage("first")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  await expect(session.sendMessage("second")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  const { queue, busy, status } = session.getSnapshot();
  expect({ queue: queue.map(({ text }) => text), busy, status }).toEqual({
    queue: ["first", "second"],
    busy: false,
    status: "error",
  });
  await expect(session.sendMessage("not this")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect(session.cancelQueued(session.getSnapshot().queue.at(-1)?.id ?? "")).toBe(true);
  expect(session.getSnapshot().queue).toHaveLength(2);
  broken = false;
  await session.sendMessage("third");
  expect(texts(session.getSnapshot())).toEqual([
    ...["user: first", "agent: one", "user: second", "agent: two"],
    ...["user: third", "agent: three"],
  ]);
  expect(session.getSnapshot()).toMatchObject({ queue: [], busy: false, error: undefined });
});

test("a message that a slow store has not taken yet is in the queue", async () => {
  const store = new MemoryStore("s1");
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const read = store.getInboxItems.bind(store);
  const { session } = scene(["one"], { createStore: () => store });
  await session.start();
  store.getInboxItems = () => asked.then(read);
  const sent = session.sendMessage("Hi");
  await until(session, ({ queue }) => queue.length === 1);
  answer();
  await sent;
  expect(session.getSnapshot().queue).toEqual([]);
});
