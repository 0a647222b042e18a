// Sessions over the real core: sending, streaming, stopping, queues, errors, and what a screen sees of it.
import type { GloveSnapshot } from "glove-wasm";
import { AbortError, createRemoteModel, GloveError, MemoryStore } from "glove-wasm";
import { expect, test, vi } from "vitest";
import { scene, texts, until } from "../support/session.js";

test("a message is answered, and the promise gives the answer", async () => {
  const { session, shown, model } = scene([{ text: "Hello!", usage: { tokens_in: 12, tokens_out: 3 } }]);
  const outcome = await session.sendMessage("Hi");
  expect(outcome).toMatchObject({ type: "completed", text: "Hello!", usage: { tokens_in: 12, tokens_out: 3 } });
  expect(shown()).toEqual(["user: Hi", "agent: Hello!"]);
  expect(session.getSnapshot()).toMatchObject({
    busy: false,
    status: "ready",
    streamingText: "",
    sessionReady: true,
    stats: { turns: 1, tokens_in: 12, tokens_out: 3 },
  });
  expect(model.calls[0]).toMatchObject({ systemPrompt: "You are a test.", messages: [{ sender: "user", text: "Hi" }] });
});

test("a message that is sent before the core is there waits, and the screen shows it", async () => {
  // An answer that takes its time, so that the second message has something to wait for.
  const { session, shown } = scene([{ deltas: ["o", "n", "e"], every: 150 }, "two"]);
  const first = session.sendMessage("1");
  const second = session.sendMessage("2");
  expect(session.getSnapshot()).toMatchObject({ busy: true, status: "submitted", sessionReady: false });
  const { queue } = await until(session, ({ queue }) => queue.some(({ text }) => text === "2"));
  expect(["1,2", "2"]).toContain(queue.map(({ text }) => text).join());
  await Promise.all([first, second]);
  expect(shown()).toEqual(["user: 1", "agent: one", "user: 2", "agent: two"]);
});

test("text is shown as it comes, and the last message and the end are in one snapshot", async () => {
  const { session, events } = scene([{ deltas: ["Hel", "lo ", "you"], every: 25 }]);
  const seen: GloveSnapshot[] = [];
  session.subscribe(() => seen.push(session.getSnapshot()));
  await session.sendMessage("Hi");
  const streamed = seen.map(({ streamingText }) => streamingText).filter(Boolean);
  expect(streamed.length).toBeGreaterThan(1);
  expect("Hello you".startsWith(streamed[0] ?? "?")).toBe(true);
  // Never both or neither: as soon as the answer is an entry, nothing is streaming and nothing is busy.
  for (const { timeline, streamingText, busy } of seen) {
    if (timeline.some(({ kind }) => kind === "agent_text")) expect([streamingText, busy]).toEqual(["", false]);
  }
  expect(seen.at(-1)).toBe(session.getSnapshot());
  expect(events.filter(([type]) => type === "text_delta").map(([, data]) => data)).toEqual([
    { text: "Hel" },
    { text: "lo " },
    { text: "you" },
  ]);
});

test("a snapshot is the same object until something changes, and so is every part of it", async () => {
  const { session } = scene(["one", "two"]);
  await session.sendMessage("1");
  const before = session.getSnapshot();
  expect(session.getSnapshot()).toBe(before);
  await session.sendMessage("2");
  const after = session.getSnapshot();
  expect(after).not.toBe(before);
  expect(after.timeline[0]).toBe(before.timeline[0]);
  expect(after.timeline[1]).toBe(before.timeline[1]);
  expect(after.slots).toBe(before.slots);
  expect(after.approvals).toBe(before.approvals);
  expect(after.queue).toBe(before.queue);
  expect(before.timeline).toHaveLength(2);
});

