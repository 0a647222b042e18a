// The first answer of a new session is asked for and shown before the core is there, and the core takes it over: nothing twice, nothing lost.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SentRequest } from "../../js/src/ports/store.js";
import type { GloveSession } from "../../js/src/session/session.js";
import type { GloveSnapshot } from "../../js/src/snapshot/snapshot.js";

const opening = "../../js/src/core/session-chunk.js";
const copies = "../../js/src/store/local/local-copy.js";
let missing = false;
let come = () => {};
let held: Promise<void>;
/** Where a message outlives the browser at last. */
let stored: Promise<unknown>;
let isKeptAtOnce = true;

beforeEach(() => {
  vi.resetModules();
  missing = false;
  isKeptAtOnce = true;
  stored = Promise.resolve();
  held = new Promise((resolve) => {
    come = resolve;
  });
  vi.doMock(opening, async (original) => {
    await held;
    if (missing) throw new Error("no network");
    return original();
  });
  vi.doMock(copies, () => ({
    keepLocalCopy: () => ({ atOnce: isKeptAtOnce, stored, hurry() {}, forget() {} }),
    dropLocalCopy() {},
    listLocalCopies: async () => ({ messages: [], fleeting: new Set() }),
  }));
});
afterEach(() => {
  for (const session of sessions.splice(0)) session.dispose();
  vi.doUnmock(opening);
  vi.doUnmock(copies);
});

const sessions: GloveSession[] = [];
const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
const usage = { tokens_in: 1, tokens_out: 1 };
const bytes = (event: object) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);

/** One answer of the endpoint, which says what it is told to. */
function answer() {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      stream = controller;
    },
  });
  let all = "";
  return {
    response: (signal?: AbortSignal | null) => {
      signal?.addEventListener("abort", () => stream?.error(signal.reason));
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
    say(text: string) {
      all += text;
      stream?.enqueue(bytes({ type: "text_delta", text }));
    },
    end(calls: readonly { readonly id: string; readonly name: string; readonly input: object }[] = []) {
      for (const call of calls) stream?.enqueue(bytes({ type: "tool_use", ...call }));
      const tool_calls = calls.map(({ id, name, input }) => ({ id, tool_name: name, input_args: input }));
      const message = { sender: "agent", text: all, ...(calls.length && { tool_calls }) };
      stream?.enqueue(bytes({ type: "done", message, ...usage }));
      stream?.close();
    },
  };
}

type Answer = ReturnType<typeof answer>;
type Reply = Answer | Response | Error;

async function setup(replies: readonly Reply[], config: object = {}, fresh = true) {
  const { GloveSession } = await import("../../js/src/session/session.js");
  const { core } = await import("../../js/src/entries/inline-core.js");
  const { MemoryStore } = await import("../../js/src/store/memory.js");
  const { createEndpointModel } = await import("../../js/src/models/endpoint.js");
  class Store extends MemoryStore {
    readonly sent = new Map<string, SentRequest>();
    async keepSent(message: SentRequest) {
      await stored;
      this.sent.set(message.id, message);
    }
    async dropSent(id: string) {
      this.sent.delete(id);
    }
    async listSent() {
      return [...this.sent.values()];
    }
  }
  const asked: { body: string; signal: AbortSignal }[] = [];
  const left = [...replies];
  const fetch = async (_: string, { body, signal }: RequestInit) => {
    asked.push({ body: String(body), signal: signal as AbortSignal });
    const next = left.shift();
    if (next === undefined) throw new Error("nothing more is answered");
    if (next instanceof Error) throw next;
    return next instanceof Response ? next : next.response(signal);
  };
  const headers = vi.fn(() => ({ authorization: "secret" }));
  const store = new Store("s");
  const told: [string, unknown][] = [];
  const subscribers = [{ record: (type: string, data: unknown) => void told.push([type, data]) }];
  const model = createEndpointModel("/chat", { fetch, headers, policy: { maxRetries: 2 } });
  const parts = { sessionId: "s", systemPrompt: "You help.", tasks: false, model, store, subscribers, ...config };
  const session = new GloveSession(parts as never, core);
  session.fresh = fresh;
  sessions.push(session);
  const seen: GloveSnapshot[] = [session.getSnapshot()];
  session.subscribe(() => seen.push(session.getSnapshot()));
  return { session, asked, headers, store, seen, told };
}

