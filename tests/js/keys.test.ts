// A key is in no error, event, log, message or stored record, whoever is asked and whatever fails.
import { inspect } from "node:util";
import { createAdapter, createEndpointModel, GloveClient, MemoryStore, type ModelAdapter, providers } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

// Each provider is asked in the formats of all others here: none would take that, and what fails is the question.
vi.unmock("glove-wasm");
vi.unmock("glove-wasm/server");

const canary = "sk-canary-4711";
const policy = { maxRetries: 0, firstByteMs: 500, idleMs: 500, totalMs: 500 };
const known = Object.values(providers).filter(({ format }) => format !== "bedrock");

const body = (text: string, status = 200) => new Response(text, { status, headers: { "retry-after": "0" } });
const json = JSON.stringify({ error: { message: `Incorrect API key provided: ${canary}`, type: canary } });
/** What may go wrong, each time with the key in it. */
const failures: Record<string, (url: string) => Response | Promise<Response>> = {
  "a refused key": () => body(json, 401),
  "a bad request": () => body(json, 400),
  "too many requests": () => body(json, 429),
  "a broken server": () => body(`<html>${"x".repeat(290)}${canary}</html>`, 500),
  "no connection": (url) => Promise.reject(new TypeError(`fetch failed for ${url} with ${canary}`)),
  "a page instead of a stream": () => body(`<html>${canary}</html>`),
  "an error in mid-stream": () => body(`event: error\ndata: ${json}\n\n`),
  "an event that is no JSON": () => body(`event: error\ndata: {${canary}\n\n`),
  "a stream that breaks": () => {
    const start = (controller: ReadableStreamDefaultController) => controller.error(new Error(`reset, key ${canary}`));
    return new Response(new ReadableStream({ start }));
  },
  "a stream that ends": () => body(""),
};

let logged: string[];
beforeEach(() => {
  logged = [];
  for (const name of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, name).mockImplementation((...values) => void logged.push(inspect(values, { depth: 9 })));
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(logged.join()).not.toContain(canary);
});

/** Everything that can be seen of a failed request. */
async function seen(model: ModelAdapter): Promise<string> {
  const events: unknown[] = [];
  const subscriber = { record: (...event: unknown[]) => void events.push(event) };
  const store = new MemoryStore("s1");
  const config = { createModel: () => model, createStore: () => store, systemPrompt: "", subscribers: [subscriber] };
  const session = new GloveClient(config).session("s1");
  const error = await session.sendMessage("Hi").then(
    () => expect.unreachable(),
    (thrown: Error) => thrown,
  );
  const kept = [await session.messages(), await store.getMessages(), store];
  return inspect([error, error.stack, String(error.cause), events, session.getSnapshot(), kept], { depth: 12, showHidden: true });
}

test.each(Object.entries(failures))(
  "%s, at every provider",
  async (_, fail) => {
    for (const { id, models } of known) {
      const fetch = async (url: string) => fail(url);
      const options = { provider: id, model: models[0] ?? "m", apiKey: canary, policy, fetch };
      const all = (["anthropic", "openai_chat", "openai_responses", "gemini"] as const).map((format) =>
        createAdapter({ ...options, format }),
      );
      const streaming = createAdapter({ ...options, stream: false, baseURL: `http://me:${canary}@127.0.0.1/?api_key=${canary}` });
      for (const model of [...all, streaming]) {
        const text = await seen(model);
        expect(text).toContain("MODEL_");
        expect(text, id).not.toContain(canary);
      }
    }
    const options = { policy, fetch: async (url: string) => fail(url) };
    expect(await seen(createEndpointModel(`http://127.0.0.1/chat?token=${canary}`, options))).not.toContain(canary);
    for (const headers of [{ authorization: `Bearer ${canary}` }, async () => ({ "x-own": canary })]) {
      const endpoint = createEndpointModel("http://127.0.0.1/chat", { ...options, headers });
      expect(await seen(endpoint)).not.toContain(canary);
      const asked = endpoint.prompt({ messages: [{ sender: "user", text: "hi" }] }, async () => {});
      expect(inspect(await asked.catch((error: unknown) => error))).not.toContain(canary);
    }
  },
  30_000,
);

test.each(Object.entries(failures))(
  "%s, behind a handler",
  async (_, fail) => {
    for (const { id, models } of known) {
      const told: unknown[] = [];
      const handler = createChatHandler({
        ...{ provider: id, model: models[0] ?? "m", apiKey: canary, policy, providerMessages: "all" },
        fetch: async (url) => fail(url),
        onError: (...error) => void told.push(error),
      });
      const asked = JSON.stringify({ messages: [{ sender: "user", text: "hi" }] });
      const headers = { "content-type": "application/json" };
      const response = await handler(new Request("http://here/", { method: "POST", body: asked, headers }));
      const text = inspect([response.status, [...response.headers], await response.text(), told], { depth: 9 });
      expect(text).toContain("MODEL_");
      expect(text, id).not.toContain(canary);
    }
  },
  30_000,
);
