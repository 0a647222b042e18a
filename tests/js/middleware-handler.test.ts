// Middleware of a chat handler: around a provider and around a model of the application, and around the handler's own tools.
import {
  createEndpointModel,
  defineMiddleware,
  defineTool,
  GloveClient,
  MemoryStore,
  type Middleware,
  type ToolConfig,
} from "glove-wasm";
import { serverTools } from "glove-wasm/remote";
import { type ChatHandlerConfig, createChatHandler, type GloveError } from "glove-wasm/server";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { openProvider, type Provider, speak } from "../support/provider.js";
import { texts, until } from "../support/session.js";

const key = "sk-canary-4711";
const providers: Provider[] = [];
afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.close();
});

const around = (name: string, more: Omit<Middleware, "name">) => defineMiddleware({ name, ...more });

/** A page whose endpoint is a handler, over responses without a network. */
function page(config: ChatHandlerConfig, more: { tools?: boolean } = {}) {
  const errors: GloveError[] = [];
  const handler = createChatHandler({ onError: (error) => errors.push(error), ...config });
  const bodies: string[] = [];
  const statuses: number[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    if (typeof init.body === "string") bodies.push(init.body);
    const response = await handler(new Request(new URL(String(url), "http://here"), init));
    statuses.push(response.status);
    return response;
  };
  const store = new MemoryStore("s");
  const session = new GloveClient({
    createModel: () => createEndpointModel("http://here/api/chat", { fetch }),
    createStore: () => store,
    systemPrompt: "You are a test.",
    ...(more.tools && { plugins: [serverTools("http://here/api/chat", { fetch })] }),
  }).session("s");
  return { session, errors, bodies, statuses, shown: () => texts(session.getSnapshot()) };
}

function own(script: ScriptedAnswer[], middleware: Middleware[], more: Partial<ChatHandlerConfig> = {}, options = {}) {
  const model = createScriptedModel(script);
  return { ...page({ createModel: () => model, middleware, ...more } as ChatHandlerConfig, options), model };
}

async function anthropic(middleware: Middleware[], more: Partial<ChatHandlerConfig> = {}) {
  const provider = await openProvider();
  providers.push(provider);
  const config = { provider: "anthropic", apiKey: key, baseURL: provider.url, policy: { maxRetries: 0 }, middleware, ...more };
  return { ...page(config as ChatHandlerConfig), provider };
}

const codeOf = (error: unknown) => (error as { readonly code?: string }).code;
const failing = (sending: Promise<unknown>) =>
  sending.then(
    () => expect.fail("it was answered"),
    (error: unknown) => error as Error,
  );

test("a middleware stands around the provider: it sees no key, and the provider is asked with what it made", async () => {
  const seen: string[] = [];
  const log = around("log", {
    async wrapModelCall(call, next) {
      seen.push(JSON.stringify(call));
      const messages = call.messages.map((message) => ({ ...message, text: message.text.replace("Ann", "[name]") }));
      const result = await next({ systemPrompt: "Be brief.", messages });
      seen.push(JSON.stringify(result));
      return result;
    },
  });
  const { session, provider, shown } = await anthropic([log], { owner: () => "ann", services: () => ({ place: "server" }) });
  provider.reply({ body: speak.anthropic(["Hel", "lo."]) });
  expect(await session.sendMessage("I am Ann")).toMatchObject({ type: "completed", text: "Hello." });
  const asked = JSON.stringify(provider.asked[0]?.body);
  expect(asked).toContain("Be brief.");
  expect(asked).toContain("I am [name]");
  expect(asked).not.toContain("Ann");
  expect(provider.asked[0]?.findings).toEqual([]);
  const call = { systemPrompt: "You are a test.", userId: "ann", services: { place: "server" } };
  expect(JSON.parse(seen[0] ?? "")).toMatchObject(call);
  expect(JSON.parse(seen[1] ?? "")).toMatchObject({ tokens_in: 7, tokens_out: 5 });
  expect(seen.join()).not.toContain(key);
  expect(shown()).toEqual(["user: I am Ann", "agent: Hello."]);
  expect(session.getSnapshot().stats).toMatchObject({ tokens_in: 7, tokens_out: 5 });
});

test("what a provider answers and asks back comes through a middleware that changes nothing, as without it", async () => {
  const answers = [];
  for (const middleware of [undefined, [around("none", { wrapModelCall: (_, next) => next(), guardOutput: () => {} })]]) {
    const { provider, bodies, session } = await anthropic(middleware ?? [], { reasoning: true });
    provider.reply(
      { body: speak.anthropic(["Look."], { id: "call_1", name: "look", args: '{"a": 1}' }, "hm") },
      { body: speak.anthropic(["Done."]) },
    );
    session.configure({
      tools: [defineTool({ name: "look", description: "", inputSchema: z.object({ a: z.number() }), do: () => 2 }) as ToolConfig],
    });
    await session.sendMessage("hi");
    const messages = (await session.messages()).map(({ at: _, id: __, prompt_id: ___, tool_results, ...message }) => [
      message,
      tool_results?.length,
    ]);
    answers.push([
      provider.asked.map(({ body }) => body),
      bodies.map((body) => JSON.parse(body) as unknown),
      messages,
      session.getSnapshot().stats,
    ]);
  }
  expect(answers[1]).toEqual(answers[0]);
});