test("many small pieces make few snapshots", async () => {
  const { session } = scene([{ deltas: Array.from({ length: 2000 }, () => "x") }]);
  let count = 0;
  session.subscribe(() => count++);
  await session.sendMessage("Hi");
  expect(session.getSnapshot().timeline.at(-1)).toMatchObject({ text: "x".repeat(2000) });
  expect(count).toBeLessThan(20);
});

test("a message is shown as soon as the core has it, and waits for no frame", async () => {
  const { session } = scene(["late"]);
  await session.start();
  // No frame comes, and no timer that stands behind it.
  const { setTimeout: timer } = globalThis;
  vi.stubGlobal("setTimeout", (work: () => void, ms: number) => (ms === 100 ? undefined : timer(work, ms)));
  vi.stubGlobal("requestAnimationFrame", () => 0);
  vi.stubGlobal("cancelAnimationFrame", () => {});
  const seen: (readonly string[])[] = [];
  session.subscribe(() => seen.push(texts(session.getSnapshot())));
  const sending = session.sendMessage("Hi");
  expect(seen).toEqual([[]]);
  await sending;
  vi.unstubAllGlobals();
  expect(seen).toEqual([[], ["user: Hi"], ["user: Hi", "agent: late"]]);
});

test("stopping keeps the text that was shown, and is no error", async () => {
  const { session, shown } = scene([{ deltas: ["Once upon", " a time"], every: 30 }]);
  const sending = session.sendMessage("Tell");
  await until(session, ({ streamingText }) => streamingText === "Once upon");
  session.stop();
  expect(await sending).toEqual({ type: "aborted" });
  expect(shown()).toEqual(["user: Tell", "agent: Once upon (cut)"]);
  expect(session.getSnapshot()).toMatchObject({ busy: false, status: "ready", error: undefined, streamingText: "" });
});

test("a program's request rejects with an AbortError when its signal fires, before and while it runs", async () => {
  const { session } = scene([{ text: "late", after: 500 }]);
  await expect(session.request("x", AbortSignal.abort())).rejects.toBeInstanceOf(AbortError);
  const controller = new AbortController();
  const asking = session.request("x", controller.signal);
  await until(session, ({ run }) => run.phase === "model");
  controller.abort("the page was left");
  await expect(asking).rejects.toMatchObject({ name: "AbortError", code: "ABORTED", cause: "the page was left" });
});

test("a signal that fires before the core is there stops only its own message", async () => {
  const { session, shown } = scene(["only one"]);
  const controller = new AbortController();
  const first = session.request("given up", controller.signal);
  const second = session.request("kept");
  controller.abort();
  await expect(first).rejects.toBeInstanceOf(AbortError);
  await second;
  expect(shown()).toEqual(["user: kept", "agent: only one"]);
});

test("messages that come while another one is answered wait their turn, in their order", async () => {
  const { session, shown } = scene([{ text: "one", after: 80 }, "two", "three"]);
  const first = session.sendMessage("1");
  await until(session, ({ run }) => run.phase === "model");
  const rest = [session.sendMessage("2"), session.sendMessage("3")];
  await until(session, ({ queue }) => queue.length === 2);
  expect(session.getSnapshot().queue.map(({ text }) => text)).toEqual(["2", "3"]);
  await Promise.all([first, ...rest]);
  expect(shown()).toEqual(["user: 1", "agent: one", "user: 2", "agent: two", "user: 3", "agent: three"]);
  expect(session.getSnapshot()).toMatchObject({ queue: [], busy: false });
});

