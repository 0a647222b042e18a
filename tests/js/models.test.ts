// Models of the application: behind callbacks, behind an endpoint, from the table of providers.
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import {
  type CreateAdapterOptions,
  createAdapter,
  createEndpointModel,
  createRemoteModel,
  GloveClient,
  getAvailableProviders,
  MemoryStore,
  type Message,
  type PromptRequest,
  providers,
  type RemoteModelActions,
  type RemotePromptRequest,
  type RemoteStreamEvent,
} from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, expect, test, vi } from "vitest";
import { root } from "../support/project.js";

const message: Message = { sender: "agent", text: "Hi" };
const usage = { tokens_in: 3, tokens_out: 1, cache_read_input_tokens: 2 };
const history: Message[] = [
  { sender: "user", text: "q" },
  { sender: "agent", text: "", tool_calls: [{ tool_name: "t", input_args: {}, id: "c" }] },
  {
    sender: "user",
    text: "tool results",
    tool_results: [{ tool_name: "t", call_id: "c", result: { status: "success", data: 1, renderData: { secret: true } } }],
  },
];
const request: PromptRequest = { messages: history, tools: [{ name: "t", description: "d", jsonSchema: { type: "object" } }] };

function events(...list: readonly object[]): Response {
  const body = list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

test("a remote model gets plain data and gives its answer", async () => {
  const prompt = vi.fn(async () => ({ message, ...usage }));
  const model = createRemoteModel("mine", { prompt });
  model.setSystemPrompt("Be kind.");
  expect(await model.prompt(request, async () => {})).toEqual({ messages: [message], ...usage });
  expect(prompt).toHaveBeenCalledWith(
    expect.objectContaining({
      systemPrompt: "Be kind.",
      tools: [{ name: "t", description: "d", parameters: { type: "object" } }],
    }),
    undefined,
  );
  expect(JSON.stringify(prompt.mock.calls)).not.toContain("secret");
});

test("a streaming remote model comes before one that does not stream, and its text is told as it comes", async () => {
  const actions: RemoteModelActions = {
    prompt: vi.fn(),
    async *promptStream() {
      yield { type: "text_delta", text: "H" };
      yield { type: "text_delta", text: "i" };
      yield { type: "done", message, ...usage };
    },
  };
  const notify = vi.fn(async () => {});
  expect(await createRemoteModel("mine", actions).prompt(request, notify)).toEqual({ messages: [message], ...usage });
  expect(notify.mock.calls).toEqual([
    ["text_delta", { text: "H" }],
    ["text_delta", { text: "i" }],
  ]);
  expect(actions.prompt).not.toHaveBeenCalled();
});

test("a remote stream without its end is an error in the original's words", async () => {
  const model = createRemoteModel("mine", { async *promptStream() {} });
  await expect(model.prompt(request, async () => {})).rejects.toThrow("Remote model stream ended without a 'done' event");
});

test("an endpoint is asked with everything but what is for the screen, and its tokens come through", async () => {
  const fetch = vi.fn(async () => events({ type: "text_delta", text: "Hi" }, { type: "done", message, ...usage }));
  const model = createEndpointModel("/api/chat", { fetch, headers: async () => ({ authorization: "Bearer fresh" }) });
  model.setSystemPrompt("Be kind.");
  expect(model.name).toBe("endpoint:/api/chat");
  expect(await model.prompt(request, async () => {})).toEqual({ messages: [message], ...usage });
  const [url, init] = fetch.mock.calls[0] as unknown as [string, RequestInit & { headers: Record<string, string> }];
  const headers = Object.fromEntries(new Headers(init.headers));
  expect([url, init.method, headers.authorization]).toEqual(["/api/chat", "POST", "Bearer fresh"]);
  expect(headers).toMatchObject({ "content-type": "application/json", accept: "text/event-stream" });
  const body = JSON.parse(String(init.body));
  expect(Object.keys(body)).toEqual(["systemPrompt", "tools", "messages"]);
  expect(body.messages[2].tool_results[0].result).toEqual({ status: "success", data: 1 });
});

test("a result that is kept as the tool returned it reaches a model as it is", async () => {
  const returned = ["warm", 5, null, undefined, { degrees: 20 }];
  const tool_results = returned.map((result) => ({ tool_name: "t", call_id: "c", result }) as never);
  const messages: Message[] = [{ sender: "user", text: "tool results", tool_results }];
  const prompt = vi.fn(async (_: RemotePromptRequest) => ({ message, ...usage }));
  await createRemoteModel("mine", { prompt }).prompt({ messages }, async () => {});
  const got = prompt.mock.calls[0]?.[0].messages[0]?.tool_results;
  expect(got?.map(({ result }) => result.data ?? null)).toEqual(returned.map((result) => result ?? null));
});

test("an endpoint that says what went wrong is believed", async () => {
  const typed = createEndpointModel("/x", {
    fetch: async () => events({ type: "error", code: "MODEL_RATE_LIMIT", message: "slow down" }),
  });
  await expect(typed.prompt(request, async () => {})).rejects.toMatchObject({ code: "MODEL_RATE_LIMIT", message: "Slow down" });
  const plain = createEndpointModel("/x", {
    fetch: async () => new Response("nope", { status: 500 }),
    policy: { maxRetries: 0 },
  });
  await expect(plain.prompt(request, async () => {})).rejects.toMatchObject({
    code: "MODEL_SERVER",
    status: 500,
    message: expect.stringContaining("nope"),
  });
});

afterEach(() => vi.unstubAllEnvs());

test("all providers are told, and which can be used", () => {
  vi.stubEnv("OPENAI_API_KEY", "k");
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "k");
  const list = getAvailableProviders();
  expect(list.map(({ id }) => id)).toEqual(Object.keys(providers));
  const of = (id: string) => list.find((provider) => provider.id === id);
  expect(of("openai")).toEqual({
    id: "openai",
    name: "OpenAI",
    available: true,
    models: providers.openai?.models,
    defaultModel: "gpt-6.1-sol",
  });
  expect([of("anthropic")?.available, of("ollama")?.available]).toEqual([false, true]);
  // It is not supported, whatever keys are there.
  expect(of("bedrock")?.available).toBe(false);
});

