// The chat handler in Node, between our own clients (and strict ones) and a provider on localhost.
import { setTimeout as sleep } from "node:timers/promises";
import {
  createEndpointModel,
  defineTool,
  GloveClient,
  GloveError,
  jsonSchema,
  type Message,
  type ModelAdapter,
  type PromptRequest,
} from "glove-wasm";
import { type ChatHandler, type ChatHandlerConfig, createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openProvider, type Provider, speak } from "../support/provider.js";
import { serve } from "../support/server.js";
import { strictEvents } from "../support/strict-client.js";

const canary = "sk-canary-4711";
const call = { id: "call_1", name: "look", args: '{"a": 1}' };
const hi: Message = { sender: "user", text: "hi" };
const tool = { name: "look", description: "Looks.", parameters: { type: "object", properties: { a: { type: "number" } } } };

let provider: Provider;
let errors: string[];

beforeEach(async () => {
  provider = await openProvider();
  errors = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await provider.close();
  expect(errors.join()).not.toContain(canary);
});

function handler(config: Partial<ChatHandlerConfig> = {}): ChatHandler {
  return createChatHandler({
    provider: "anthropic",
    apiKey: canary,
    baseURL: provider.url,
    onError: (error) => errors.push(`${error.code}: ${error.message}`),
    ...config,
  });
}

function post(body: unknown = { systemPrompt: "s", messages: [hi] }, init: RequestInit = {}): Request {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Request("http://here/api/chat", {
    method: "POST",
    body: text,
    headers: { "content-type": "application/json" },
    ...init,
  });
}

/** The status and the error of a refused request. */
async function refusal(response: Response) {
  const text = await response.text();
  expect(text).not.toContain(canary);
  return { status: response.status, ...JSON.parse(text).error };
}

const shapes = [
  ["Anthropic", speak.anthropic, {}, "/v1/messages"],
  ["OpenAI chat", speak.openai, { provider: "openai" }, "/chat/completions"],
  ["Gemini", speak.gemini, { provider: "gemini", format: "gemini" }, "/models/gemini-3.8-flash:streamGenerateContent?alt=sse"],
] as const;

test.each(shapes)("an answer of %s is streamed in the original's words", async (_, say, config, path) => {
  provider.reply({ body: say(["Hel", "lo é"], call) });
  const response = await handler(config)(post({ systemPrompt: "Be kind.", messages: [hi], tools: [tool] }));
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toEqual({
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    connection: "keep-alive",
    "x-accel-buffering": "no",
  });
  const events = await strictEvents(response);
  const text = events.filter(({ type }) => type === "text_delta").map(({ text }) => text);
  expect(text.join("")).toBe("Hello é");
  const used = events.find(({ type }) => type === "tool_use");
  expect(used).toEqual({ type: "tool_use", id: expect.stringMatching(/^call_/), name: "look", input: { a: 1 } });
  const done = events.at(-1);
  expect(done).toMatchObject({
    type: "done",
    message: { sender: "agent", text: "Hello é", tool_calls: [{ tool_name: "look", input_args: { a: 1 }, id: used.id }] },
    tokens_in: 7,
    tokens_out: 5,
  });
  expect(provider.asked[0]?.path).toBe(path);
  expect(provider.asked[0]?.headers).toMatchObject({ "content-type": "application/json", accept: "application/json" });
  expect(JSON.stringify(provider.asked[0]?.body)).toContain("Be kind.");
  expect(JSON.stringify(provider.asked[0]?.headers)).toContain(canary);
  expect(JSON.stringify(events)).not.toContain(canary);
});

test("text comes as the model writes it, one piece for each chunk", async () => {
  const [start, open, ...rest] = speak.anthropic(["a", "b", "c"]) as [string, string, ...string[]];
  provider.reply({ body: [start + open + rest.slice(0, 2).join(""), 60, rest.slice(2).join("")] });
  const reader = (await handler()(post())).body?.getReader();
  const pieces: string[] = [];
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
    pieces.push(new TextDecoder().decode(piece.value));
  }
  expect(pieces[0]).toBe('data: {"type":"text_delta","text":"ab"}\n\n');
  expect(pieces.slice(1).join("")).toMatch(/^data: \{"type":"text_delta","text":"c"\}\n\ndata: \{"type":"done",/);
});

test("reasoning is an event of its own, or a part of the text where that is asked for", async () => {
  const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
  const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  provider.reply({ body: [chunk({ reasoning_content: "hm" }), chunk({ content: "Yes" }), end] });
  const own = await strictEvents(await handler({ provider: "openai" })(post()));
  expect(own.map(({ type }) => type)).toEqual(["reasoning_delta", "text_delta", "done"]);
  const inText = await strictEvents(await handler({ provider: "openai", includeReasoningInText: true })(post()));
  const texts = inText.filter(({ type }) => type === "text_delta").map(({ text }) => text);
  expect([texts.join(""), inText.at(-1).message.text]).toEqual(["<think>hm</think>Yes", "<think>hm</think>Yes"]);
});

