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
import { expect, test, vi } from "vitest";

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
  createAdapter({ provider: "openai", model: "m", apiKey: "sk-canary-4711", policy, fetch: async () => respond(failing) });

const told: GloveError[] = [];
const through = (failing: Failing, config: Partial<ChatHandlerConfig> = {}): ModelAdapter => {
  const handler = createChatHandler({
    provider: "openai",
    model: "m",
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
  [missing, { code: "MODEL_NOT_FOUND", status: 404, retryable: false, requestId: "req_7", providerCode: "model_Not_Found" }],
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
  const { message } = (failing.body as ReturnType<typeof openai>).error;
  const advice = "; api.openai.com has no model `m` for this key: set `model` to one that it has";
  expect(error.message).toBe(failing === missing ? message + advice : message);
});

test.each(whole)("the owner of a chat handler is told all of %j", async (failing, expected) => {
  told.length = 0;
  await byItself(through(failing));
  expect(told.map(known)).toEqual([expected]);
});

const public_: [Failing, object][] = [
  [missing, { code: "MODEL_NOT_FOUND", status: 404, retryable: false, providerCode: "model_Not_Found" }],
  [refused, { status: 400, retryable: false, providerCode: "invalid_request_error" }],
  [busy, { status: 429, retryAfter: 90_000, retryable: true, providerCode: "rate_limit_exceeded" }],
  // What is about the server's account and key is nobody else's business.
  [unpaid, { code: "MODEL_RATE_LIMIT", status: 502, retryable: false }],
  // It is not the page's own key: the status is the handler's.
  [noKey, { code: "MODEL_AUTHENTICATION", status: 502, retryable: false }],
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
  expect(silent).toEqual({ code: "MODEL_NOT_FOUND", status: 500, retryable: false });
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
    through(down, {
      provider: undefined,
      model: undefined as never,
      apiKey: undefined as never,
      fetch: undefined as never,
      createModel: own,
    });
  expect(await bySession(handled())).toMatchObject(open);
});

test("a model of the application may say that it does not exist, in a page and behind a handler", async () => {
  const own = () =>
    createRemoteModel("own", { prompt: () => Promise.reject(new GloveError("MODEL_NOT_FOUND", "no model `m` at db.corp")) });
  expect(await bySession(own())).toMatchObject({ code: "MODEL_NOT_FOUND", message: "No model `m` at db.corp" });
  const handled = through(down, {
    provider: undefined,
    model: undefined as never,
    apiKey: undefined as never,
    fetch: undefined as never,
    createModel: own,
  });
  const error = await bySession(handled);
  expect([error.code, error.message]).toEqual(["MODEL_NOT_FOUND", "This server is not set up for its model."]);
});

test("the log of a handler has one line for each failure, without the key and without what was said", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const echoed = openai("cannot read: my secret diary, sk-canary-4711", "server_error");
  const cut = 'data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n';
  const events = { headers: { "content-type": "text/event-stream" } };
  const answers: (() => Response)[] = [
    () => respond({ status: 500, body: echoed, headers: { "x-request-id": "req_1" } }),
    () => respond({ ...busy, body: echoed }),
    () => respond(missing),
    () => respond({ status: 400, body: echoed }),
    () => new Response(cut, events),
    () => respond(noKey),
  ];
  for (const fetch of answers) {
    await byItself(through(down, { fetch: async () => fetch(), onError: undefined as never }));
  }
  const lines = log.mock.calls.map(([line]) => String(line));
  expect(lines).toEqual([
    "createChatHandler: MODEL_SERVER: The model's provider failed. (HTTP 500, server_error, request req_1)",
    expect.stringMatching(/^createChatHandler: MODEL_RATE_LIMIT: .*\(HTTP 429, server_error\)$/),
    "createChatHandler: MODEL_NOT_FOUND: the model `m` does not exist; api.openai.com has no model `m` for this key: set `model` to one that it has (HTTP 404, model_Not_Found, request req_7)",
    "createChatHandler: MODEL_BAD_REQUEST: The model's provider refused the request. (HTTP 400, server_error)",
    expect.stringMatching(/^createChatHandler: MODEL_STREAM_CUT: /),
    expect.stringMatching(/^createChatHandler: MODEL_AUTHENTICATION: bad key \(HTTP 401/),
  ]);
  expect(lines.join()).not.toMatch(/diary|canary/);
  log.mockRestore();
});

test("a wait for a busy provider is told on every way to a model", async () => {
  const asked = { times: 0 };
  const done = 'data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const fetch = async () =>
    asked.times++ % 2 === 0
      ? respond({ ...busy, headers: { "retry-after": "2" } })
      : new Response(done, { headers: { "content-type": "text/event-stream" } });
  const waits = { policy: { maxRetries: 1 }, fetch };
  const models = [createAdapter({ provider: "openai", model: "m", apiKey: "k", ...waits }), through(down, waits)];
  for (const model of models) {
    const heard: unknown[] = [];
    const shown: unknown[] = [];
    const record = (type: string, data: unknown) => void (type === "model_retry" && heard.push(data));
    const config = {
      createModel: () => model,
      createStore: () => new MemoryStore("s1"),
      systemPrompt: "",
      subscribers: [{ record }],
    };
    const session = new GloveClient(config).session("s1");
    session.subscribe(() => void shown.push(session.getSnapshot().waiting?.code));
    const before = Date.now();
    const sending = session.sendMessage("hi");
    await vi.waitFor(() => expect(session.getSnapshot().waiting).toBeDefined(), 20_000);
    const { code, until } = session.getSnapshot().waiting as { code: string; until: number };
    expect([code, until - before >= 2_000]).toEqual(["MODEL_RATE_LIMIT", true]);
    expect(await sending).toMatchObject({ text: "Hello" });
    expect(heard).toEqual([{ code: "MODEL_RATE_LIMIT", wait_ms: 1_500, until }]);
    expect(session.getSnapshot().waiting).toBeUndefined();
  }
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