/** What a person sees, in one text. */
const screen = ({ timeline, streamingText, queue }: GloveSnapshot) =>
  [
    ...timeline.map((entry) => ("text" in entry ? entry.text : `${entry.kind} ${entry.kind === "tool" ? entry.status : ""}`)),
    ...(streamingText ? [streamingText] : []),
    ...queue.map(({ text }) => `(${text})`),
  ].join(" | ");
const waitFor = (session: GloveSession, text: string) =>
  vi.waitFor(() => expect(screen(session.getSnapshot())).toBe(text), { timeout: 5_000 });
const screens = (seen: readonly GloveSnapshot[]) => seen.map(screen).filter((text, at, all) => text !== all[at - 1]);

test("the answer streams before the core is there, and goes on in it: each screen shows as much as the one before", async () => {
  const one = answer();
  const { session, asked, headers, seen, store } = await setup([one]);
  const sent = session.sendMessage("Hi");
  await waitFor(session, "Hi");
  one.say("Hel");
  await waitFor(session, "Hi | Hel");
  expect(session.getSnapshot()).toMatchObject({ status: "streaming", busy: true, sessionReady: false });
  const [user] = session.getSnapshot().timeline;
  come();
  one.say("lo");
  await waitFor(session, "Hi | Hello");
  one.say(" there.");
  one.end();
  expect(await sent).toMatchObject({ type: "completed" });
  await waitFor(session, "Hi | Hello there.");
  expect(session.getSnapshot()).toMatchObject({ status: "ready", busy: false, streamingText: "", queue: [] });
  expect(session.getSnapshot().timeline.map(({ kind }) => kind)).toEqual(["user", "agent_text"]);
  // The same entry: what draws it is not made anew.
  expect(session.getSnapshot().timeline[0]?.id).toBe(user?.id);
  expect([asked.length, headers.mock.calls.length, store.sent.size]).toEqual([1, 1, 0]);
  const shown = screens(seen);
  expect(shown[0]).toBe("");
  for (const [at, text] of shown.entries()) expect(text.startsWith(shown[at - 1] ?? "")).toBe(true);
});

test("an answer that is over before the core comes is shown whole, and is in the record once", async () => {
  const one = answer();
  const { session, asked } = await setup([one]);
  const sent = session.sendMessage("Hi");
  await soon();
  one.say("Hello.");
  one.end();
  await waitFor(session, "Hi | Hello.");
  await soon();
  expect(session.getSnapshot().busy).toBe(true);
  come();
  expect(await sent).toMatchObject({ type: "completed" });
  expect((await session.messages()).map(({ text }) => text)).toEqual(["Hi", "Hello."]);
  expect(asked).toHaveLength(1);
});

test("nothing is shown before the message outlives the browser, and nothing is asked before it outlives the page", async () => {
  let store = () => {};
  stored = new Promise<void>((resolve) => {
    store = resolve;
  });
  const one = answer();
  const { session, asked } = await setup([one]);
  const sent = session.sendMessage("Hi");
  await soon();
  one.say("Hello.");
  await soon();
  expect([asked.length, screen(session.getSnapshot())]).toEqual([1, ""]);
  store();
  await waitFor(session, "Hi | Hello.");
  one.end();
  come();
  await sent;
});

test("where no copy is kept at once, it is asked when the copy is stored", async () => {
  let store = () => {};
  isKeptAtOnce = false;
  stored = new Promise<void>((resolve) => {
    store = resolve;
  });
  const one = answer();
  const { session, asked } = await setup([one]);
  const sent = session.sendMessage("Hi");
  await soon();
  expect(asked).toHaveLength(0);
  store();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  one.say("Hello.");
  one.end();
  come();
  expect(await sent).toMatchObject({ type: "completed" });
  expect(asked).toHaveLength(1);
});

test("nothing leaves for a session that may be stored", async () => {
  const one = answer();
  const { session, asked } = await setup([one], {}, false);
  const sent = session.sendMessage("Hi");
  await soon();
  expect(asked).toHaveLength(0);
  come();
  one.say("Hello.");
  one.end();
  await sent;
  expect(asked).toHaveLength(1);
});

