// The adapters of one provider, by glove's names.
import {
  AnthropicAdapter,
  BedrockAdapter,
  createAdapter,
  Glove,
  MimoAdapter,
  type ModelAdapter,
  OpenAICompatAdapter,
  OpenRouterAdapter,
} from "glove-wasm";
import { expect, expectTypeOf, test } from "vitest";

const table = [
  ["anthropic", AnthropicAdapter, "https://api.anthropic.com/v1/messages"],
  ["openai", OpenAICompatAdapter, "https://api.openai.com/v1/chat/completions"],
  ["openrouter", OpenRouterAdapter, "https://openrouter.ai/api/v1/chat/completions"],
  ["mimo", MimoAdapter, "https://api.xiaomimimo.com/v1/chat/completions"],
] as const;

/** Where a model asks, and what for. */
async function asked(make: (fetch: (url: string, init: RequestInit) => Promise<Response>) => ModelAdapter) {
  const sent: unknown[] = [];
  const model = make(async (url, { body }) => {
    sent.push([url, JSON.parse(String(body))]);
    return new Response('{"error":{"message":"no"}}', { status: 400 });
  });
  const agent = new Glove({ model, systemPrompt: "Be short." }).build();
  await expect(agent.processRequest("Hi")).rejects.toMatchObject({ code: "MODEL_BAD_REQUEST" });
  return sent;
}

test.each(table)("a new adapter of %s asks what createAdapter would", async (provider, Adapter, url) => {
  const options = { model: "m", apiKey: "k", maxTokens: 100 };
  const sent = await asked((fetch) => new Adapter({ ...options, fetch }));
  expect(sent).toEqual(await asked((fetch) => createAdapter({ provider, ...options, fetch })));
  expect(sent).toEqual([[url, expect.objectContaining({ model: "m" })]]);
});

test("an address of its own, and another line of the table", async () => {
  const options = { model: "m", apiKey: "k" };
  const own = await asked((fetch) => new OpenAICompatAdapter({ ...options, baseURL: "https://models.example.com/v1", fetch }));
  expect(own).toEqual([["https://models.example.com/v1/chat/completions", expect.anything()]]);
  const kimi = await asked((fetch) => new OpenAICompatAdapter({ ...options, provider: "kimi", fetch }));
  expect(kimi).toEqual(await asked((fetch) => createAdapter({ provider: "kimi", ...options, fetch })));
});

test("options that cannot be are refused as those of createAdapter are", () => {
  expect(() => new AnthropicAdapter({ apiKey: "k", maxTokens: 0 })).toThrow(expect.objectContaining({ code: "MODEL_CONFIG" }));
});

test("their types are names too", () => {
  const model: AnthropicAdapter = new AnthropicAdapter({ apiKey: "k" });
  expectTypeOf(model).toExtend<ModelAdapter>();
  expectTypeOf<OpenAICompatAdapter>().toEqualTypeOf<ModelAdapter>();
  expectTypeOf<OpenRouterAdapter>().toEqualTypeOf<ModelAdapter>();
  // @ts-expect-error a limit is a number
  expect(() => new AnthropicAdapter({ apiKey: "k", maxTokens: "many" })).toThrow();
});

test("a model of Bedrock is refused with what to do in its place", () => {
  expect(() => new BedrockAdapter({ model: "m" })).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/not supported.*endpoint/) }),
  );
});