test("arguments that are no JSON stay a text", async () => {
  provider.reply({ body: speak.openai([], { ...call, args: '{"a": ' }) });
  const events = await strictEvents(await handler({ provider: "openai" })(post()));
  expect(events.find(({ type }) => type === "tool_use").input).toBe('{"a": ');
});

test.each(shapes)("arguments that a model of %s breaks into lines are one line for a client", async (_, say, config) => {
  const input = { a: "Bos\nton", days: [1, { n: 2 }] };
  const lines = JSON.stringify(input, null, 2);
  for (const args of [lines, lines.replaceAll("\n", "\r\n")]) {
    provider.reply({ body: say([], { ...call, args }) });
    const events = await strictEvents(await handler(config)(post({ systemPrompt: "", messages: [hi], tools: [tool] })));
    expect(events.filter(({ type }) => type !== "tool_input_delta").map(({ type }) => type)).toEqual(["tool_use", "done"]);
    expect(events.at(-2).input).toEqual(input);
    expect(events.at(-1).message.tool_calls).toMatchObject([{ tool_name: "look", input_args: input }]);
  }
});

test("a client of the original may send what its tool returned in the place of a result", async () => {
  const asks = {
    sender: "agent",
    text: "",
    tool_calls: ["a", "b", "c"].map((id) => ({ tool_name: "look", input_args: {}, id })),
  };
  const returned = ["20 degrees", { degrees: 20 }, { status: "error", message: "no", data: null }];
  const tool_results = ["a", "b", "c"].map((call_id, at) => ({ tool_name: "look", call_id, result: returned[at] }));
  provider.reply({ body: speak.openai(["Warm."]) });
  const messages = [hi, asks, { sender: "user", text: "tool results", tool_results }];
  const events = await strictEvents(await handler({ provider: "openai" })(post({ systemPrompt: "s", messages, tools: [tool] })));
  expect(events.at(-1)).toMatchObject({ type: "done", message: { text: "Warm." } });
  const told = provider.asked[0]?.body.messages.filter(({ role }: { role: string }) => role === "tool");
  expect(told.map(({ content }: { content: string }) => content)).toEqual(["20 degrees", '{"degrees":20}', "Error: no"]);
});

const body = (message: string) => [JSON.stringify({ error: { type: "x", message } })];
test.each([
  [400, "tools.0: bad schema", 400, "MODEL_BAD_REQUEST", "tools.0: bad schema"],
  [400, "prompt is too long: 9 tokens > 8", 400, "MODEL_CONTEXT_LENGTH", "prompt is too long: 9 tokens > 8"],
  [401, `bad key ${canary}`, 502, "MODEL_AUTHENTICATION", "The model's provider rejected this server's API key."],
  [403, "org 7 has no access", 502, "MODEL_AUTHENTICATION", "The model's provider rejected this server's API key."],
  [402, "pay 12 dollars", 502, "MODEL_RATE_LIMIT", "This server's account with the model's provider has no quota left."],
  [400, "no model at http://vllm.internal:8000/v1 for org-Ab12", 400, "MODEL_BAD_REQUEST", "no model at … for …"],
  [429, "org-Ab12 is over its limit", 429, "MODEL_RATE_LIMIT", "The model's provider is limiting requests. Try again later."],
  [500, `dial tcp 10.0.0.12:11434 ${canary}`, 502, "MODEL_SERVER", "The model's provider failed."],
  [504, "no answer of vllm-3:8000", 504, "MODEL_TIMEOUT", "The model's provider took too long to answer."],
  [529, "gpu-7 is busy", 503, "MODEL_OVERLOADED", "The model's provider is overloaded."],
])("a provider's %i (%s) is answered with %i", async (status, said, expected, code, message) => {
  provider.reply({ status, body: body(said), headers: { "retry-after-ms": "1200", "x-should-retry": "false" } });
  const response = await handler()(post());
  expect(response.headers.get("x-should-retry")).toBe("false");
  expect(await refusal(response)).toMatchObject({ status: expected, code, message });
  expect([provider.asked.length, errors.length]).toEqual([1, 1]);
});

test("all that the provider said is told where that is asked for", async () => {
  provider.reply({ status: 429, body: body("org-Ab12 is over its limit"), headers: { "x-should-retry": "false" } });
  const told = await refusal(await handler({ providerMessages: "all" })(post()));
  expect(told).toMatchObject({ status: 429, message: "org-Ab12 is over its limit" });
});

test("nothing of a body that is no answer, and no address, is told", async () => {
  provider.reply({ status: 503, body: ["<html>internal trace 10.0.0.1</html>"], headers: { "x-should-retry": "false" } });
  expect(await refusal(await handler()(post()))).toMatchObject({ status: 502, message: "The model's provider failed." });
  provider.reply({ body: ["<html>Sign in at 10.0.0.1</html>"] });
  expect(await refusal(await handler()(post()))).toMatchObject({ status: 502, code: "MODEL_BAD_RESPONSE" });
  const gone = { baseURL: "http://127.0.0.1:9", policy: { maxRetries: 0 } };
  const told = await refusal(await handler(gone)(post()));
  expect(told).toMatchObject({ status: 502, code: "MODEL_NETWORK" });
  expect(JSON.stringify(told)).not.toMatch(/127|10\.0/);
  expect(errors.join()).toContain("10.0.0.1");
});

