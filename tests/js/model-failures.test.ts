// What an application knows of a failed call beside its code: the status, when to come back, and the provider's own names for it, on
// every way to a model.
import {
  createAdapter,
  createEndpointModel,
  createRemoteModel,
  GloveClient,
  GloveError,
  MemoryStore,
  type ModelAdapter,
} from "glove-wasm";
import { type ChatHandlerConfig, createChatHandler } from "glove-wasm/server";
import { expect, test } from "vitest";

interface Failing {
  readonly status: number;
  readonly body: object;
  readonly headers?: Record<string, string>;
}

const openai = (message: string, type: string, code: string | null = null) => ({ error: { message, type, param: null, code } });
const missing: Failing = {
  status: 404,
  body: openai("the model `m` does not exist", "invalid_request_error", "model_Not_Found"),
  headers: { "x-request-id": "req_7" },
};
const refused: Failing = { status: 400, body: openai("bad schema", "invalid_request_error") };
const busy: Failing = {
  status: 429,
  body: openai("slow down", "requests", "rate_limit_exceeded"),
  headers: { "retry-after": "90" },
};
const unpaid: Failing = {
  status: 429,
  body: openai("You exceeded your current quota", "insufficient_quota", "insufficient_quota"),
};
const noKey: Failing = { status: 401, body: openai("bad key", "invalid_request_error", "invalid_api_key") };
const down: Failing = { status: 503, body: openai("try later", "server_error"), headers: { "x-should-retry": "false" } };

const respond = ({ status, body, headers = {} }: Failing) => new Response(JSON.stringify(body), { status, headers });
const policy = { maxRetries: 0 };

const adapter = (failing: Failing): ModelAdapter =>
  createAdapter({ provider: "openai", apiKey: "sk-canary-4711", policy, fetch: async () => respond(failing) });

const told: GloveError[] = [];
const through = (failing: Failing, config: Partial<ChatHandlerConfig> = {}): ModelAdapter => {
  const handler = createChatHandler({
    provider: "openai",
    apiKey: "sk-canary-4711",
    policy,
    fetch: async () => respond(failing),
    onError: (error) => void told.push(error),
    ...config,
  } as ChatHandlerConfig);
  return createEndpointModel("http://here/chat", { policy, fetch: (url, init) => handler(new Request(url, init)) });
};

async function failed(asking: Promise<unknown>): Promise<GloveError> {
  const error = await asking.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GloveError);
  return error as GloveError;
}

async function bySession(model: ModelAdapter): Promise<GloveError> {
  const config = { createModel: () => model, createStore: () => new MemoryStore("s1"), systemPrompt: "" };
  const session = new GloveClient(config).session("s1");
  const error = await failed(session.sendMessage("hi"));
  expect(session.getSnapshot().error).toBe(error);
  return error;
}

const byItself = (model: ModelAdapter) => failed(model.prompt({ messages: [{ sender: "user", text: "hi" }] }, async () => {}));

const known = ({ code, status, retryAfter, retryable, requestId, providerCode }: GloveError) =>
  Object.fromEntries(
    Object.entries({ code, status, retryAfter, retryable, requestId, providerCode }).filter(([, value]) => value !== undefined),
  );

const whole: [Failing, object][] = [
  [missing, { code: "MODEL_BAD_REQUEST", status: 404, retryable: false, requestId: "req_7", providerCode: "model_Not_Found" }],
  [refused, { code: "MODEL_BAD_REQUEST", status: 400, retryable: false, providerCode: "invalid_request_error" }],
  [busy, { code: "MODEL_RATE_LIMIT", status: 429, retryAfter: 90_000, retryable: true, providerCode: "rate_limit_exceeded" }],
  [unpaid, { code: "MODEL_RATE_LIMIT", status: 429, retryable: false, providerCode: "insufficient_quota" }],
  [noKey, { code: "MODEL_AUTHENTICATION", status: 401, retryable: false, providerCode: "invalid_api_key" }],
  [down, { code: "MODEL_SERVER", status: 503, retryable: true, providerCode: "server_error" }],
];