test("a message that waits says how many files it has, and another answer that waits says nothing", async () => {
  const { session } = scene([{ text: "one", after: 80 }, { text: "two", after: 80 }, "three", "four"]);
  const image = { data: "AAAA", media_type: "image/png" };
  const content = [{ type: "image", source: { type: "url", media_type: "image/png", url: "https://a.example/b.png" } }] as const;
  const waiting = () => session.getSnapshot().queue.map(({ text, files }) => [text, files]);
  // Before the core is there.
  const first = session.sendMessage("1", [image]);
  const early = session.sendMessage({ content });
  await until(session, ({ queue }) => queue.some(({ text }) => text === ""));
  expect(waiting().at(-1)).toEqual(["", 1]);
  session.cancelQueued(session.getSnapshot().queue.at(-1)?.id ?? "");
  await until(session, ({ run }) => run.phase === "model");
  const note = new File(["hello"], "note.txt", { type: "text/plain" });
  const again = session.regenerate();
  await until(session, ({ queue }) => queue.length === 1);
  const rest = [session.sendMessage({ images: [image], files: [note] }), session.sendMessage("4")];
  await until(session, ({ queue }) => queue.length === 3);
  expect(waiting()).toEqual([
    ["", 0],
    ["", 2],
    ["4", 0],
  ]);
  // By the core, too.
  await until(session, ({ run, queue }) => run.phase === "model" && queue.length === 2);
  expect(waiting()).toEqual([
    ["", 2],
    ["4", 0],
  ]);
  await Promise.all([first, early, again, ...rest]);
});

test("a message that waits is taken back by its id, and nothing else is", async () => {
  const { session, shown } = scene([{ text: "one", after: 40 }, "three"]);
  const early = session.sendMessage("0");
  const { queue } = await until(session, ({ queue }) => queue.length === 1);
  expect(queue).toMatchObject([{ text: "0" }]);
  // Before the core is there.
  expect(session.cancelQueued(queue[0]?.id ?? "")).toBe(true);
  expect(await early).toEqual({ type: "aborted" });
  const first = session.sendMessage("1");
  const id = (await until(session, ({ run }) => run.phase === "model")).timeline.at(-1)?.id ?? "";
  const [second, third] = [session.sendMessage("2"), session.sendMessage({ text: "3", whenBusy: "steer" })];
  const waiting = await until(session, ({ queue }) => queue.length === 2);
  const two = waiting.queue.find(({ text }) => text === "2");
  expect(session.cancelQueued(two?.id ?? "")).toBe(true);
  expect(await second).toEqual({ type: "aborted" });
  expect(session.getSnapshot().queue).toMatchObject([{ text: "3" }]);
  // What is answered, was taken back, or never was.
  for (const other of [id, two?.id ?? "", "none"]) expect(session.cancelQueued(other)).toBe(false);
  await Promise.all([first, third]);
  expect(session.cancelQueued(two?.id ?? "")).toBe(false);
  expect(shown()).toEqual(["user: 1", "agent: one", "user: 3", "agent: three"]);
});

test("a message may be dropped, or interrupt what runs", async () => {
  const { session, shown } = scene([{ deltas: ["slow"], text: "slow", until: new Promise(() => {}) }, "quick"]);
  const first = session.sendMessage("1");
  await until(session, ({ streamingText }) => streamingText === "slow");
  expect(await session.sendMessage({ text: "2", whenBusy: "drop" })).toEqual({ type: "dropped" });
  const third = session.sendMessage({ text: "3", whenBusy: "interrupt" });
  expect(await first).toEqual({ type: "aborted" });
  expect(await third).toMatchObject({ type: "completed", text: "quick" });
  expect(shown()).toEqual(["user: 1", "agent: slow (cut)", "user: 3", "agent: quick"]);
});

test("a failing model is an error with its sentence, and the session goes on", async () => {
  const { session, shown } = scene([{ deltas: ["par"], fail: "the model fell over" }, "fine again"]);
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "MODEL_ADAPTER", message: "the model fell over" });
  expect(session.getSnapshot()).toMatchObject({ status: "error", busy: false, error: { message: "the model fell over" } });
  expect(shown()).toEqual(["user: Hi", "agent: par (cut)"]);
  session.clearError();
  expect(session.getSnapshot()).toMatchObject({ status: "ready", error: undefined });
  expect(await session.regenerate()).toMatchObject({ type: "completed", text: "fine again" });
});