test("a redirect is not followed: the key would go along", async () => {
  const elsewhere = await openProvider();
  provider.reply({ status: 307, body: [], headers: { location: elsewhere.url } });
  expect((await handler()(post())).status).toBe(500);
  expect(elsewhere.asked).toEqual([]);
  await elsewhere.close();
});

test("what may pass is tried again before anything was told", async () => {
  for (const status of [429, 529]) {
    const failing = { status, body: body("later"), headers: { "retry-after-ms": "20" } };
    provider.reply(failing, failing, { body: speak.anthropic(["ok"]) });
    const events = await strictEvents(await handler()(post()));
    expect(events.at(-1)).toMatchObject({ type: "done", message: { text: "ok" } });
  }
  expect(provider.asked).toHaveLength(6);
});

test("a longer wait than one waits is told to the client, and the provider is left alone", async () => {
  provider.reply({ status: 429, body: body("later"), headers: { "retry-after": "61" } });
  const response = await handler()(post());
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "61"]);
  expect(provider.asked).toHaveLength(1);
});

test("a conversation in which nothing is said is refused and costs nothing", async () => {
  const said = await refusal(await handler()(post({ messages: [{ sender: "user", text: " " }] })));
  expect(said).toMatchObject({ status: 400, code: "REQUEST_INVALID" });
  expect(provider.asked).toHaveLength(0);
});

test("a client who sends the ids that calls without one would get keeps nobody waiting", async () => {
  const calls = (count: number, id: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => ({ tool_name: "look", input_args: {}, id: id(n) }));
  const tool_calls = [...calls(4_000, (n) => `call0${4_000 + n}`), ...calls(4_000, () => "")];
  provider.reply({ body: speak.anthropic(["ok"]) });
  // The core is started first; and what else the machine does meanwhile is not counted.
  await strictEvents(await handler()(post()));
  const since = process.cpuUsage();
  const messages = [hi, { sender: "agent", text: "", tool_calls }, hi];
  await strictEvents(await handler()(post({ systemPrompt: "s", messages })));
  const { user, system } = process.cpuUsage(since);
  expect((user + system) / 1_000).toBeLessThan(1_500);
});

test("an error in mid-stream is a typed event behind the text that had come", async () => {
  const [start, open, text] = speak.anthropic(["half"]) as [string, string, string];
  const overloaded = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
  provider.reply({ body: [start, open, text, 20, overloaded] });
  const events = await strictEvents(await handler()(post()));
  expect(events).toEqual([
    { type: "text_delta", text: "half" },
    {
      ...{ type: "error", code: "MODEL_OVERLOADED", kind: "overloaded" },
      // The handler has tried again as often as it may.
      ...{ message: "The model's provider is overloaded.", retryable: false },
      ...{ transient: true, provider_code: "overloaded_error" },
    },
  ]);
  expect(provider.asked).toHaveLength(1);
});

test("a cut stream is an error and never an answer", async () => {
  for (const end of [[], ["cut"]] as const) {
    provider.reply({ body: [...speak.anthropic(["half"]).slice(0, 3), 20, ...end] });
    const events = await strictEvents(await handler()(post()));
    expect(events.map(({ type }) => type)).toEqual(["text_delta", "error"]);
    expect(events[1].code).toMatch(/^MODEL_(STREAM_CUT|NETWORK)$/);
  }
});

test("a silent provider is waited for with comments, and fails as an event when it takes too long", async () => {
  provider.reply({ body: [150, ...speak.anthropic(["late"])] });
  const text = await (await handler({ heartbeatMs: 40 })(post())).text();
  expect(text).toMatch(/^(: waiting\n\n){1,4}data: \{"type":"text_delta","text":"late"\}/);
  expect(await strictEvents(new Response(text))).toHaveLength(2);
  provider.reply({ body: [500] });
  const policy = { firstByteMs: 100, maxRetries: 0 };
  const events = await strictEvents(await handler({ heartbeatMs: 40, policy })(post()));
  expect(events).toEqual([expect.objectContaining({ type: "error", code: "MODEL_TIMEOUT" })]);
  expect(await refusal(await handler({ policy })(post()))).toMatchObject({ status: 504, code: "MODEL_TIMEOUT" });
});

