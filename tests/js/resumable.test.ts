// Answers that are read on after a lost connection: the handler with a buffer, and the `fetch` that asks it again.
import { createEndpointModel, GloveClient, MemoryStore } from "glove-wasm";
import { resumable } from "glove-wasm/remote";
import { type AnswerBuffer, createChatHandler, createMemoryBuffer } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, expect, test, vi } from "vitest";
import { askedElsewhere, EarlyRequest } from "../../pkg/src/early/request.js";
import { transportOf } from "../../pkg/src/models/transport.js";
import { texts, until } from "../support/session.js";

const words = Array.from({ length: 20 }, (_, at) => `word${at} `);
const whole = words.join("");

afterEach(() => void vi.useRealTimers());

/** A handler whose model says the words slowly, and counts how often it is asked. */
function server(resume: AnswerBuffer = createMemoryBuffer(), every = 20) {
  const asked = { count: 0, stopped: 0 };
  const createModel = () => {
    const model = createScriptedModel([{ deltas: words, every }]);
    const { prompt } = model;
    return Object.assign(model, {
      prompt: (...[request, notify, signal]: Parameters<typeof prompt>) => {
        asked.count++;
        signal?.addEventListener("abort", () => asked.stopped++);
        return prompt.call(model, request, notify, signal);
      },
    });
  };
  return { handler: createChatHandler({ createModel, resume }), asked };
}

/** A line to a handler that breaks after some pieces, as often as it is told. */
function line(handler: (request: Request) => Promise<Response>) {
  const sent: Headers[] = [];
  const breaks: number[] = [];
  const fetch = async (url: string, { signal, ...init }: RequestInit) => {
    const leave = new AbortController();
    const request = new Request(new URL(url, "http://here"), { ...init, signal: leave.signal });
    sent.push(request.headers);
    const response = await handler(request);
    const after = breaks.shift();
    if (after === undefined || !response.body) return response;
    const reader = response.body.getReader();
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, done } = await reader.read();
        if (done) return controller.close();
        if (pieces++ < after) return controller.enqueue(value);
        leave.abort();
        await reader.cancel();
        controller.error(new TypeError("network error"));
      },
    });
    return new Response(body, response);
  };
  return { fetch, sent, breaks };
}

function session(fetch: ReturnType<typeof line>["fetch"], store = new MemoryStore("s")) {
  const createModel = () => createEndpointModel("/api/chat", { fetch: resumable(fetch) });
  return new GloveClient({ createModel, createStore: () => store, systemPrompt: "" }).session("s");
}

test("an answer goes on where the connection was lost, and the model is asked once", async () => {
  const { handler, asked } = server();
  const way = line(handler);
  way.breaks.push(3, 0, 0);
  const talk = session(way.fetch);
  expect(await talk.sendMessage("hi")).toMatchObject({ type: "completed", text: whole });
  expect(asked.count).toBe(1);
  expect(way.sent.slice(0, 4).map((headers) => headers.get("last-event-id"))).toEqual([null, "3", "3", "3"]);
  // It is not kept any longer: the same question is another one.
  await expect.poll(() => way.sent.at(-1)?.get("x-glove-answer-over")).toBe("1");
  await talk.regenerate();
  expect(asked.count).toBe(2);
});

test("a client that begins anew with the same request reads the answer that is under way", async () => {
  const { handler, asked } = server();
  const id = "a-client-of-its-own-1";
  const request = (last?: string) =>
    handler(
      new Request("http://here/api/chat", {
        method: "POST",
        body: JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "hi" }] }),
        headers: { "content-type": "application/json", "x-glove-answer": id, ...(last && { "last-event-id": last }) },
      }),
    );
  const first = await request();
  await first.body?.cancel();
  const second = await (await request()).text();
  expect(second.match(/word\d+/g)).toEqual(whole.trim().split(" ").concat(whole.trim().split(" ")));
  expect(second).toMatch(/^id: 1\ndata: \{"type":"text_delta"/);
  const rest = await (await request("18")).text();
  expect(rest.startsWith("id: 19\n")).toBe(true);
  expect(second.endsWith(rest)).toBe(true);
  expect(asked.count).toBe(1);
});

test("the same request while the one before is being given up is another one", async () => {
  const { handler, asked } = server(undefined, 5);
  const way = line(handler);
  const talk = session(async (url, init) => {
    if (new Headers(init.headers).has("x-glove-answer-over")) await new Promise((later) => setTimeout(later, 60));
    return way.fetch(url, init);
  });
  await talk.sendMessage("hi");
  expect(await talk.regenerate()).toMatchObject({ type: "completed", text: whole });
  expect(asked.count).toBe(2);
});