test("a failure that nobody catches is no unhandled rejection", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const { session } = scene([{ fail: "no" }]);
  void session.sendMessage("Hi");
  await until(session, ({ status }) => status === "error");
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test("a stream that is cut off keeps its kind of failure", async () => {
  const { session } = scene([{ deltas: ["par"], cut: true }]);
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "MODEL_STREAM_CUT" });
});

test("an empty message is refused with a sentence", async () => {
  const { session } = scene([]);
  await expect(session.sendMessage("  ")).rejects.toMatchObject({ code: "MESSAGE_EMPTY" });
  await expect(session.sendMessage({})).rejects.toBeInstanceOf(GloveError);
  for (const odd of [undefined, null, { text: 5 }]) {
    await expect(session.sendMessage(odd as never)).rejects.toMatchObject({ code: "MESSAGE_EMPTY" });
  }
  expect(session.getSnapshot().busy).toBe(false);
});

test("images and files become parts of the message, in front of the text", async () => {
  const { session, model } = scene(["nice"]);
  const file = new File(["hi there"], "note.txt", { type: "text/plain" });
  const pdf = new File([new Uint8Array([1, 2, 3])], "a.pdf", { type: "application/pdf" });
  await session.sendMessage({ text: "look", files: [file, pdf], metadata: { from: "test" } }, [
    { data: "aGk=", media_type: "image/png" },
  ]);
  expect(model.calls[0]?.messages[0]).toMatchObject({
    text: "look",
    content: [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
      { type: "text", text: "note.txt:\nhi there" },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AQID" } },
      { type: "text", text: "look" },
    ],
  });
  expect(session.getSnapshot().timeline[0]).toMatchObject({ kind: "user", images: ["data:image/png;base64,aGk="] });
});

test("an image of 20 MB is sent like any other", async () => {
  const { session, model } = scene(["big"]);
  const data = "A".repeat(27_000_000);
  await session.sendMessage("look", [{ data, media_type: "image/png" }]);
  expect(model.calls[0]?.messages[0]?.content?.[0]?.source?.data).toHaveLength(data.length);
}, 60_000);

test("messages keep the order of sending, whatever it takes to read their files", async () => {
  const { session, shown } = scene(["one", "two"]);
  const slow = Object.assign(new Blob(["x"], { type: "image/png" }), {
    arrayBuffer: () => new Promise<ArrayBuffer>((resolve) => setTimeout(() => resolve(new ArrayBuffer(1)), 30)),
  });
  await Promise.all([session.sendMessage({ text: "1", files: [slow] }), session.sendMessage("2")]);
  expect(shown()).toEqual(["user: 1", "agent: one", "user: 2", "agent: two"]);
});

test("a message whose files are being read stands in the queue, and can be stopped there", async () => {
  const { session, shown } = scene(["one", "two"]);
  await session.start();
  const never = Object.assign(new Blob(["x"], { type: "image/png" }), { arrayBuffer: () => new Promise<ArrayBuffer>(() => {}) });
  const first = session.sendMessage({ text: "1", files: [never] });
  const second = session.sendMessage("2");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(session.getSnapshot()).toMatchObject({ busy: true, queue: [{ text: "1" }, { text: "2" }] });
  session.abort();
  expect(await Promise.all([first, second])).toEqual([{ type: "aborted" }, { type: "aborted" }]);
  expect(session.getSnapshot()).toMatchObject({ busy: false, status: "ready", queue: [] });
  await session.sendMessage("3");
  expect(shown()).toEqual(["user: 3", "agent: one"]);
});