test("Stop keeps what was seen: the record has the message and the part of the answer, and nothing is asked again", async () => {
  const one = answer();
  const { session, asked, store } = await setup([one]);
  const sent = session.sendMessage("Hi");
  await soon();
  one.say("Hello, I");
  await waitFor(session, "Hi | Hello, I");
  session.abort();
  expect(session.getSnapshot()).toMatchObject({ busy: false, status: "ready" });
  expect(asked[0]?.signal.aborted).toBe(true);
  await waitFor(session, "Hi | Hello, I");
  session.abort();
  come();
  expect(await sent).toEqual({ type: "aborted" });
  await waitFor(session, "Hi | Hello, I");
  expect(session.getSnapshot().timeline.at(-1)).toMatchObject({ kind: "agent_text", partial: true, stopped: true });
  expect((await session.messages()).map(({ text }) => text)).toEqual(["Hi", "Hello, I"]);
  expect([asked.length, store.sent.size]).toEqual([1, 0]);
});

test("Stop, and the page goes before the core has come: the next one records what was seen, and asks nothing", async () => {
  const one = answer();
  const { session, asked, store } = await setup([one, answer()]);
  session.sendMessage("Hi").catch(() => {});
  await soon();
  one.say("Hello, I");
  await waitFor(session, "Hi | Hello, I");
  session.abort();
  await vi.waitFor(() =>
    expect([...store.sent.values()].map(({ request }) => request)).toEqual([expect.stringContaining("stoppedAnswer")]),
  );
  session.dispose();
  come();
  const { GloveSession } = await import("../../js/src/session/session.js");
  const { core } = await import("../../js/src/entries/inline-core.js");
  const next = new GloveSession({ sessionId: "s", systemPrompt: "You help.", model: session.config.model, store } as never, core);
  sessions.push(next);
  await next.start();
  await waitFor(next, "Hi | Hello, I");
  expect(next.getSnapshot().timeline.at(-1)).toMatchObject({ kind: "agent_text", partial: true, stopped: true });
  await vi.waitFor(() => expect(store.sent.size).toBe(0));
  expect(asked).toHaveLength(1);
});

test("Stop before anything has come, and a message behind it that is answered", async () => {
  const [one, two] = [answer(), answer()];
  const { session, asked } = await setup([one, two]);
  const sent = session.sendMessage("Hi");
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  session.abort();
  const second = session.sendMessage("Again");
  come();
  expect(await sent).toEqual({ type: "aborted" });
  two.say("Hello.");
  two.end();
  expect(await second).toMatchObject({ type: "completed" });
  await waitFor(session, "Hi | Again | Hello.");
  expect(asked).toHaveLength(2);
});

test("Stop of an answer that has come whole: its tool does not run", async () => {
  const one = answer();
  const run = vi.fn(() => "42");
  const tool = { name: "look", description: "It looks.", jsonSchema: { type: "object" }, do: run };
  const { session, asked } = await setup([one], { tools: [tool], tasks: undefined });
  const sent = session.sendMessage("Hi");
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  one.say("Let me look.");
  one.end([{ id: "c1", name: "look", input: {} }]);
  await waitFor(session, "Hi | Let me look.");
  session.abort();
  come();
  expect(await sent).toEqual({ type: "aborted" });
  await waitFor(session, "Hi | Let me look.");
  await soon();
  expect([run.mock.calls.length, asked.length]).toEqual([0, 1]);
});

test.each([429, 500])("Stop of an answer with the status %s: it is not asked again", async (status) => {
  const refused = new Response('{"error":{"message":"busy"}}', { status, headers: { "retry-after": "0" } });
  const { session, asked, store } = await setup([refused, answer()]);
  const sent = session.sendMessage("Hi");
  await soon();
  session.abort();
  come();
  expect(await sent).toEqual({ type: "aborted" });
  await waitFor(session, "Hi");
  expect([asked.length, store.sent.size, session.getSnapshot().busy]).toEqual([1, 0, false]);
});