test("a client that leaves stops the provider within a second", async () => {
  const slow = speak.anthropic(Array.from({ length: 200 }, () => "x")).flatMap((event) => [event, 20]);
  provider.reply({ body: slow });
  const times: number[] = [];
  const left = async (index: number, since: number) => {
    await vi.waitFor(() => expect(provider.asked[index]?.left).toBeDefined(), { timeout: 1000, interval: 2 });
    times.push((provider.asked[index]?.left ?? Number.NaN) - since);
  };
  // By cancelling the stream.
  const reader = (await handler()(post())).body?.getReader();
  await reader?.read();
  let since = performance.now();
  await reader?.cancel();
  await left(0, since);
  // By the request's signal, in mid-stream and before anything came.
  const aborting = new AbortController();
  await (await handler()(post(undefined, { signal: aborting.signal }))).body?.getReader().read();
  since = performance.now();
  aborting.abort();
  await left(1, since);
  provider.reply({ body: [2000] });
  const early = new AbortController();
  const response = handler()(post(undefined, { signal: early.signal }));
  await vi.waitFor(() => expect(provider.asked).toHaveLength(3));
  since = performance.now();
  early.abort();
  expect((await response).status).toBe(499);
  await left(2, since);
  // While it waits to try again.
  provider.reply({ status: 429, body: body("later"), headers: { "retry-after": "5" } });
  const waiting = new AbortController();
  const refused = handler()(post(undefined, { signal: waiting.signal }));
  await vi.waitFor(() => expect(provider.asked).toHaveLength(4));
  await sleep(30);
  waiting.abort();
  expect((await refused).status).toBe(499);
  console.log(`left after ${times.map((time) => `${time.toFixed(1)} ms`).join(", ")}`);
  expect(Math.max(...times)).toBeLessThan(1000);
  expect(provider.asked).toHaveLength(4);
});

test.each([
  ["GET", { method: "GET", body: null }, 405, "METHOD_NOT_ALLOWED"],
  ["OPTIONS", { method: "OPTIONS", body: null }, 405, "METHOD_NOT_ALLOWED"],
  ["a form", { headers: { "content-type": "text/plain" } }, 415, "CONTENT_TYPE"],
  ["no JSON", { body: "{" }, 400, "BODY_NOT_JSON"],
  ["no UTF-8", { body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, "BODY_NOT_JSON"],
  ["nothing", { body: "" }, 400, "BODY_NOT_JSON"],
  ["no messages", { body: "{}" }, 400, "REQUEST_INVALID"],
  ["a large body", { body: `{"x":"${"x".repeat(8_388_608)}"}` }, 413, "BODY_TOO_LARGE"],
  [
    "a long prompt",
    { body: JSON.stringify({ systemPrompt: "x".repeat(65_537), messages: [hi] }) },
    413,
    "SYSTEM_PROMPT_TOO_LONG",
  ],
  ["many messages", { body: JSON.stringify({ messages: Array(2_001).fill(hi) }) }, 413, "TOO_MANY_MESSAGES"],
  ["many tools", { body: JSON.stringify({ messages: [hi], tools: Array(129).fill(tool) }) }, 413, "TOO_MANY_TOOLS"],
  ["another model", { body: JSON.stringify({ messages: [hi], model: "gpt-9" }) }, 400, "MODEL_NOT_ALLOWED"],
])("%s is refused before anybody is asked", async (_, init, status, code) => {
  expect(await refusal(await handler()(post("", init as RequestInit)))).toMatchObject({ status, code });
  expect(provider.asked).toEqual([]);
});

test("a body without a length is read to the limit and no further", async () => {
  let sent = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    sent += 65_536;
    controller.enqueue(new Uint8Array(65_536).fill(0x20));
  };
  const endless = new ReadableStream({ pull });
  const response = await handler({ limits: { bodyBytes: 1_048_576 } })(
    post("", { body: endless, duplex: "half" } as RequestInit),
  );
  expect(await refusal(response)).toMatchObject({ status: 413, code: "BODY_TOO_LARGE" });
  expect(sent).toBeLessThan(1_400_000);
});

test("a client chooses among the models that it may, and neither address nor headers nor a fixed prompt", async () => {
  provider.reply({ body: speak.anthropic(["ok"]) });
  const asked = { systemPrompt: "Obey me.", messages: [hi], model: "small", url: "http://127.0.0.1:9", baseURL: "http://x" };
  const fixed = handler({ models: ["small"], systemPrompt: "Be kind." });
  await (await fixed(post({ ...asked, headers: { "x-evil": "1" }, apiKey: "k", max_tokens: 1 }))).text();
  const [first] = provider.asked;
  expect(first?.body).toMatchObject({ model: "small", system: "Be kind.", max_tokens: 8192 });
  expect(first?.headers).not.toHaveProperty("x-evil");
  expect(first?.headers["x-api-key"]).toBe(canary);
});

test("who is not authorised is told so, and a check that fails refuses", async () => {
  const refusing = async (authorize: ChatHandlerConfig["authorize"]) =>
    refusal(await handler({ ...(authorize && { authorize }) })(post()));
  expect(await refusing(() => false)).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  expect(await refusing(async () => undefined)).toMatchObject({ status: 401 });
  const throwing = () => {
    throw new Error("database at 10.0.0.1 is down");
  };
  expect(await refusing(throwing)).toEqual({ status: 403, code: "FORBIDDEN", message: "This request is not allowed." });
  for (const answer of [{ id: "u1" }, { user: null, error: "expired" }, "no", 1, [], new Error("expired")]) {
    expect(await refusing((() => answer) as never), String(answer)).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  }
  expect(provider.asked).toEqual([]);
  provider.reply({ body: speak.anthropic(["ok"]) });
  const token = (request: Request) => request.headers.get("authorization") === "Bearer t";
  const headers = { "content-type": "application/json", authorization: "Bearer t" };
  expect((await handler({ authorize: token })(post(undefined, { headers }))).status).toBe(200);
});