test("what is stopped by a person is stopped on the server too", async () => {
  const { handler, asked } = server(undefined, 50);
  const way = line(handler);
  const talk = session(way.fetch);
  const sent = talk.sendMessage("hi");
  await until(talk, ({ streamingText }) => streamingText.length > 10);
  talk.abort();
  expect(await sent).toEqual({ type: "aborted" });
  await expect.poll(() => asked.stopped).toBe(1);
  expect(texts(talk.getSnapshot())[1]).toMatch(/^agent: word0 .*\(cut\)$/);
});

test("what another tab asks too is not stopped on the server by the one that follows", async () => {
  const { handler, asked } = server(undefined, 50);
  const way = line(handler);
  const url = "/api/chat";
  const model = transportOf(createEndpointModel(url, { fetch: resumable(way.fetch) }));
  if (!model) throw new Error("an endpoint has a transport");
  let shown = "";
  const body = JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "hi" }] });
  const early = new EarlyRequest(model, body, (text) => {
    shown += text;
  });
  await expect.poll(() => shown).toContain("word1 ");
  early.end(askedElsewhere);
  await new Promise((soon) => setTimeout(soon, 100));
  expect([asked.stopped, way.sent.filter((headers) => headers.has("x-glove-answer-over")).length]).toEqual([0, 0]);
  // The other one reads it to its end.
  const sent = { "content-type": "application/json", "x-glove-answer": way.sent[0]?.get("x-glove-answer") ?? "" };
  const answer = await handler(new Request(new URL(url, "http://here"), { method: "POST", headers: sent, body }));
  expect(await answer.text()).toContain("word19 ");
  expect(asked).toEqual({ count: 1, stopped: 0 });
});

test("who stops while the network is away does not wait for it: the server is told at once", async () => {
  const { handler, asked } = server(undefined, 100);
  const way = line(handler);
  way.breaks.push(2);
  // The pause of a second before the next try never ends, so nothing here can have waited for it.
  const start = setTimeout;
  const timers = vi.spyOn(globalThis, "setTimeout");
  timers.mockImplementation((call, ms = 0, ...rest) => start(ms < 1_000 ? call : () => {}, ms, ...rest));
  let broken = 0;
  const talk = session(async (url, init) => {
    if (!new Headers(init.headers).has("last-event-id")) return way.fetch(url, init);
    broken++;
    throw new TypeError("network error");
  });
  const sent = talk.sendMessage("hi");
  await expect.poll(() => broken).toBe(1);
  talk.abort();
  await sent;
  await expect.poll(() => asked.stopped).toBe(1);
  expect(broken).toBe(1);
  timers.mockRestore();
});

test("an answer that is not kept any more is not begun anew in the middle of a text", async () => {
  const { buffer, ids } = noted();
  const { handler, asked } = server(buffer);
  const way = line(handler);
  way.breaks.push(3);
  const talk = session(async (url, init) => {
    if (new Headers(init.headers).has("last-event-id")) for (const id of ids) await buffer.delete(id);
    return way.fetch(url, init);
  });
  await expect(talk.sendMessage("hi")).rejects.toMatchObject({ code: expect.stringMatching(/^MODEL_/) });
  expect(asked.count).toBe(1);
});

/** A buffer, and the names of the answers in it. */
function noted() {
  const kept = createMemoryBuffer();
  const ids = new Set<string>();
  const buffer: AnswerBuffer = {
    ...kept,
    append(id, events) {
      ids.add(id);
      return kept.append(id, events);
    },
  };
  return { buffer, ids };
}

/** Asks a handler by a name for the answer. */
const asking =
  (handler: (request: Request) => Promise<Response>, name: string) =>
  (text: string, headers: Record<string, string> = {}, signal?: AbortSignal) => {
    const body = JSON.stringify({ messages: [{ sender: "user", text }] });
    const all = { "content-type": "application/json", "x-glove-answer": name, ...headers };
    return handler(new Request("http://here/", { method: "POST", body, headers: all, ...(signal && { signal }) }));
  };

test("who knows the name of an answer, but not what was asked, or is somebody else, does not read it", async () => {
  const createModel = () => createScriptedModel([{ deltas: words, every: 5 }, { text: "another" }]);
  const owner = (request: Request) => request.headers.get("x-user") ?? "ann";
  const handler = createChatHandler({ createModel, resume: createMemoryBuffer(), owner });
  const ask = asking(handler, "a-name-that-was-seen");
  expect(await (await ask("hi")).text()).toContain("word19");
  const other = await ask("something else");
  expect([other.status, await other.text()]).toEqual([409, expect.stringContaining("ANSWER_TAKEN")]);
  expect((await ask("hi", { "x-user": "bob", "last-event-id": "1" })).status).toBe(410);
  // Nor does somebody else end it.
  await ask("", { "x-user": "bob", "x-glove-answer-over": "1" });
  expect(await (await ask("hi", { "last-event-id": "3" })).text()).toContain("word19");
});

