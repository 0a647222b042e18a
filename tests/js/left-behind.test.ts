// What an answer leaves behind when it is over, whole or not: no listener, no relay, no work that goes on.
import { getEventListeners } from "node:events";
import { createEndpointModel, GloveClient, MemoryStore, type ModelAdapter } from "glove-wasm";
import { type ChatHandlerConfig, createChatHandler } from "glove-wasm/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openProvider, type Provider, speak } from "../support/provider.js";
import { until } from "../support/session.js";

let provider: Provider;
beforeEach(async () => {
  provider = await openProvider();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await provider.close();
});

const sleep = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined));
const sessionOf = (model: ModelAdapter) =>
  new GloveClient({ createModel: () => model, createStore: () => new MemoryStore("s1"), systemPrompt: "" }).session("s1");
const handler = (config: Partial<ChatHandlerConfig> = {}) =>
  createChatHandler({ provider: "anthropic", apiKey: "k", baseURL: provider.url, onError: () => {}, ...config });
const asked = JSON.stringify({ messages: [{ sender: "user", text: "Hi" }] });
const post = (init: RequestInit = {}) =>
  new Request("http://here/", { method: "POST", headers: { "content-type": "application/json" }, body: asked, ...init });
const listeners = ({ signal }: Request) => getEventListeners(signal, "abort").length;

test("an answer leaves no listener on the signal of its request, however it ends", async () => {
  const texts = speak.anthropic(["a", "b"]);
  const replies = [
    { body: texts },
    { status: 400, body: ['{"error":{"message":"no"}}'] },
    { body: [...texts.slice(0, 3), "cut" as const] },
    { body: [...texts.slice(0, 3), 5_000] },
  ];
  for (const reply of replies) {
    provider.reply(reply);
    const request = post();
    const before = listeners(request);
    const response = await handler()(request);
    if (reply.body.at(-1) !== 5_000) await response.text();
    else {
      const reader = response.body?.getReader();
      await reader?.read();
      expect(listeners(request)).toBeGreaterThan(before);
      await reader?.cancel();
    }
    await vi.waitFor(() => expect(listeners(request)).toBe(before));
  }
});

test("a client that leaves at any moment around the end of its upload is left, and so is the provider", async () => {
  for (let hops = 0; hops < 40; hops++) {
    const leaving = new AbortController();
    const signals: AbortSignal[] = [];
    const fetch = async (_: string, { signal }: RequestInit) => {
      signals.push(signal as AbortSignal);
      return new Promise<never>(() => {});
    };
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(new TextEncoder().encode(asked));
      controller.close();
      for (let hop = 0; hop < hops; hop++) await undefined;
      leaving.abort();
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const answered = handler({ fetch })(post({ body, duplex: "half", signal: leaving.signal } as RequestInit));
    const status = await Promise.race([answered.then(({ status }) => status), sleep(1_000)]);
    expect([hops, status]).toEqual([hops, 499]);
    await vi.waitFor(() => expect(signals.every(({ aborted }) => aborted)).toBe(true));
  }
});

test("a body that says it is too long is refused at once, before anything of it is there", async () => {
  const body = new ReadableStream({ pull: () => new Promise<void>(() => {}) }, { highWaterMark: 0 });
  const headers = { "content-type": "application/json", "content-length": "101" };
  const small = handler({ limits: { bodyBytes: 100 } });
  const status = async (init: RequestInit) => (await Promise.race([small(post(init)), sleep(1_000)]))?.status;
  expect(await status({ body, headers, duplex: "half" } as RequestInit)).toBe(413);
  provider.reply({ body: speak.anthropic(["ok"]) });
  expect(asked.length).toBeLessThan(100);
  expect(await status({ headers: { ...headers, "content-length": "100" } })).toBe(200);
});

test("a body that goes on behind a stop, and cannot be cancelled, is read no further and given to nobody", async () => {
  const other = sessionOf(createEndpointModel("/y", { fetch: () => new Promise(() => {}) }));
  const waiting = other.sendMessage("Hi");
  for (let hops = 0; hops < 25; hops++) {
    let give = (_: string) => {};
    const read = vi.fn(
      () =>
        new Promise((resolve) => {
          const event = (text: string) => `data: {"type":"text_delta","text":"${text}"}\n\n`;
          give = (text) => resolve({ done: false, value: new TextEncoder().encode(event(text)) });
        }),
    );
    const reader = { read, cancel: () => new Promise(() => {}) };
    const deaf = { status: 200, headers: new Headers(), body: { getReader: () => reader } } as unknown as Response;
    const session = sessionOf(createEndpointModel("/x", { fetch: async () => deaf }));
    const sending = session.sendMessage("Hi");
    await vi.waitFor(() => expect(read).toHaveBeenCalled());
    give("Once");
    await until(session, ({ streamingText }) => streamingText === "Once");
    // One that came just before the stop, and one behind it.
    give(" upon");
    for (let hop = 0; hop < hops; hop++) await undefined;
    session.stop();
    expect(await sending).toEqual({ type: "aborted" });
    const before = read.mock.calls.length;
    give(" a time");
    await sleep(5);
    expect(read).toHaveBeenCalledTimes(before);
    expect((await session.messages()).at(-1)?.text).toMatch(/^Once( upon)?$/);
    expect([session, other].map((one) => one.getSnapshot().error)).toEqual([undefined, undefined]);
  }
  other.stop();
  expect(await waiting).toEqual({ type: "aborted" });
});