test("Stop, and then another prompt or model: nothing is asked, and what was seen is recorded", async () => {
  const { createScriptedModel } = await import("../../js/testing/index.js");
  for (const change of [{ systemPrompt: "You are another." }, { model: createScriptedModel(["no"]) }]) {
    const one = answer();
    const { session, asked } = await setup([one, answer()]);
    const sent = session.sendMessage("Hi");
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    one.say("Hello");
    await waitFor(session, "Hi | Hello");
    session.abort();
    session.configure(change);
    come();
    expect(await sent).toEqual({ type: "aborted" });
    await vi.waitFor(() => expect(session.getSnapshot()).toMatchObject({ busy: false, streamingText: "" }));
    expect((await session.messages()).map(({ text }) => text)).toEqual(["Hi", "Hello"]);
    expect(asked).toHaveLength(1);
  }
});

test.each(["drop", "steer", "interrupt", "queue"] as const)(
  "a message that is sent after Stop is answered (%s), and the record has what was seen",
  async (whenBusy) => {
    const [one, two] = [answer(), answer()];
    const { session, asked } = await setup([one, two], { whenBusy });
    const sent = session.sendMessage("Hi");
    await soon();
    one.say("Hello, I");
    await waitFor(session, "Hi | Hello, I");
    session.abort();
    const second = session.sendMessage("Again");
    expect(session.getSnapshot().busy).toBe(true);
    two.say("Yes?");
    two.end();
    come();
    expect(await sent).toEqual({ type: "aborted" });
    expect(await second).toMatchObject({ type: "completed" });
    await waitFor(session, "Hi | Hello, I | Again | Yes?");
    expect(asked).toHaveLength(2);
  },
);

test("a second message waits behind the first, and is asked by the core", async () => {
  const [one, two] = [answer(), answer()];
  const { session, asked } = await setup([one, two]);
  const sent = [session.sendMessage("Hi"), session.sendMessage("More")];
  await soon();
  one.say("Hello.");
  await waitFor(session, "Hi | Hello. | (More)");
  one.end();
  await soon();
  expect(asked).toHaveLength(1);
  come();
  two.say("Yes.");
  two.end();
  expect(await Promise.all(sent)).toMatchObject([{ type: "completed" }, { type: "completed" }]);
  await waitFor(session, "Hi | Hello. | More | Yes.");
  expect(asked).toHaveLength(2);
});

test("an answer that says to wait is the core's, which asks again", async () => {
  const two = answer();
  two.say("Hello.");
  two.end();
  const busy = () => new Response('{"error":{"message":"busy"}}', { status: 429, headers: { "retry-after": "0" } });
  const { session, asked, headers } = await setup([busy(), two]);
  const sent = session.sendMessage("Hi");
  await soon();
  expect([asked.length, screen(session.getSnapshot())]).toEqual([1, "Hi"]);
  come();
  expect(await sent).toMatchObject({ type: "completed" });
  expect([asked.length, headers.mock.calls.length]).toEqual([2, 2]);
});

test("an answer that refuses is told by the core, without the key", async () => {
  const { session, asked } = await setup([new Response("not with secret", { status: 401 })]);
  const sent = session.sendMessage("Hi");
  await soon();
  come();
  await expect(sent).rejects.toMatchObject({ code: expect.stringMatching(/^MODEL_/) });
  expect(session.getSnapshot().error?.message).not.toContain("secret");
  expect([asked.length, screen(session.getSnapshot())]).toEqual([1, "Hi"]);
});

test("a network that is gone is told by the core after its retries", async () => {
  const { session, asked } = await setup([new Error("no network"), new Error("no network"), new Error("no network")]);
  const sent = session.sendMessage("Hi");
  await soon();
  come();
  await expect(sent).rejects.toMatchObject({ code: "MODEL_NETWORK" });
  expect(asked).toHaveLength(3);
});

test("a session that is closed breaks it off, and keeps the message for whoever opens it", async () => {
  const one = answer();
  const { session, asked } = await setup([one]);
  const sent = session.sendMessage("Hi");
  await soon();
  one.say("Hello");
  await waitFor(session, "Hi | Hello");
  session.dispose();
  await expect(sent).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  expect(asked[0]?.signal.aborted).toBe(true);
});