test("an answer that was deleted and begun anew elsewhere is not mixed with the one before", async () => {
  const { buffer, ids } = noted();
  const one = server(buffer, 300);
  const other = createChatHandler({
    createModel: () => createScriptedModel([{ deltas: ["new ", "words"], every: 40 }]),
    resume: buffer,
  });
  const first = await asking(one.handler, "the-same-name-of-both")("hi");
  const reader = first.body?.getReader();
  await reader?.read();
  for (const id of ids) await buffer.delete(id);
  const told = await (await asking(other, "the-same-name-of-both")("hi")).text();
  expect(told).toContain("words");
  expect(told).not.toContain("word1");
  await expect.poll(() => one.asked.stopped, { timeout: 5_000 }).toBe(1);
  await reader?.cancel();
});

test("answers that nobody reads are limited", async () => {
  const { handler, asked } = server(undefined, 500);
  const leave = async (at: number) => (await asking(handler, `a-name-for-number-${at}`)("hi")).body?.cancel();
  await Promise.all(Array.from({ length: 110 }, (_, at) => leave(at)));
  await expect.poll(() => asked.stopped).toBe(10);
});

test("two servers that share a buffer give one answer", async () => {
  const buffer = createMemoryBuffer();
  const [one, other] = [server(buffer), server(buffer)];
  const way = line((request) => (way.sent.length === 1 ? one : other).handler(request));
  way.breaks.push(2);
  expect(await session(way.fetch).sendMessage("hi")).toMatchObject({ text: whole });
  expect([one.asked.count, other.asked.count]).toEqual([1, 0]);
});

test("a refusal is what it is without a buffer, and is not kept", async () => {
  const { buffer, ids } = noted();
  const handler = createChatHandler({ createModel: () => createScriptedModel([]), resume: buffer, authorize: () => true });
  const ask = (body: string, headers: Record<string, string>) =>
    handler(new Request("http://here/", { method: "POST", body, headers: { "content-type": "application/json", ...headers } }));
  const refused = async (response: Response) => [
    response.status,
    ((await response.json()) as { error: { code: string } }).error.code,
  ];
  const id = "a-client-of-its-own-2";
  expect(await refused(await ask("{}", { "x-glove-answer": id }))).toEqual([400, "REQUEST_INVALID"]);
  expect(ids.size).toBe(1);
  for (const id of ids) expect(await buffer.read(id, 0)).toEqual([]);
  expect(await refused(await ask("{}", { "x-glove-answer": "short" }))).toEqual([400, "REQUEST_INVALID"]);
  expect(await refused(await ask("{}", { "x-glove-answer": id, "last-event-id": "-1" }))).toEqual([400, "REQUEST_INVALID"]);
  expect(await refused(await ask("{}", { "x-glove-answer": id, "last-event-id": "7" }))).toEqual([410, "ANSWER_GONE"]);
});

test("a handler without a buffer answers a resumable fetch as any other", async () => {
  let count = 0;
  const handler = createChatHandler({
    createModel: () => {
      count++;
      return createScriptedModel([{ text: "hello" }]);
    },
  });
  expect(await session(line(handler).fetch).sendMessage("hi")).toMatchObject({ text: "hello" });
  expect(count).toBe(1);
});

test("what is kept in memory is forgotten after its time, and beyond its size", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const buffer = createMemoryBuffer({ keptMs: 1_000, letters: 60 });
  expect(await buffer.append("a", ["12345"])).toBe(0);
  expect(await buffer.append("a", ["6"])).toBe(1);
  expect(await buffer.append("b", ["1234"])).toBe(0);
  expect(await buffer.read("a", 1)).toEqual(["6"]);
  await buffer.append("c", ["1"]);
  expect([await buffer.read("a", 0), await buffer.read("b", 0)]).toEqual([[], ["1234"]]);
  // Also what has no letters takes its place.
  await buffer.append("b", Array(10).fill(""));
  expect(await buffer.read("c", 0)).toEqual([]);
  vi.setSystemTime(Date.now() + 1_001);
  await buffer.append("d", ["1"]);
  expect([await buffer.read("b", 0), await buffer.read("c", 0), await buffer.read("d", 0)]).toEqual([[], [], ["1"]]);
  expect(() => createChatHandler({ createModel: () => createScriptedModel([]), resume: {} as AnswerBuffer })).toThrow("append");
});