test("a response of `authorize` is sent as it is, each time, and nothing is asked", async () => {
  const forbidden = new Response("Pay first.", { status: 402, headers: { "x-plan": "free" } });
  const refusing = handler({ authorize: async () => forbidden, cors: "*" });
  for (let time = 0; time < 2; time++) {
    const response = await refusing(
      post(undefined, { headers: { "content-type": "application/json", origin: "https://a.example" } }),
    );
    expect([response.status, response.headers.get("x-plan"), await response.text()]).toEqual([402, "free", "Pay first."]);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  }
  const away = await handler({ authorize: () => Response.redirect("https://a.example/sign-in", 302) })(post());
  expect([away.status, away.headers.get("location")]).toEqual([302, "https://a.example/sign-in"]);
  const read = new Response("no");
  await read.text();
  for (const broken of [read, Response.error()]) {
    expect(await refusal(await handler({ authorize: () => broken })(post()))).toMatchObject({ status: 401 });
  }
  expect(provider.asked).toEqual([]);
});

test("an `authorize` that reads the body is told to the server's owner, and one that reads a copy of it is not", async () => {
  const read = async (ask: (request: Request) => Request) => {
    const told: string[] = [];
    const authorize = async (request: Request) => Boolean(await ask(request).text());
    const response = await handler({ authorize, onError: ({ code, message }) => told.push(`${code}: ${message}`) })(post());
    return { response, told };
  };
  const { response, told } = await read((request) => request);
  const refused = await refusal(response);
  expect(refused).toMatchObject({ status: 500 });
  expect(JSON.stringify(refused)).not.toContain("authorize");
  expect(told).toEqual(["INTERNAL: `authorize` consumed the request body: read it from `request.clone()` instead."]);
  expect(await read((request) => request.clone())).toMatchObject({ response: { status: 200 }, told: [] });
});

test("an `authorize` that gives no plain yes is told to the server's owner, once where nobody listens", async () => {
  const authorize = (() => ({ id: "u1" })) as never;
  const told: string[] = [];
  await handler({ authorize, onError: ({ message }) => told.push(message) })(post());
  const message = "`authorize` must return `true` to let a request through, got an object.";
  expect(told).toEqual([message]);
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const quiet = createChatHandler({ provider: "anthropic", apiKey: canary, authorize });
  for (let time = 0; time < 2; time++) await quiet(post());
  await createChatHandler({ provider: "anthropic", apiKey: canary, authorize: () => false })(post());
  expect(log.mock.calls).toEqual([[`createChatHandler: ${message}`]]);
  log.mockRestore();
});

test("an `authorize` that does not answer refuses in the end", async () => {
  const told: GloveError[] = [];
  const waits = {
    authorize: () => new Promise<boolean>(() => {}),
    authorizeMs: 20,
    onError: (error: GloveError) => told.push(error),
  };
  expect(await refusal(await handler(waits)(post()))).toMatchObject({ status: 503, code: "AUTHORIZE_TIMEOUT" });
  expect(told).toMatchObject([{ code: "AUTHORIZE_TIMEOUT", message: expect.stringContaining("within 20 ms") }]);
  const late = {
    authorize: () => new Promise<boolean>((_, reject) => setTimeout(reject, 200)),
    authorizeMs: 20,
    onError: () => {},
  };
  expect(await refusal(await handler(late)(post()))).toMatchObject({ status: 503 });
  await new Promise((resolve) => setTimeout(resolve, 220));
  expect(provider.asked).toEqual([]);
});

test("pages of other origins may call only where that is set", async () => {
  const from = (origin: string, method = "POST") =>
    post(undefined, { method, body: method === "POST" ? "{}" : null, headers: { origin, "content-type": "application/json" } });
  const cors = (response: Response) => response.headers.get("access-control-allow-origin");
  expect([...(await handler()(from("https://a.example"))).headers.keys()].join()).not.toContain("access-control");
  const some = handler({ cors: ["https://a.example"] });
  expect(cors(await some(from("https://a.example")))).toBe("https://a.example");
  expect(cors(await some(from("https://b.example")))).toBeNull();
  expect((await some(from("https://a.example", "OPTIONS"))).status).toBe(204);
  expect((await some(from("https://b.example", "OPTIONS"))).status).toBe(405);
  expect(cors(await handler({ cors: "*" })(from("https://b.example")))).toBe("*");
});

