// A fetch that does not heed its signal: what it answers too late is closed, and what nobody waits for is not sent.
import { createAdapter, createEndpointModel, GloveClient, MemoryStore, type ModelAdapter } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { expect, test, vi } from "vitest";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sessionOf = (model: ModelAdapter) =>
  new GloveClient({ createModel: () => model, createStore: () => new MemoryStore("s1"), systemPrompt: "" }).session("s1");
const post = (signal?: AbortSignal) =>
  new Request("http://here/", {
    ...{ method: "POST", headers: { "content-type": "application/json" } },
    body: JSON.stringify({ messages: [{ sender: "user", text: "Hi" }] }),
    ...(signal && { signal }),
  });

/** Answers after a while, and goes on writing until it is told to end. */
function deaf() {
  const cancelled = vi.fn();
  const fetch = vi.fn(async () => {
    await sleep(150);
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      await sleep(10);
      controller.enqueue(new TextEncoder().encode(": x\n\n"));
    };
    return new Response(new ReadableStream({ pull, cancel: cancelled }));
  });
  return { fetch, cancelled };
}

// The first one: later it is loaded.
test("a provider that was stopped while the page loaded how it is asked is not asked", async () => {
  const fetch = vi.fn(async () => new Response("{}", { status: 500 }));
  const session = sessionOf(createAdapter({ provider: "ollama", model: "m", fetch }));
  const sending = session.sendMessage("Hi");
  while (session.getSnapshot().run.phase !== "model") await new Promise((resolve) => setImmediate(resolve));
  session.stop();
  expect(await sending).toEqual({ type: "aborted" });
  await sleep(300);
  expect(fetch).not.toHaveBeenCalled();
});

test.each([
  ["an endpoint", (fetch: typeof globalThis.fetch) => createEndpointModel("http://x/", { fetch: fetch as never })],
  ["a provider", (fetch: typeof globalThis.fetch) => createAdapter({ provider: "ollama", model: "m", fetch: fetch as never })],
])("%s that answers after the stop is closed", async (_, modelOf) => {
  const { fetch, cancelled } = deaf();
  const session = sessionOf(modelOf(fetch as never));
  const sending = session.sendMessage("Hi");
  await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
  session.stop();
  expect(await sending).toEqual({ type: "aborted" });
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalledTimes(1));
});

test("a provider that answers after the client left is closed", async () => {
  const { fetch, cancelled } = deaf();
  const leaving = new AbortController();
  const answer = createChatHandler({ provider: "openai", apiKey: "k", fetch })(post(leaving.signal));
  await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
  leaving.abort();
  expect((await answer).status).toBe(499);
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalledTimes(1));
});

test("a client that left before the provider was asked costs nothing", async () => {
  const fetch = vi.fn(async () => new Response("{}", { status: 500 }));
  const onError = vi.fn();
  const gone = AbortSignal.abort();
  expect((await createChatHandler({ provider: "openai", apiKey: "k", fetch, onError })(post(gone))).status).toBe(499);
  const leaving = new AbortController();
  const authorize = async () => {
    leaving.abort();
    return true;
  };
  const handle = createChatHandler({ provider: "openai", apiKey: "k", fetch, onError, authorize });
  expect((await handle(post(leaving.signal))).status).toBe(499);
  expect([fetch, onError].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
});