test.each(whole)("a session with a model of its own knows all of %j", async (failing, expected) => {
  const error = await bySession(adapter(failing));
  expect(known(error)).toEqual(expected);
  // In the provider's own letters.
  expect((failing.body as ReturnType<typeof openai>).error.message).toBe(error.message);
});

test.each(whole)("the owner of a chat handler is told all of %j", async (failing, expected) => {
  told.length = 0;
  await byItself(through(failing));
  expect(told.map(known)).toEqual([expected]);
});

const public_: [Failing, object][] = [
  [missing, { status: 404, retryable: false, providerCode: "model_Not_Found" }],
  [refused, { status: 400, retryable: false, providerCode: "invalid_request_error" }],
  [busy, { status: 429, retryAfter: 90_000, retryable: true, providerCode: "rate_limit_exceeded" }],
  // What is about the server's account and key is nobody else's business.
  [unpaid, { status: 502, retryable: false }],
  [noKey, { status: 502, retryable: false }],
  [down, { status: 503, retryable: true, providerCode: "server_error" }],
];

test.each(public_)(
  "a page behind a chat handler can tell %j from others, in a session and without",
  async (failing, expected) => {
    expect(await bySession(through(failing))).toMatchObject(expected);
    const error = await byItself(through(failing));
    expect(error).toMatchObject(expected);
    expect(known(error)).not.toHaveProperty("requestId");
  },
);

test("a page is told as much of it as the handler says", async () => {
  expect(known(await byItself(through(noKey, { providerMessages: "all" })))).toMatchObject({
    status: 401,
    providerCode: "invalid_api_key",
  });
  const silent = known(await byItself(through(missing, { providerMessages: "none" })));
  expect(silent).toEqual({ code: "MODEL_BAD_REQUEST", status: 400, retryable: false });
});

test("a failure in mid-stream says it too", async () => {
  const stream = `data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\ndata: ${JSON.stringify({ error: { message: "upstream died", code: 502 } })}\n\n`;
  const fetch = async () => new Response(stream, { headers: { "content-type": "text/event-stream" } });
  const model = () => through(down, { fetch });
  for (const error of [await bySession(model()), await byItself(model())]) {
    expect(error).toMatchObject({ code: "MODEL_SERVER", status: 502, retryable: true });
  }
});

test("a model of the application says what it knows, in a page and behind a handler", async () => {
  const facts = { status: 404, retryAfter: 5_000, retryable: true, requestId: "r", providerCode: "Gone" };
  const own = () =>
    createRemoteModel("own", {
      prompt: () => Promise.reject(new GloveError("MODEL_BAD_REQUEST", "gone since monday", facts)),
    });
  expect(known(await bySession(own()))).toEqual({ code: "MODEL_BAD_REQUEST", ...facts });
  const { requestId: _, ...open } = facts;
  const handled = () =>
    through(down, { provider: undefined, apiKey: undefined as never, fetch: undefined as never, createModel: own });
  expect(await bySession(handled())).toMatchObject(open);
});

test("a refusal of an endpoint of one's own has its status, and when to come back", async () => {
  const fetch = async () =>
    new Response(JSON.stringify({ error: { code: "OUT_OF_CREDIT", message: "pay" } }), {
      status: 402,
      headers: { "retry-after": "3", "x-request-id": "r1" },
    });
  const model = createEndpointModel("http://here/chat", { fetch, policy });
  const expected = { code: "OUT_OF_CREDIT", status: 402, retryAfter: 3_000, retryable: false, requestId: "r1" };
  expect(known(await byItself(model))).toEqual(expected);
  expect(known(await bySession(model))).toEqual(expected);
});

test("an error of something else than a model knows nothing of it", () => {
  expect(Object.keys(new GloveError("STORE_FAILED", "no")).sort()).toEqual(["code", "name"]);
});