test("an answer without the provider asks nobody and costs nothing", async () => {
  const cache = around("faq", {
    wrapModelCall: () => ({ messages: [{ sender: "agent", text: "Known." }], tokens_in: 9, tokens_out: 9 }),
  });
  const { session, provider } = await anthropic([cache]);
  expect(await session.sendMessage("hi")).toMatchObject({ type: "completed", text: "Known." });
  expect(provider.asked).toEqual([]);
  expect((await session.messages()).at(-1)).toMatchObject({ usage: { tokens_in: 0, tokens_out: 0 } });
});

test.each(["provider", "own"])(
  "a guard ends a stream of a %s; the page keeps what had passed, and its error says why",
  async (kind) => {
    const guard = around("guard", {
      guardOutput: ({ text }) => (text.includes("secret") ? { stop: "It told a secret." } : undefined),
    });
    const asked = kind === "own" ? own([{ deltas: ["The word ", "is secret"] }], [guard]) : await anthropic([guard]);
    if ("provider" in asked) asked.provider.reply({ body: speak.anthropic(["The word ", "is secret"]) });
    const error = await failing(asked.session.sendMessage("hi"));
    expect([codeOf(error), error.message]).toEqual(["MIDDLEWARE_STOPPED", "It told a secret."]);
    // What a provider sends in one piece is one piece to the guard.
    expect(["agent: The word  (cut)", ...(kind === "own" ? [] : [undefined])]).toContain(asked.shown()[1]);
    expect(asked.errors.map(({ code }) => code)).toEqual(["MIDDLEWARE_STOPPED"]);
    expect(asked.bodies).toHaveLength(1);
  },
);

test.each(["provider", "own"])("a guard of a %s that holds back lets nothing out of an answer that it stops", async (kind) => {
  const guard = around("guard", {
    holdBack: true,
    guardOutput: ({ text }) => (text.includes("secret") ? { stop: "It told a secret." } : undefined),
  });
  const asked = kind === "own" ? own([{ deltas: ["The word ", "is secret"] }], [guard]) : await anthropic([guard]);
  if ("provider" in asked) asked.provider.reply({ body: speak.anthropic(["The word ", "is secret"]) });
  const error = await failing(asked.session.sendMessage("hi"));
  expect([codeOf(error), error.message]).toEqual(["MIDDLEWARE_STOPPED", "It told a secret."]);
  expect(asked.shown()).toEqual(["user: hi"]);
  expect([asked.statuses, asked.bodies.length]).toEqual([[403], 1]);
});

test("what fails in a middleware is told to the server, and to a client only that it failed", async () => {
  const bad = around("bad", { wrapModelCall: () => Promise.reject(new Error("password hunter2")) });
  const { session, errors, model, statuses } = own(["Never."], [bad]);
  const error = await failing(session.sendMessage("hi"));
  expect([codeOf(error), error.message]).toEqual(["MIDDLEWARE_FAILED", "A middleware of this server failed."]);
  expect(errors.map(({ code, message }) => [code, message])).toEqual([
    ["MIDDLEWARE_FAILED", 'The middleware "bad" failed: password hunter2.'],
  ]);
  expect([model.calls.length, statuses]).toEqual([0, [500]]);
});

test("what a provider refuses with is told as without a middleware", async () => {
  const told = [];
  for (const middleware of [[], [around("log", { wrapModelCall: (_, next) => next() })]]) {
    const { session, provider, errors, statuses } = await anthropic(middleware);
    const body = { type: "error", error: { type: "rate_limit_error", message: `Too many requests of ${key}` } };
    provider.reply({ status: 429, headers: { "retry-after": "0" }, body: [JSON.stringify(body)] });
    const error = await failing(session.sendMessage("hi"));
    told.push([codeOf(error), error.message, errors.map(({ code, message }) => [code, message]), statuses]);
    session.dispose();
  }
  expect(told[1]).toEqual(told[0]);
  expect(JSON.stringify(told)).not.toContain(key);
});