test("what can never be answered is refused when the handler is made", () => {
  const made = (config: Partial<ChatHandlerConfig>) => () => handler(config);
  const { baseURL: _, ...bare } = { baseURL: "" };
  expect(made({ provider: "x" as "openai" })).toThrow('Unknown provider "x". Available: openrouter, anthropic, openai');
  expect(made({ provider: "ollama" })).toThrow('No model specified for provider "Ollama". Pass a model name.');
  expect(made({ provider: "bedrock" })).toThrow('Provider "bedrock" is not supported here.');
  expect(made({ baseURL: "file:///etc/passwd" })).toThrow("is not an http or https URL");
  for (const host of ["api.openai.com", "us.api.openai.com", "EU.api.openai.com."]) {
    const foreign = { ...bare, provider: "kimi" as const, baseURL: `https://${host}/v1` };
    expect(() => createChatHandler(foreign)).toThrow("the key in MOONSHOT_API_KEY is not sent there");
  }
  for (const host of ["evilapi.openai.com", "api.openai.com.example"]) {
    expect(createChatHandler({ ...bare, provider: "kimi", baseURL: `https://${host}/v1` })).toBeTypeOf("function");
  }
});

test("a missing key is told at each request, and is found as soon as it is there", async () => {
  vi.stubEnv("OPENAI_API_KEY", "");
  provider.reply({ body: speak.openai(["ok"]) });
  const late = createChatHandler({
    provider: "openai",
    baseURL: provider.url,
    onError: ({ code, message }) => errors.push(`${code}: ${message}`),
  });
  const message = "This server is not set up for its model.";
  expect(await refusal(await late(post()))).toEqual({ status: 500, code: "MODEL_CONFIG", message });
  expect(errors).toEqual(['MODEL_CONFIG: No API key for provider "OpenAI". Pass `apiKey` or set OPENAI_API_KEY.']);
  // Who listens to nothing reads it in the console.
  const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => {});
  expect((await createChatHandler({ provider: "openai", baseURL: provider.url })(post())).status).toBe(500);
  expect(console.mock.calls).toEqual([
    ['createChatHandler: No API key for provider "OpenAI". Pass `apiKey` or set OPENAI_API_KEY.'],
  ]);
  console.mockRestore();
  vi.stubEnv("OPENAI_API_KEY", canary);
  expect((await late(post())).status).toBe(200);
  expect(provider.asked[0]?.headers.authorization).toBe(`Bearer ${canary}`);
});

test("two requests at once do not mix", async () => {
  provider.reply({ body: speak.anthropic(["a", "b"]).flatMap((event) => [event, 3]) }, { body: speak.anthropic(["c"]) });
  const one = handler();
  const texts = await Promise.all([one(post()), one(post())].map(async (asked) => strictEvents(await asked)));
  expect(texts.map((events) => events.at(-1).message.text).sort()).toEqual(["ab", "c"]);
});

test("hundreds of answers leave nothing behind in the core", async () => {
  const glue = await import("../../pkg/src/wasm/generated/glove_providers.js");
  const memory = () => glue.initSync({ module: new Uint8Array() }).memory.buffer.byteLength;
  const events = speak.anthropic(Array.from({ length: 40 }, () => "some text"));
  const piecewise = () => {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      for (const event of events) controller.enqueue(Buffer.from(event));
      controller.close();
    };
    return new Response(new ReadableStream({ start }));
  };
  const one = handler({ fetch: async () => piecewise() });
  const round = async (times: number) => {
    for (let n = 0; n < times; n++) await (await one(post())).text();
  };
  await round(25);
  const before = memory();
  await round(250);
  expect(memory() - before).toBeLessThanOrEqual(65_536);
}, 20_000);

test("our client and our handler understand each other, tools and failures included", async () => {
  const app = await listen(handler());
  provider.reply(
    { body: speak.anthropic(["Looking. "], call) },
    { body: speak.anthropic(["Found 2."]) },
    { status: 401, body: body("bad key") },
  );
  const look = defineTool({
    name: "look",
    description: "Looks.",
    inputSchema: jsonSchema<{ a: number }>({ type: "object", properties: { a: { type: "number" } }, required: ["a"] }),
    do: async ({ a }) => ({ status: "success", data: a + 1, renderData: { secret: canary } }),
  });
  const client = new GloveClient({ endpoint: app.url, systemPrompt: "Be kind.", tools: [look] });
  const session = client.session("s1");
  await session.sendMessage("Look!");
  const shown = session.getSnapshot().timeline.map((entry) => (entry.kind === "tool" ? entry.status : entry.kind));
  expect(shown).toEqual(["user", "agent_text", "success", "agent_text"]);
  expect(JSON.stringify(provider.asked[1]?.body)).toContain('"tool_result"');
  expect(JSON.stringify(provider.asked[1]?.body)).not.toContain("secret");
  await expect(session.sendMessage("again")).rejects.toMatchObject({ code: "MODEL_AUTHENTICATION" });
  expect(provider.asked).toHaveLength(3);
  const model = createEndpointModel(app.url);
  provider.reply({ body: speak.anthropic(["plain"]) });
  const answer = await model.prompt({ messages: [hi] }, async () => {});
  expect(answer).toMatchObject({ messages: [{ text: "plain" }], tokens_in: 7, tokens_out: 5 });
  await app.close();
});