test("a tool of the answer runs once, when the core has decided", async () => {
  const [one, two] = [answer(), answer()];
  const run = vi.fn(() => "42");
  const tool = { name: "look", description: "It looks.", jsonSchema: { type: "object" }, do: run };
  const { session, asked } = await setup([one, two], { tools: [tool], tasks: undefined });
  const sent = session.sendMessage("Hi");
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  one.say("Let me look.");
  one.end([{ id: "c1", name: "look", input: {} }]);
  await waitFor(session, "Hi | Let me look.");
  await soon();
  expect(run).not.toHaveBeenCalled();
  two.say("It is 42.");
  two.end();
  come();
  expect(await sent).toMatchObject({ type: "completed" });
  await waitFor(session, "Hi | Let me look. | tool success | It is 42.");
  expect([run.mock.calls.length, asked.length]).toEqual([1, 2]);
  expect(JSON.parse(asked[0]?.body ?? "").tools.map(({ name }: { name: string }) => name)).toEqual([
    "glove_update_tasks",
    "look",
  ]);
});

test("what the core asks otherwise it asks itself: the early answer is broken off and goes from the screen", async () => {
  const [one, two] = [answer(), answer()];
  const { session, asked } = await setup([one, two]);
  const sent = session.sendMessage("Hi");
  await soon();
  one.say("Hello");
  await waitFor(session, "Hi | Hello");
  session.configure({ systemPrompt: "You are another." });
  come();
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[0]?.signal.aborted).toBe(true);
  await waitFor(session, "Hi");
  two.say("Good day.");
  two.end();
  expect(await sent).toMatchObject({ type: "completed" });
  await waitFor(session, "Hi | Good day.");
  expect(asked[1]?.body).toContain("You are another.");
});

test("a message that is edited before the core is there is another branch, as later on", async () => {
  const [one, two] = [answer(), answer()];
  const { session, asked } = await setup([one, two]);
  const sent = session.sendMessage("Hi");
  await soon();
  one.say("Hello");
  await waitFor(session, "Hi | Hello");
  const edited = session.edit(session.getSnapshot().timeline[0]?.id ?? "", "Good day");
  two.say("To you too.");
  two.end();
  come();
  expect(await sent).toEqual({ type: "aborted" });
  expect(await edited).toMatchObject({ type: "completed" });
  expect(asked).toHaveLength(2);
  expect(asked[0]?.signal.aborted).toBe(true);
  await waitFor(session, "Good day | To you too.");
});

test("where the core does not come the answer stays, and when it comes after all it is stored without being asked again", async () => {
  const one = answer();
  const { session, asked } = await setup([one]);
  missing = true;
  const sent = session.sendMessage("Hi");
  await soon();
  one.say("Hello.");
  one.end();
  await waitFor(session, "Hi | Hello.");
  come();
  await expect(sent).rejects.toMatchObject({ code: "PART_NOT_LOADED" });
  await soon();
  const warning = { code: "STORAGE_PENDING" };
  expect(session.getSnapshot()).toMatchObject({ busy: false, error: { code: "PART_NOT_LOADED" }, warning });
  await waitFor(session, "Hi | Hello.");
  missing = false;
  await session.start();
  await vi.waitFor(() => expect(session.getSnapshot()).toMatchObject({ sessionReady: true, busy: false }), { timeout: 5_000 });
  await vi.waitFor(() => expect(session.getSnapshot()).toMatchObject({ error: undefined, warning: undefined }));
  await waitFor(session, "Hi | Hello.");
  expect((await session.messages()).map(({ text }) => text)).toEqual(["Hi", "Hello."]);
  expect(asked).toHaveLength(1);
});

test("where the core does not come and the answer comes after that, it is said that it is not stored, and can be stopped", async () => {
  const one = answer();
  const { session, asked } = await setup([one]);
  missing = true;
  const sent = session.sendMessage("Hi");
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  come();
  await expect(sent).rejects.toMatchObject({ code: "PART_NOT_LOADED" });
  expect(session.getSnapshot().warning).toBeUndefined();
  one.say("Hello, I");
  await waitFor(session, "Hi | Hello, I");
  expect(session.getSnapshot().warning).toMatchObject({ code: "STORAGE_PENDING" });
  session.abort();
  expect(asked[0]?.signal.aborted).toBe(true);
  missing = false;
  await session.start();
  await vi.waitFor(() => expect(session.getSnapshot()).toMatchObject({ sessionReady: true, busy: false }), { timeout: 5_000 });
  await vi.waitFor(async () => expect((await session.messages()).map(({ text }) => text)).toEqual(["Hi", "Hello, I"]));
  expect(asked).toHaveLength(1);
});