test.each([
  ["an unknown provider", { provider: "x" }, 'Unknown provider "x". Available: openrouter, anthropic'],
  ["a name out of every object's prototype", { provider: "constructor" }, "Unknown provider"],
  ["a missing key", { provider: "kimi" }, 'No API key for provider "Kimi (Moonshot)". Pass `apiKey` or set MOONSHOT_API_KEY.'],
  ["a missing model", { provider: "ollama" }, 'No model specified for provider "Ollama". Pass a model name.'],
])("%s is told at creation", (_, options, message) => {
  expect(() => createAdapter(options as CreateAdapterOptions)).toThrow(
    expect.objectContaining({ code: "MODEL_CONFIG", message: expect.stringContaining(message) }),
  );
});

test("the table is the one that the core reads", () => {
  const table = JSON.parse(readFileSync(`${root}/src/providers/table.json`, "utf8")) as Record<string, unknown>[];
  // What only the check of models reads.
  const read = table.map(({ ends: _, date: __, source: ___, ...row }) => row);
  const own = Object.values(providers).map(({ defaultMaxTokens, defaultModel, ...rest }) => {
    expect(defaultModel).toBe(rest.models[0] ?? "");
    return { ...rest, maxTokens: defaultMaxTokens };
  });
  expect(own).toEqual(read);
  expect(Object.keys(providers)).toEqual(table.map(({ id }) => id));
});

test("a key out of the environment goes to no other provider", () => {
  vi.stubEnv("OPENAI_API_KEY", "k");
  const options = { provider: "openai", baseURL: "https://openrouter.ai/api/v1" } as const;
  for (const baseURL of [options.baseURL, "https://OpenRouter.ai.:443/x", "https://me@openrouter.ai/api/v1"]) {
    expect(() => createAdapter({ ...options, baseURL })).toThrow('Use provider "openrouter", or pass the key yourself.');
  }
  expect(createAdapter({ ...options, apiKey: "mine" }).name).toBe("gpt-6.1-sol");
  expect(createAdapter({ ...options, baseURL: "https://proxy.example.com/v1" }).name).toBe("gpt-6.1-sol");
});

test("a key in a page is refused without the switch", () => {
  vi.stubGlobal("window", {});
  vi.stubGlobal("document", {});
  const options = { provider: "openai", apiKey: "k" } as const;
  expect(() => createAdapter(options)).toThrow(expect.objectContaining({ code: "MODEL_CONFIG" }));
  expect(createAdapter({ ...options, dangerouslyAllowBrowser: true }).name).toBe("gpt-6.1-sol");
  vi.unstubAllGlobals();
});

test("a script is played in order, a function sees the request, and its end is an error", async () => {
  const model = createScriptedModel(["one", ({ messages }) => `you said ${messages[0]?.text}`]);
  const ask = () => model.prompt({ messages: [{ sender: "user", text: "x" }] }, async () => {});
  expect((await ask()).messages[0]?.text).toBe("one");
  expect((await ask()).messages[0]?.text).toBe("you said x");
  await expect(ask()).rejects.toMatchObject({ code: "SCRIPT_ENDED" });
  model.add("more");
  expect((await ask()).messages[0]?.text).toBe("more");
  expect(model.calls).toHaveLength(4);
});