test.each([0, 10])("a provider that fails is asked three times in all, also behind a heartbeat of %i ms", async (heartbeatMs) => {
  const failing = { status: 500, body: [30, "{}"], headers: { "retry-after-ms": "10" } };
  provider.reply(failing);
  const app = await listen(handler({ heartbeatMs }));
  const session = new GloveClient({ endpoint: app.url, systemPrompt: "" }).session("s1");
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "MODEL_SERVER" });
  expect(provider.asked).toHaveLength(3);
  await app.close();
});

test("a page waits as long as its handler does, which has the limits of the provider", async () => {
  provider.reply({ body: [400, ...speak.anthropic(["at last"])] });
  const app = await listen(handler({ heartbeatMs: 20 }));
  const model = createEndpointModel(app.url, { policy: { firstByteMs: 200, idleMs: 200 } });
  const session = new GloveClient({ createModel: () => model, systemPrompt: "" }).session("s1");
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "at last" });
  expect(provider.asked).toHaveLength(1);
  await app.close();
});

test("a log that fails, at once or later, fails nobody", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const down = new Error("the log server is down");
  const fails = [
    () => {
      throw down;
    },
    () => Promise.reject(down),
  ];
  for (const onError of fails) {
    provider.reply({ status: 400, body: [JSON.stringify({ error: { message: "no" } })] });
    const handle = createChatHandler({ provider: "anthropic", apiKey: canary, baseURL: provider.url, onError });
    expect((await handle(post())).status).toBe(400);
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test("a client that leaves while it sends is no fault of the server", async () => {
  const told = vi.spyOn(globalThis.console, "error").mockImplementation(() => {});
  const onError = vi.fn();
  const encoder = new TextEncoder();
  const upload = (end: (controller: ReadableStreamDefaultController<Uint8Array>) => void) => {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(encoder.encode('{"messages":['));
      end(controller);
    };
    return { body: new ReadableStream({ start }), duplex: "half" } as RequestInit;
  };
  // It breaks off, stalls until the signal fires, or had gone before.
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(), 20);
  const uploads = [
    () => upload((controller) => controller.error(new TypeError("terminated"))),
    () => ({ ...upload(() => {}), signal: leaving.signal }),
    () => ({ ...upload(() => {}), signal: AbortSignal.abort() }),
  ];
  for (const init of uploads) {
    for (const config of [{}, { onError }]) {
      const handle = createChatHandler({ provider: "anthropic", apiKey: canary, baseURL: provider.url, ...config });
      expect(await refusal(await handle(post("", init())))).toMatchObject({ status: 499, code: "ABORTED" });
    }
  }
  expect([told.mock.calls, onError.mock.calls, provider.asked]).toEqual([[], [], []]);
  told.mockRestore();
});

test("a person who stops the answer in the page stops the provider", async () => {
  const app = await listen(handler());
  provider.reply({ body: speak.anthropic(Array.from({ length: 200 }, () => "x")).flatMap((event) => [event, 20]) });
  const session = new GloveClient({ endpoint: app.url, systemPrompt: "Be kind." }).session("s1");
  const asked = session.sendMessage("Go");
  await vi.waitFor(() => expect(session.getSnapshot().streamingText).not.toBe(""));
  const since = performance.now();
  session.abort();
  expect(await asked).toEqual({ type: "aborted" });
  await vi.waitFor(() => expect(provider.asked[0]?.left).toBeDefined(), { timeout: 1000, interval: 2 });
  console.log(`stopped after ${((provider.asked[0]?.left ?? Number.NaN) - since).toFixed(1)} ms`);
  await app.close();
});

/** The handler behind Node's own server. */
async function listen(handle: ChatHandler): Promise<{ url: string; close(): Promise<void> }> {
  const { url, close } = await serve("", { routes: { "/api/chat": handle } });
  return { url: `${url}/api/chat`, close };
}

const own = (answer: ModelAdapter["prompt"], system: string[] = []): ChatHandler =>
  createChatHandler({
    createModel: () => ({ name: "own", setSystemPrompt: (text) => void system.push(text), prompt: answer }),
    onError: ({ code, message }) => errors.push(`${code}: ${message}`),
  });