test("a file that cannot be read, or is empty, is an error with its name, and nothing is sent", async () => {
  const { session, shown } = scene(["one"]);
  const gone = Object.assign(new File(["x"], "gone.png", { type: "image/png" }), {
    arrayBuffer: () => Promise.reject(new DOMException("It went away.", "NotReadableError")),
  });
  const empty = new File([], "empty.pdf", { type: "application/pdf" });
  for (const [file, message] of [
    [gone, 'The file "gone.png" cannot be read (It went away.); the message was not sent.'],
    [empty, 'The file "empty.pdf" cannot be read (it is empty); the message was not sent.'],
  ] as const) {
    await expect(session.sendMessage({ text: "look", files: [file] })).rejects.toMatchObject({
      code: "FILE_UNREADABLE",
      message,
    });
    expect(session.getSnapshot()).toMatchObject({ busy: false, status: "error", error: { message }, queue: [] });
  }
  await session.sendMessage("hello");
  expect(shown()).toEqual(["user: hello", "agent: one"]);
});

test("history crosses to a model of the page as it is, turn by turn", async () => {
  const { session, model } = scene(["a", "b", "c"]);
  for (const text of ["1", "2", "3"]) await session.sendMessage(text);
  const asked = model.calls.map(({ messages }) => messages.map(({ text }) => text));
  expect(asked).toEqual([["1"], ["1", "a", "2"], ["1", "a", "2", "b", "3"]]);
});

test("a subscriber that throws, or whose promise fails, is told of once and stops nothing", async () => {
  const bad = { record: vi.fn(() => Promise.reject(new Error("broken listener"))) };
  const { session, events } = scene([{ deltas: ["a", "b"] }], { subscribers: [bad] });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed" });
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(bad.record.mock.calls.length).toBeGreaterThan(2);
  expect(events.filter(([type]) => type === "error")).toEqual([
    ["error", { code: "SUBSCRIBER_FAILED", message: "broken listener" }],
  ]);
});

test("a listener of snapshots that throws is told of once and stops nothing", async () => {
  const { session, events } = scene(["ok"]);
  session.subscribe(() => {
    throw new Error("render failed");
  });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed" });
  expect(events.filter(([type]) => type === "error")).toEqual([["error", { code: "LISTENER_FAILED", message: "render failed" }]]);
});

test("a listener may send from inside", async () => {
  const { session, shown } = scene(["one", "two"]);
  let sent = false;
  session.subscribe(() => {
    if (sent || !session.getSnapshot().timeline.length) return;
    sent = true;
    void session.sendMessage("2");
  });
  await session.sendMessage("1");
  await until(session, ({ busy, timeline }) => !busy && timeline.length === 4);
  expect(shown()).toEqual(["user: 1", "agent: one", "user: 2", "agent: two"]);
});

test("a closed session refuses, and what waited is told", async () => {
  const { session } = scene([{ text: "never", after: 5000 }]);
  const sending = session.sendMessage("Hi");
  await until(session, ({ run }) => run.phase === "model");
  session.dispose();
  await expect(sending).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  await expect(session.sendMessage("more")).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  session.dispose();
});

test("changed prompt, model and tools reach the next call, without a new session", async () => {
  const { session, model } = scene(["a", "b"]);
  await session.sendMessage("1");
  const tool = { name: "now", description: "", jsonSchema: { type: "object" }, do: () => 1 };
  session.configure({ systemPrompt: "Another.", tools: [tool] });
  await session.sendMessage("2");
  expect(model.calls.map(({ systemPrompt, tools }) => [systemPrompt, tools.filter((name) => name === "now")])).toEqual([
    ["You are a test.", []],
    ["Another.", ["now"]],
  ]);
});

test("subscribers may be exchanged while the session lives", async () => {
  const { session } = scene(["a", "b"]);
  const one = { record: vi.fn() };
  const two = { record: vi.fn() };
  session.configure({ subscribers: [one] });
  await session.sendMessage("1");
  session.configure({ subscribers: [two] });
  const before = one.record.mock.calls.length;
  await session.sendMessage("2");
  expect(before).toBeGreaterThan(0);
  expect(one.record.mock.calls.length).toBe(before);
  expect(two.record).toHaveBeenCalledWith("model_response_complete", expect.objectContaining({ text: "b" }), { sessionId: "s1" });
});