test("a scripted model leaves no listener on its signal, however many pieces it shows", async () => {
  const { signal } = new AbortController();
  const model = createScriptedModel([{ deltas: Array.from({ length: 20 }, () => "x"), every: 1 }]);
  await model.prompt({ messages: [] }, async () => {}, signal);
  await Promise.resolve();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

const worker = { WorkerNavigator: class {}, window: undefined, document: undefined };
test.each([
  ["a page's worker", worker, true],
  ["a worker of Deno", { ...worker, Deno: {} }, false],
  ["a server", {}, false],
])("a key in %s needs the switch: %o %s", (_, globals, refused) => {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  const make = () => createAdapter({ provider: "openai", apiKey: "k" });
  if (refused) expect(make).toThrow("dangerouslyAllowBrowser");
  else expect(make().name).toBe("gpt-6.1-sol");
  vi.unstubAllGlobals();
});

const answered = { type: "done", message, ...usage } as const;
const never = new Promise<never>(() => {});

test("`done` ends a stream that stays open, that fails behind it, or that says it twice", async () => {
  const returned = vi.fn();
  async function* streamOf(behind: () => AsyncGenerator<RemoteStreamEvent>) {
    try {
      yield answered;
      yield* behind();
    } finally {
      returned();
    }
  }
  const ends: (() => AsyncGenerator<RemoteStreamEvent>)[] = [
    async function* () {
      yield await never;
    },
    async function* () {
      yield await Promise.reject(new Error("socket closed"));
    },
    async function* () {
      yield { ...answered, message: { ...message, text: "second" } };
    },
  ];
  for (const behind of ends) {
    const model = createRemoteModel("mine", { promptStream: () => streamOf(behind) });
    expect((await model.prompt(request, async () => {})).messages).toEqual([message]);
  }
  expect(returned).toHaveBeenCalledTimes(3);
});

test("a stop ends a remote stream, and closes it, whether it heeds the signal or not", async () => {
  for (const wait of [() => new Promise((resolve) => setTimeout(resolve, 5)), () => never]) {
    const stop = new AbortController();
    const closed = vi.fn((): never => {
      throw new Error("closed already");
    });
    const next = vi.fn(async () => {
      await wait();
      return { done: false, value: { type: "text_delta", text: "x" } } as const;
    });
    const promptStream = () => ({ [Symbol.asyncIterator]: () => ({ next, return: closed }) });
    const asked = createRemoteModel("mine", { promptStream }).prompt(request, async () => {}, stop.signal);
    setTimeout(() => stop.abort(), 20);
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    expect(closed).toHaveBeenCalledTimes(1);
    const before = next.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(next.mock.calls.length).toBe(before);
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  }
});

test("a listener that fails ends no answer, and is no unhandled rejection", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const promptStream = async function* () {
    yield { type: "text_delta", text: "Hi" } as const;
    yield answered;
  };
  const failing = [async () => Promise.reject(new Error("listener"))];
  failing.push(() => {
    throw new Error("listener");
  });
  for (const notify of failing) {
    const answer = await createRemoteModel("mine", { promptStream }).prompt(request, notify);
    expect(answer.messages).toEqual([message]);
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test.each([
  ["no iterator", { promptStream: async () => ({}) }],
  [
    "a `done` without a message",
    {
      promptStream: async function* () {
        yield { type: "done" };
      },
    },
  ],
  [
    "a text for a message",
    {
      promptStream: async function* () {
        yield { type: "done", message: "hi" };
      },
    },
  ],
  ["no answer", { prompt: async () => undefined }],
  ["nothing for a message", { prompt: async () => ({ message: null }) }],
  ["an answer without a message", { prompt: async () => ({ tokens_in: 1 }) }],
])("a remote model that gives %s is told what it should have given", async (_, actions) => {
  const message = "The model must return {message, tokens_in, tokens_out}, or a stream whose `done` event has them.";
  const asked = createRemoteModel("mine", actions as never).prompt(request, async () => {});
  await expect(asked).rejects.toMatchObject({ code: "MODEL_BAD_RESPONSE", message });
});

test("an event that is none is passed over", async () => {
  const promptStream = async function* () {
    yield null as never;
    yield answered;
  };
  expect((await createRemoteModel("mine", { promptStream }).prompt(request, async () => {})).messages).toEqual([message]);
});

test("an emoji that a model of the page tells in halves is whole in all that is shown, told and kept", async () => {
  const pieces = ["reasoning Hm \ud83d", "text a\ud83d", "reasoning \ude00", "text \ude00b", "text \ud83d"];
  const promptStream = async function* (): AsyncGenerator<RemoteStreamEvent> {
    for (const piece of pieces) {
      const [kind, text] = piece.split(/ (.*)/s) as ["text" | "reasoning", string];
      yield { type: `${kind}_delta`, text };
      // Longer than a frame: each piece crosses by itself.
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    yield await never;
  };
  const events: [string, unknown][] = [];
  const subscribers = [{ record: (type: string, data: unknown) => void events.push([type, data]) }];
  const createModel = () => createRemoteModel("mine", { promptStream });
  const createStore = () => new MemoryStore("s1");
  const session = new GloveClient({ createModel, createStore, systemPrompt: "", subscribers }).session("s1");
  const shown = new Set<string>();
  session.subscribe(() => void shown.add(session.getSnapshot().streamingText).add(session.getSnapshot().streamingReasoning));
  const asked = session.sendMessage("Hi");
  const told = () => events.filter(([type]) => type.endsWith("_delta")).map(([, data]) => (data as { text: string }).text);
  await vi.waitFor(() => expect(told().join("")).toBe("Hm a😀😀b"), { timeout: 3_000 });
  await new Promise((resolve) => setTimeout(resolve, 80));
  session.stop();
  expect(await asked).toEqual({ type: "aborted" });
  expect([...shown].filter((text) => text !== "")).toEqual(["Hm ", "a", "Hm 😀", "a😀b"]);
  expect(told()).toEqual(["Hm ", "a", "😀", "😀b"]);
  expect((await session.messages()).at(-1)).toMatchObject({ sender: "agent", text: "a😀b" });
});

test.each([
  ["no Response", undefined, "`fetch` did not return a Response with a byte stream as its body."],
  [
    "a body of texts",
    new Response(new ReadableStream({ start: (to) => to.enqueue('data: {"type":"done"}\n\n') })),
    "`fetch` did not return a Response with a byte stream as its body.",
  ],
])("a `fetch` that gives %s is told so", async (_, response, message) => {
  const fetch = async () => response as Response;
  const model = createEndpointModel("http://x/", { fetch, policy: { maxRetries: 0 } });
  const session = new GloveClient({ createModel: () => model, createStore: () => new MemoryStore("s1"), systemPrompt: "" });
  await expect(session.session("s1").sendMessage("Hi")).rejects.toMatchObject({
    code: "MODEL_NETWORK",
    message: expect.stringContaining(message),
  });
});

test("a model of OpenAI's that uses no tools by chat completions is asked by Responses, unless a format is named", async () => {
  const tool = { name: "look", description: "Looks.", jsonSchema: { type: "object", properties: {} } };
  const asked = async (options: Partial<CreateAdapterOptions>) => {
    const sent: [string, Record<string, unknown>][] = [];
    const fetch = async (url: string, { body }: RequestInit) => {
      sent.push([new URL(url).pathname, JSON.parse(String(body))]);
      return new Response('{"error":{"message":"no"}}', { status: 400 });
    };
    const model = createAdapter({ provider: "openai", apiKey: "k", reasoningEffort: "high", fetch, ...options });
    const asks = { messages: [{ sender: "user" as const, text: "x" }], tools: [tool] };
    await expect(model.prompt(asks, async () => {})).rejects.toMatchObject({ code: "MODEL_BAD_REQUEST" });
    const [path, body] = sent[0] ?? ["", {}];
    return [path, body.reasoning_effort ?? body.reasoning, body.include];
  };
  const responses = ["/v1/responses", { effort: "high" }, ["reasoning.encrypted_content"]];
  expect(await asked({})).toEqual(responses);
  expect(await asked({ model: "gpt-5.6-sol" })).toEqual(responses);
  expect(await asked({ model: "gpt-6-luna", format: "openai_chat" })).toEqual(["/v1/chat/completions", "none", undefined]);
  expect(await asked({ model: "gpt-5.1" })).toEqual(["/v1/chat/completions", "high", undefined]);
  // Nobody knows what a proxy speaks, and the application knows better.
  const proxy = { baseURL: "https://proxy.example/v1" };
  expect(await asked(proxy)).toEqual(["/v1/chat/completions", "high", undefined]);
  // Not the default model: it takes no tools there at all.
  expect((await asked({ model: "gpt-6-luna", facts: [{ model: "gpt-6*", responses: false }] }))[0]).toBe("/v1/chat/completions");
  expect((await asked({ ...proxy, facts: [{ model: "gpt-6*", responses: true }] }))[0]).toBe("/v1/responses");
});
