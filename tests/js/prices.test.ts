// What prompts cost: by prices of the application, for budgets too, with agents, summaries and chat handlers.
import {
  createEndpointModel,
  defineAgent,
  GloveClient,
  type GloveClientConfig,
  MemoryStore,
  type ModelAdapter,
} from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openProvider, type Provider, speak } from "../support/provider.js";

const million = { tokens_in: 1_000_000, tokens_out: 1_000_000 };
const named = (name: string, script: readonly ScriptedAnswer[]): ModelAdapter =>
  Object.assign(createScriptedModel(script), { name });
const prices = { cheap: { input: 0.5, output: 1.5 }, "dear*": { input: 2, output: 10, cacheRead: 0.5 } };

const open = (model: ModelAdapter, config: Partial<GloveClientConfig> = {}) =>
  new GloveClient({ createModel: () => model, prices, createStore: (id) => new MemoryStore(id), ...config }).session("s");

const costs = async (session: ReturnType<typeof open>) => (await session.prompts()).map(({ usage }) => usage.cost);

test("a prompt costs what the prices of its models say, before what the model tells, and a model without a price nothing", async () => {
  const usage = { ...million, cache_read_input_tokens: 400_000 };
  const high = named("dear-1", [{ text: "a", usage }]);
  const odd = named("odd", [{ text: "b", usage }]);
  const told = named("told", [{ text: "c", usage: { ...usage, cost: 0.25 } }]);
  const usual = named("cheap", [{ text: "d", usage: { ...million, cost: 99 } }]);
  const session = open(usual, { models: { high, odd, told } });
  for (const model of ["normal", "high", "odd", "told"]) await session.sendMessage({ text: model, model });
  expect(await costs(session)).toEqual([2, 1.2 + 0.2 + 10, undefined, 0.25]);
  expect(session.getSnapshot().stats.cost).toBeCloseTo(13.65, 9);
});

test("a budget of money pauses a prompt by the prices, and others are used from the next call on", async () => {
  const again = { toolCalls: [{ name: "t", input: {} }], usage: million };
  const tools = [{ name: "t", description: "", jsonSchema: { type: "object" }, do: () => "1" }];
  const session = open(named("cheap", [again, again, again, { text: "x", usage: million }]), { tools, budgets: { cost: 4 } });
  expect(await session.sendMessage("Go")).toMatchObject({ type: "paused", rule: "cost" });
  expect(await costs(session)).toEqual([4]);
  session.configure({ prices: { cheap: { input: 0, output: 0 } } });
  expect(await session.resume()).toMatchObject({ type: "completed", text: "x" });
  expect(await costs(session)).toEqual([4]);
});

test("the cost of an agent counts into the prompt that called it, and into its budget", async () => {
  const inner = named("dear-2", [{ text: "Rain.", usage: million }]);
  const agent = defineAgent({ name: "researcher", description: "Finds out.", systemPrompt: "", model: inner });
  const outer = named("cheap", [
    { toolCalls: [{ name: "researcher", input: { task: "?" } }], usage: million },
    { text: "Done.", usage: million },
  ]);
  const session = open(outer, { tools: [agent], budgets: { cost: 13 } });
  expect(await session.sendMessage("Go")).toMatchObject({ type: "paused", rule: "cost" });
  await session.resume();
  const [prompt] = await session.prompts();
  expect(prompt?.usage).toEqual({ tokens_in: 3_000_000, tokens_out: 3_000_000, cost: 2 + 12 + 2 });
});

test("a summary costs too, and is part of the prompt for which it was written", async () => {
  const model = createScriptedModel(Array.from({ length: 9 }, (_, at) => ({ text: `Answer ${at}.`, usage: million })));
  const session = open(model, { prices: { "*": { input: 0.5, output: 1.5 } }, compaction: { compaction_context_limit: 10 } });
  for (const text of ["one", "two", "three"]) await session.sendMessage(text);
  const all = await costs(session);
  // The first has nothing to be summarised.
  expect(all).toEqual([2, 4, 4]);
  expect(model.calls).toHaveLength(5);
  expect(session.getSnapshot().stats.cost).toBe(10);
});

test.each([
  ["a number", 5],
  ["a list", []],
  ["a price that is none", { m: { input: "1", output: 2 } }],
  ["a negative price", { m: { input: -1, output: 2 } }],
  ["a price without an end", { m: { input: Number.POSITIVE_INFINITY, output: 2 } }],
  ["half a price", { m: { input: 1 } }],
  ["a name that no price has", { m: { input: 1, output: 2, cached: 3 } }],
])("prices that are %s are refused where they are given", (_, given) => {
  const config = { createModel: () => createScriptedModel([]), prices: given } as never;
  expect(() => new GloveClient(config)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  const handler = { provider: "openai", apiKey: "k", prices: given } as never;
  expect(() => createChatHandler(handler)).toThrow("`prices` must be prices by model");
});

let provider: Provider;
beforeEach(async () => {
  provider = await openProvider();
});
afterEach(() => provider.close());

test("a chat handler tells what its model costs, and prices of the client count before it", async () => {
  const handler = createChatHandler({
    provider: "openai",
    apiKey: "k",
    model: "gpt-9",
    baseURL: provider.url,
    prices: { "gpt-*": { input: 1_000, output: 2_000 } },
  });
  const url = "http://localhost/api/chat";
  const endpoint = () => createEndpointModel(url, { fetch: (to, init) => handler(new Request(to, init)) });
  provider.reply({ body: speak.openai(["Hi"]) }, { body: speak.openai(["Hi"]) });
  const session = open(endpoint());
  await session.sendMessage("Hi");
  // 7 tokens in, 5 out.
  expect(await costs(session)).toEqual([0.017]);
  const own = open(endpoint(), { prices: { [`endpoint:${url}`]: { input: 0, output: 1_000_000 } } });
  await own.sendMessage("Hi");
  expect(await costs(own)).toEqual([5]);
});