test("what is stored is there again in the next session, and older ids keep their place", async () => {
  const store = new MemoryStore("kept");
  const first = scene(["one"], { createStore: () => store });
  await first.session.sendMessage("1");
  first.client.dispose();
  const second = scene(["two"], { createStore: () => store });
  await second.session.start();
  await until(second.session, ({ timeline }) => timeline.length === 2);
  await second.session.sendMessage("2");
  expect(texts(second.session.getSnapshot())).toEqual(["user: 1", "agent: one", "user: 2", "agent: two"]);
  expect(await store.getTurnCount()).toBe(2);
});

test("a store that fails is an error with a code, and nothing that was said is lost", async () => {
  const store = new MemoryStore("bad");
  const { session, shown } = scene(["one"], { createStore: () => store });
  const append = vi.spyOn(store, "appendStep").mockRejectedValueOnce(new Error("disk full"));
  await expect(session.sendMessage("1")).rejects.toMatchObject({ code: "STORE_FAILED", message: "disk full" });
  expect(await session.resume()).toMatchObject({ type: "completed", text: "one" });
  expect(append).toHaveBeenCalled();
  expect(shown()).toEqual(["user: 1", "agent: one"]);
  expect((await store.getMessages()).map(({ text }) => text)).toEqual(["1", "one"]);
});

test("a summary is no part of the chat: nothing of it streams", async () => {
  const { session, shown, events } = scene([{ text: "long", usage: { tokens_in: 90 } }, { deltas: ["SUMMARY"] }, "short"], {
    compaction: { compaction_instructions: "Sum up.", compaction_context_limit: 50 },
  });
  await session.sendMessage("1");
  const streamed: string[] = [];
  session.subscribe(() => streamed.push(session.getSnapshot().streamingText));
  await session.sendMessage("2");
  expect(streamed.join("")).not.toContain("SUMMARY");
  expect(shown()).toEqual(["user: 1", "agent: long", "user: 2", "summary", "agent: short"]);
  expect(events.filter(([type]) => type.startsWith("compaction")).map(([type]) => type)).toEqual([
    "compaction_start",
    "compaction_end",
  ]);
});

test("a model that does not stream is shown as well", async () => {
  const model = createRemoteModel("plain", {
    prompt: async () => ({ message: { sender: "agent", text: "All at once" }, tokens_in: 1, tokens_out: 1 }),
  });
  const { session, shown, events } = scene([], { createModel: () => model });
  await session.sendMessage("Hi");
  expect(shown()).toEqual(["user: Hi", "agent: All at once"]);
  expect(events.map(([type]) => type)).toContain("model_response");
});

test("what is sent before the stored session has been read comes behind it", async () => {
  const store = new MemoryStore("slow");
  await store.appendMessages([
    { sender: "user", text: "old" },
    { sender: "agent", text: "older answer" },
  ]);
  const read = store.readRun.bind(store);
  vi.spyOn(store, "readRun").mockImplementation(async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return read();
  });
  const { session, shown } = scene(["new answer"], { createStore: () => store });
  await session.sendMessage("new");
  expect(shown()).toEqual(["user: old", "agent: older answer", "user: new", "agent: new answer"]);
});

test("two messages in one moment are two requests, one after the other", async () => {
  const { session, model, shown } = scene(["one", "two"]);
  await session.start();
  await Promise.all([session.sendMessage("1"), session.sendMessage("2")]);
  expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 3]);
  expect(shown()).toEqual(["user: 1", "agent: one", "user: 2", "agent: two"]);
});

test.each(["a".repeat(3_000_000), `${"a".repeat(3_000_000)} ü`, `ü ${"a".repeat(3_000_000)}`, "ü".repeat(2_000_000)])(
  "a text of megabytes crosses as it is, whatever its letters are",
  async (text) => {
    const { session, model } = scene(["ok"]);
    await session.sendMessage(text);
    expect(model.calls[0]?.messages[0]?.text === text).toBe(true);
    expect((await session.messages())[0]?.text === text).toBe(true);
  },
);