test("a model of the application answers in the place of a provider", async () => {
  const system: string[] = [];
  let asked: PromptRequest | undefined;
  const handle = own(async (request, notify) => {
    asked = request;
    await notify("text_delta", { text: "Hel" });
    await notify("text_delta", { text: "lo" });
    const calls = [{ tool_name: "look", input_args: { a: 1 }, id: "c1" }];
    return { messages: [{ sender: "agent", text: "Hello", tool_calls: calls }], tokens_in: 3, tokens_out: 2, cost: 0.5 };
  }, system);
  const events = await strictEvents(await handle(post({ systemPrompt: "Be kind.", messages: [hi], tools: [tool] })));
  expect(
    events
      .filter(({ type }) => type === "text_delta")
      .map(({ text }) => text)
      .join(""),
  ).toBe("Hello");
  expect(events).toContainEqual({ type: "tool_use", id: "c1", name: "look", input: { a: 1 } });
  expect(events.at(-1)).toMatchObject({ type: "done", tokens_in: 3, tokens_out: 2, cost: 0.5, message: { text: "Hello" } });
  expect(system).toEqual(["Be kind."]);
  expect(asked?.messages).toMatchObject([{ sender: "user", text: "hi" }]);
  expect(asked?.tools).toEqual([{ name: "look", description: "Looks.", jsonSchema: tool.parameters }]);
});

test("an own model may answer in several messages: all of their text and calls reach the client, in order", async () => {
  const called = (id: string) => ({ id, tool_name: "look", input_args: { id } });
  const first = { sender: "agent", text: "I look.", reasoning_content: "Hm.", tool_calls: [called("a")] };
  const second = { sender: "agent", text: "And there.", reasoning_content: "Oh.", tool_calls: [called("b")] };
  const messages = [first, { sender: "agent", text: "" }, second] as Message[];
  const given = { messages, tokens_in: 3, tokens_out: 5 };
  const whole = { text: "I look.\nAnd there.", reasoning_content: "Hm.\nOh." };
  for (const told of [[], ["I look."], ["I look.", "\nAnd there."], ["I look.", "And there."]]) {
    const handle = own(async (_, notify) => {
      for (const text of told) await notify("text_delta", { text });
      return given;
    });
    const events = await strictEvents(await handle(post()));
    const texts = events.map(({ type, text }) => (type === "text_delta" ? text : ""));
    expect(texts.join("").replace("\n", "")).toBe("I look.And there.");
    expect(events.filter(({ type }) => type === "tool_use").map(({ id }) => id)).toEqual(["a", "b"]);
    expect(events.at(-1)).toMatchObject({ type: "done", message: { ...whole, tool_calls: [{ id: "a" }, { id: "b" }] } });
  }
});

test("what an own model throws is the server's to know; a typed failure keeps its code", async () => {
  const broken = own(async () => Promise.reject(new Error("no row 7 in table keys")));
  expect(await refusal(await broken(post()))).toMatchObject({ status: 502, code: "MODEL_ADAPTER", retryable: false });
  expect(errors).toEqual(["MODEL_ADAPTER: no row 7 in table keys"]);
  const busy = own(async () => Promise.reject(new GloveError("MODEL_OVERLOADED", "Come back later.")));
  expect(await refusal(await busy(post()))).toMatchObject({ status: 503, code: "MODEL_OVERLOADED", message: "Come back later." });
  const late = own(async (_, notify) => {
    await notify("text_delta", { text: "Half" });
    await sleep(5);
    throw new Error("gone");
  });
  const events = await strictEvents(await late(post()));
  expect(events.map(({ type, code }) => code ?? type)).toEqual(["text_delta", "MODEL_ADAPTER"]);
});

test.each([
  ["nothing", undefined, 'The model "own" returned no `messages`; return {messages, tokens_in, tokens_out}.'],
  ["no messages", { tokens_in: 1 }, 'The model "own" returned no `messages`; return {messages, tokens_in, tokens_out}.'],
  ["an empty list", { messages: [], tokens_in: 1 }, 'The model "own" returned an empty `messages` array.'],
])("an own model that gives %s is told so in the server's log", async (_, given, said) => {
  const handle = own(async () => given as never);
  expect(await refusal(await handle(post()))).toMatchObject({ status: 502, code: "MODEL_BAD_RESPONSE" });
  expect(errors).toEqual([`MODEL_BAD_RESPONSE: ${said}`]);
});

test("a client that leaves stops an own model", async () => {
  let stopped: AbortSignal | undefined;
  const handle = own(async (_, notify, signal) => {
    stopped = signal;
    await notify("text_delta", { text: "Well, " });
    return new Promise(() => {});
  });
  const leaving = new AbortController();
  await (await handle(post(undefined, { signal: leaving.signal }))).body?.getReader().read();
  leaving.abort();
  await vi.waitFor(() => expect(stopped?.aborted).toBe(true), { timeout: 1000, interval: 2 });
});

test("a handler has one model: a provider, or the application's own", async () => {
  const sentence = "A chat handler needs either `provider` or `createModel`, not both.";
  expect(() => createChatHandler({})).toThrow(sentence);
  expect(() => handler({ createModel: () => createScriptedModel([]) })).toThrow(sentence);
  const onError = ({ message }: GloveError) => errors.push(message);
  const wrapped = createChatHandler({ createModel: () => createEndpointModel("/elsewhere"), onError });
  expect(await refusal(await wrapped(post()))).toMatchObject({ status: 500, code: "MODEL_CONFIG" });
  expect(errors).toEqual(["A chat handler calls providers itself: pass it `provider` instead of this model."]);
});
