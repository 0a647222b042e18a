// Models that are asked without a session: what they are sent, what they tell on the way, and how they are stopped.
import {
  AnthropicAdapter,
  Context,
  type CreateAdapterOptions,
  createAdapter,
  MemoryStore,
  type Message,
  type ModelAdapter,
  OpenAICompatAdapter,
  PromptMachine,
} from "glove-wasm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { openProvider, type Provider, speak } from "../support/provider.js";

const key = "sk-canary-4711";
const call = { id: "call_1", name: "look", args: '{"at": 1}' };
const schema = { type: "object", properties: { at: { type: "number" } } };
const tools = [{ name: "look", description: "Looks.", jsonSchema: schema }];
const asks: Message = { sender: "user", text: "Where is it?", metadata: { mood: "secret" } } as Message;

let provider: Provider;
beforeEach(async () => {
  provider = await openProvider();
});
afterEach(() => provider.close());

const options = (more: object = {}) => ({ apiKey: key, baseURL: provider.url, model: "m", policy: { maxRetries: 0 }, ...more });
const adapter = (more: object) => createAdapter(options(more) as CreateAdapterOptions);

const models: [string, () => ModelAdapter, (typeof speak)[keyof typeof speak]][] = [
  ["anthropic", () => adapter({ provider: "anthropic" }), speak.anthropic],
  ["openai", () => adapter({ provider: "openai" }), speak.openai],
  ["gemini", () => adapter({ provider: "gemini", format: "gemini" }), speak.gemini],
  ["AnthropicAdapter", () => new AnthropicAdapter(options()), speak.anthropic],
  ["OpenAICompatAdapter", () => new OpenAICompatAdapter(options()), speak.openai],
];

test.each(models)("a model of %s answers without a session, and tells of its text", async (_, make, say) => {
  const model = make();
  model.setSystemPrompt("Be kind.");
  const told: unknown[] = [];
  provider.reply({ body: say(["Hel", "lo é"], call) }, { body: say(["There."]) });
  const answer = await model.prompt({ messages: [asks], tools }, async (type, data) => void told.push([type, data]));
  expect(answer).toMatchObject({ tokens_in: 7, tokens_out: 5 });
  const [message] = answer.messages;
  expect(message).toMatchObject({ sender: "agent", text: "Hello é", tool_calls: [{ tool_name: "look", input_args: { at: 1 } }] });
  const texts = told.map((event) => (event as [string, { text: string }])[1].text);
  expect([texts.join(""), told[0]]).toEqual(["Hello é", ["text_delta", { text: expect.any(String) }]]);
  const sent = JSON.stringify(provider.asked[0]?.body);
  for (const part of ["Be kind.", "Where is it?", "Looks.", '"at"']) expect(sent).toContain(part);
  expect(sent).not.toContain("secret");
  // The conversation goes on with what it gave.
  const call_id = message?.tool_calls?.[0]?.id as string;
  const result = {
    tool_name: "look",
    call_id,
    result: { status: "success" as const, data: "under the bed", renderData: "secret" },
  };
  const further: Message[] = [asks, message as Message, { sender: "user", text: "tool results", tool_results: [result] }];
  expect(await model.prompt({ messages: further, tools }, async () => {})).toMatchObject({ messages: [{ text: "There." }] });
  expect(JSON.stringify(provider.asked[1]?.body)).toContain("under the bed");
  expect(JSON.stringify(provider.asked[1]?.body)).not.toContain("secret");
});

test("a tool may have another schema than a JSON Schema, and without tools none are sent", async () => {
  const model = adapter({ provider: "openai" });
  provider.reply({ body: speak.openai(["Hi"]) });
  const input_schema = z.object({ city: z.string() });
  await model.prompt({ messages: [asks], tools: [{ name: "t", description: "", input_schema } as never] }, async () => {});
  expect(provider.asked[0]?.body.tools[0].function.parameters.properties).toEqual({ city: { type: "string" } });
  await model.prompt({ messages: [asks] }, async () => {});
  expect(provider.asked[1]?.body).not.toHaveProperty("tools");
});

test("a prompt machine asks a provider", async () => {
  provider.reply({ body: speak.openai(["Hi"]) });
  const machine = new PromptMachine(adapter({ provider: "openai" }), new Context(new MemoryStore("s")), "Be short.");
  expect(await machine.run([asks])).toMatchObject({ messages: [{ text: "Hi" }] });
  expect(provider.asked[0]?.body.messages[0]).toMatchObject({ content: "Be short." });
});

test("what a provider refuses is an error with its code and words, and without the key", async () => {
  provider.reply({ status: 401, body: [JSON.stringify({ error: { message: `bad key ${key}` } })] });
  const failed = adapter({ provider: "openai" }).prompt({ messages: [asks] }, async () => {});
  const error = await failed.catch((error: unknown) => error as Error);
  expect(error).toMatchObject({ code: "MODEL_AUTHENTICATION", message: expect.stringContaining("bad key") });
  expect(String(error)).not.toContain(key);
});

test("a stop ends the prompt with its reason and the request to the provider", async () => {
  const model = adapter({ provider: "openai" });
  const stop = new AbortController();
  provider.reply({ body: [...speak.openai(["Hel"]).slice(0, 2), 5_000, "data: [DONE]\n\n"] });
  const asked = model.prompt({ messages: [asks] }, async () => stop.abort(new Error("enough")), stop.signal);
  await expect(asked).rejects.toThrow("enough");
  await vi.waitFor(() => expect(provider.asked[0]?.left).toBeDefined());
  await expect(model.prompt({ messages: [asks] }, async () => {}, stop.signal)).rejects.toThrow("enough");
  expect(provider.asked).toHaveLength(1);
  const early = new AbortController();
  provider.reply({ silent: 5_000, body: [] });
  const waiting = model.prompt({ messages: [asks] }, async () => {}, early.signal);
  await vi.waitFor(() => expect(provider.asked).toHaveLength(2));
  early.abort(new Error("too slow"));
  await expect(waiting).rejects.toThrow("too slow");
  await vi.waitFor(() => expect(provider.asked[1]?.left).toBeDefined());
});