test("arguments that a middleware changes in an answer are those that are signed, shown and run", async () => {
  const inputs: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    inputSchema: z.object({ amount: z.number() }),
    requireApproval: true,
    do: (input) => void inputs.push(input),
  });
  const seen: unknown[] = [];
  const limit = around("limit", {
    async wrapModelCall(_, next) {
      const result = await next();
      const messages = result.messages.map((message) => ({
        ...message,
        ...(message.tool_calls && { tool_calls: message.tool_calls.map((call) => ({ ...call, input_args: { amount: 10 } })) }),
      }));
      return { ...result, messages };
    },
    wrapToolCall({ name, input, userId }, next) {
      seen.push([name, input, userId]);
      return next();
    },
  });
  const script = [{ toolCalls: [{ name: "pay", input: { amount: 5000 } }] }, "Paid."];
  const { session } = own(
    script,
    [limit],
    { tools: [pay as ToolConfig], toolSecret: "a secret", owner: () => "ann" },
    { tools: true },
  );
  const sending = session.sendMessage("pay");
  const { approvals } = await until(session, (snapshot) => snapshot.approvals.length > 0);
  expect(approvals[0]).toMatchObject({ input: { amount: 10 } });
  session.approve(approvals[0]?.toolCallId ?? "");
  expect(await sending).toMatchObject({ text: "Paid." });
  expect([inputs, seen]).toEqual([[{ amount: 10 }], [["pay", { amount: 10 }, "ann"]]]);
});

test("a tool of the handler that a middleware answers, refuses or breaks does not run, and the record says which", async () => {
  const run = async (wrapToolCall: Middleware["wrapToolCall"]) => {
    const inputs: unknown[] = [];
    const look = defineTool({
      name: "look",
      description: "Looks.",
      inputSchema: z.object({}),
      do: (input) => void inputs.push(input),
    });
    const script = [{ toolCalls: [{ name: "look" }] }, "Done."];
    const middleware = [around("m", wrapToolCall ? { wrapToolCall } : {})];
    const scene = own(script, middleware, { tools: [look as ToolConfig], toolSecret: "a secret" }, { tools: true });
    await scene.session.sendMessage("hi");
    const results = (await scene.session.messages()).flatMap(({ tool_results = [] }) => tool_results.map(({ result }) => result));
    return { inputs, results, errors: scene.errors.map(({ code }) => code) };
  };
  expect(await run(() => ({ status: "success", data: 1 }))).toMatchObject({
    inputs: [],
    results: [{ status: "success", data: 1, outcome: "cached", answered_by: "m" }],
  });
  expect(await run(() => ({ stop: "Not today." }))).toMatchObject({
    inputs: [],
    results: [{ status: "error", message: "Not today.", outcome: "denied" }],
  });
  const broken = await run(() => Promise.reject(new Error("password hunter2")));
  expect(broken).toMatchObject({
    inputs: [],
    results: [{ status: "error" }],
    errors: expect.arrayContaining(["MIDDLEWARE_FAILED"]),
  });
  expect(JSON.stringify(broken.results)).not.toContain("hunter2");
  expect(broken.results[0]?.message).toContain("a middleware failed on the server");
});

test("who goes away ends a middleware that hangs", async () => {
  let signal: AbortSignal | undefined;
  const hangs = around("hangs", {
    wrapModelCall: (call) => {
      signal = call.signal;
      return new Promise(() => {});
    },
  });
  const { session, model } = own(["Never."], [hangs]);
  const sending = session.sendMessage("hi");
  await expect.poll(() => signal).toBeDefined();
  session.abort();
  expect(await sending).toMatchObject({ type: "aborted" });
  await expect.poll(() => signal?.aborted).toBe(true);
  expect(model.calls).toHaveLength(0);
});

test("a client may choose a further model, and what is refused is refused when the handler is made", async () => {
  const names: string[] = [];
  const log = around("log", {
    wrapModelCall: (call, next) => {
      names.push(call.model);
      return next();
    },
  });
  const provider = await openProvider();
  providers.push(provider);
  provider.reply({ body: speak.anthropic(["Hi."]) });
  const models = { model: "claude-a", models: ["claude-b"] };
  const handler = createChatHandler({
    provider: "anthropic",
    apiKey: key,
    baseURL: provider.url,
    middleware: [log],
    ...models,
    onError() {},
  });
  const ask = async (model?: string) => {
    const body = JSON.stringify({ systemPrompt: "s", messages: [{ sender: "user", text: "hi" }], ...(model && { model }) });
    const response = await handler(
      new Request("http://here/", { method: "POST", body, headers: { "content-type": "application/json" } }),
    );
    await response.text();
    return response.status;
  };
  expect([await ask(), await ask("claude-b"), await ask("claude-a"), await ask("other")]).toEqual([200, 200, 200, 400]);
  expect(provider.asked.map(({ body }) => body.model)).toEqual(["claude-a", "claude-b", "claude-a"]);
  expect(names).toEqual(["claude-a", "claude-b", "claude-a"]);
  const wrong = { createModel: () => createScriptedModel([]), middleware: [{ name: "a", wrapGenerate() {} } as never] };
  expect(() => createChatHandler(wrong)).toThrow(/wrapGenerate/);
});
