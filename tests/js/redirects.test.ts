// A redirect would take the key, and what was said, to another server: it is not followed, and is told as what it is.
import { createAdapter, createEndpointModel, GloveClient, type GloveError, MemoryStore, type ModelAdapter } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openProvider, type Provider } from "../support/provider.js";

const canary = "sk-canary-4711";
const policy = { maxRetries: 2 };
let elsewhere: Provider;
let moved: Provider;
let there: string;

beforeEach(async () => {
  [elsewhere, moved] = await Promise.all([openProvider(), openProvider()]);
  elsewhere.reply({
    body: ['data: {"type":"done","message":{"sender":"agent","text":"got it"},"tokens_in":1,"tokens_out":1}\n\n'],
  });
  // Another name of the host: what `fetch` takes along to its own origin is not the question.
  there = `${elsewhere.url.replace("127.0.0.1", "localhost")}/new/api/chat`;
  moved.reply({ status: 307, body: [], headers: { location: there } });
});
afterEach(async () => {
  await Promise.all([elsewhere.close(), moved.close()]);
});

const failureOf = (model: ModelAdapter): Promise<GloveError> => {
  const config = { createModel: () => model, createStore: () => new MemoryStore("s1"), systemPrompt: "" };
  const sending = new GloveClient(config).session("s1").sendMessage("Hi");
  return sending.then(
    () => expect.unreachable(),
    (error: GloveError) => error,
  );
};

test.each([
  ["Anthropic's", { provider: "anthropic", apiKey: canary }],
  ["OpenAI's", { provider: "openai", apiKey: canary }],
  ["Gemini's", { provider: "gemini", format: "gemini", apiKey: canary }],
  ["no", { provider: "ollama", model: "m" }],
] as const)("an adapter with %s key follows no redirect", async (_, options) => {
  const error = await failureOf(createAdapter({ ...options, baseURL: moved.url, policy }));
  expect(error.code).toBe("MODEL_CONFIG");
  expect(error.message).toContain(`a redirect to ${there}, which is not followed`);
  expect([moved.asked.length, elsewhere.asked]).toEqual([1, []]);
});

test.each([
  ["a list", { authorization: `Bearer ${canary}` }],
  ["a function", async () => ({ "x-own": canary })],
])("an endpoint with headers from %s follows no redirect, asked by the core or by itself", async (_, headers) => {
  const model = createEndpointModel(`${moved.url}/api/chat`, { headers, policy });
  for (const error of [
    await failureOf(model),
    await model.prompt({ messages: [{ sender: "user", text: "Hi" }] }, async () => {}).catch((error) => error),
  ]) {
    expect(error.code).toBe("MODEL_CONFIG");
    expect(error.message).toContain(`redirect to ${there}`);
  }
  expect([moved.asked.length, elsewhere.asked]).toEqual([2, []]);
});

test("an endpoint without headers may lie behind a redirect", async () => {
  const model = createEndpointModel(`${moved.url}/api/chat`);
  expect((await model.prompt({ messages: [{ sender: "user", text: "Hi" }] }, async () => {})).messages[0]?.text).toBe("got it");
  const config = { createModel: () => model, createStore: () => new MemoryStore("s1"), systemPrompt: "" };
  expect(await new GloveClient(config).session("s1").sendMessage("Hi")).toMatchObject({ text: "got it" });
});

test("where browsers hide it, the error says what is known", async () => {
  const hidden = async (_: string, { redirect }: RequestInit) => {
    expect(redirect).toBe("manual");
    return Object.defineProperty(new Response(null), "status", { value: 0 });
  };
  for (const model of [
    createEndpointModel("/x", { headers: { "x-own": canary }, fetch: hidden }),
    createAdapter({ provider: "openai", apiKey: canary, fetch: hidden }),
  ]) {
    const error = await failureOf(model);
    expect([error.code, error.message]).toEqual(["MODEL_CONFIG", expect.stringContaining("a redirect, which is not followed")]);
  }
});

test("a handler's redirect is a fault of its settings, which its console says", async () => {
  const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => {});
  const handle = createChatHandler({ provider: "anthropic", apiKey: canary, baseURL: moved.url });
  const body = JSON.stringify({ messages: [{ sender: "user", text: "Hi" }] });
  const headers = { "content-type": "application/json" };
  const response = await handle(new Request("http://here/", { method: "POST", headers, body }));
  const { error } = await response.json();
  expect([response.status, error.code]).toEqual([500, "MODEL_CONFIG"]);
  expect(JSON.stringify(error)).not.toContain("localhost");
  expect(console.mock.calls).toEqual([[expect.stringContaining(`a redirect to ${there}, which is not followed`)]]);
  expect([moved.asked.length, elsewhere.asked]).toEqual([1, []]);
  console.mockRestore();
});
