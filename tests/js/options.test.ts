// Options that no call could be made with: refused when they are given, by their names, before anybody is asked.
import { type CreateAdapterOptions, createAdapter, GloveClient, MemoryStore } from "glove-wasm";
import { type ChatHandlerConfig, createChatHandler } from "glove-wasm/server";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const makers: Record<string, (options: object) => unknown> = {
  "an adapter": (options) => createAdapter({ provider: "openai", apiKey: "k", ...options } as CreateAdapterOptions),
  "a handler": (options) => createChatHandler({ provider: "openai", apiKey: "k", ...options } as ChatHandlerConfig),
};
const both = [
  [
    { policy: { totalMs: Number.POSITIVE_INFINITY } },
    "`policy.totalMs` must be a whole number of 0 or more, got Infinity; use 0 for none.",
  ],
  [{ policy: { maxRetries: -1 } }, "`policy.maxRetries` must be a whole number from 0 to 4294967295, got -1"],
  [{ policy: { maxRetries: 1.5 } }, "`policy.maxRetries` must be a whole number from 0 to 4294967295, got 1.5"],
  [{ policy: { idleMs: "30" } }, '`policy.idleMs` must be a whole number of 0 or more, got "30"'],
  [{ policy: { firstByteMs: null } }, "`policy.firstByteMs` must be a whole number of 0 or more, got null"],
  [{ maxTokens: 5e9 }, "`maxTokens` must be a whole number from 1 to 4294967295, got 5000000000."],
  [{ maxTokens: 0 }, "`maxTokens` must be a whole number from 1 to 4294967295, got 0"],
  [{ maxTokens: 0.5 }, "`maxTokens` must be a whole number from 1 to 4294967295, got 0.5"],
  [{ maxTokens: Number.NaN }, "`maxTokens` must be a whole number from 1 to 4294967295, got NaN"],
  [{ reasoningBudget: -1 }, "`reasoningBudget` must be a whole number from 0 to 4294967295, got -1"],
  [{ format: "cohere" }, '`format` must be one of "anthropic", "openai_chat", "openai_responses", "gemini"'],
  [{ toolUse: "texts" }, '`toolUse` must be one of "native", "text"'],
  [{ cache: "2h" }, '`cache` must be one of true, false, "5m", "1h"'],
  [{ temperature: 3 }, "`temperature` must be a number from 0 to 2, got 3."],
  [{ temperature: "hot" }, '`temperature` must be a number from 0 to 2, got "hot"'],
  [{ topP: -0.1 }, "`topP` must be a number from 0 to 1, got -0.1."],
  [{ topP: Number.NaN }, "`topP` must be a number from 0 to 1, got NaN"],
  [{ seed: 1.5 }, "`seed` must be a whole number of 0 or more, got 1.5."],
  [{ stop: "END" }, '`stop` must be an array, got "END".'],
  [{ stop: [""] }, "Each of `stop` must be a non-empty string"],
  [{ stop: [1] }, "Each of `stop` must be a string, got 1."],
  [{ toolChoice: "any" }, '`toolChoice` must be one of "auto", "none", "required" or { tool }'],
  [{ toolChoice: { name: "x" } }, "There is no option `toolChoice.name`; the only option is `tool`."],
  [{ toolChoice: {} }, "`toolChoice.tool` must be a string, got undefined."],
  [{ toolChoice: null }, '`toolChoice` must be one of "auto", "none", "required" or { tool }'],
  [{ parallelToolCalls: "no" }, '`parallelToolCalls` must be true or false, got "no".'],
  [{ extraBody: [] }, "`extraBody` must be an object, got an array."],
  [{ extraBody: { stream: false } }, "`extraBody.stream` cannot be set: it is an option of `createAdapter`."],
  [{ extraBody: { max_tokens: 9 } }, "`extraBody.max_tokens` cannot be set: use `maxTokens`."],
  [{ extraBody: { max_completion_tokens: 9 } }, "`extraBody.max_completion_tokens` cannot be set: use `maxTokens`."],
  [{ extraBody: { top_p: 0.5 } }, "`extraBody.top_p` cannot be set: use `topP`."],
  [{ reasoningEffort: "HIGH" }, '`reasoningEffort` must be one of "none", "minimal", "low", "medium",'],
  [{ reasoningEffort: "HIGH" }, 'Did you mean "high"?'],
  [{ reasoningEffort: "hihg" }, "`reasoningEffort` must be one of"],
  [{ reasoningEffort: "medium " }, 'Did you mean "medium"?'],
  [{ reasoningEffort: 5 }, "`reasoningEffort` must be one of"],
  [{ reasoningEffort: "deep", facts: [{ efforts: "lo hi" }] }, '"max", "lo", "hi"'],
  [{ facts: {} }, "`facts` must be an array, got an object."],
  [{ facts: [{ modle: "m" }] }, "There is no option `facts[0].modle`"],
  [{ facts: [{ model: "m", tools: "no" }] }, '`facts[0].tools` must be true or false, got "no".'],
  [{ facts: [{}, { thinking: "deep" }] }, '`facts[1].thinking` must be one of "none", "effort"'],
  [{ baseURL: "ftp://x" }, 'The base URL "ftp://x" is not an http or https URL.'],
  [{ baseURL: "api.example.com" }, "is not an http or https URL"],
  [{ apiKey: "sk-one\nx: y" }, "The key in `apiKey` contains a character that cannot be part of a key"],
  [{ apiKey: "sk-one…" }, "The key in `apiKey` contains a character that cannot be part of a key"],
  [{ apiKey: "sk-one\0" }, "The key in `apiKey` contains a character that cannot be part of a key"],
] as const;
const ofAdapters = [
  [{ stream: "false" }, '`stream` must be true or false, got "false".'],
  [{ reasoning: "yes" }, '`reasoning` must be true or false, got "yes".'],
  [{ model: 5 }, "`model` must be a string, got 5."],
  [{ apiKey: 123 }, "`apiKey` must be a string, got 123."],
  [{ fetch: 5 }, "`fetch` must be a function, got 5."],
  [{ policy: 5 }, "`policy` must be an object, got 5."],
  [{ dangerouslyAllowBrowser: "no" }, '`dangerouslyAllowBrowser` must be true or false, got "no".'],
  [{ key: "k" }, "Use `apiKey`."],
  [{ url: "https://x.example" }, "Use `baseURL`."],
  [{ maxRetries: 2 }, "Use `policy: { maxRetries }`."],
  [{ responseFormat: {} }, "Put the provider's own field in `extraBody`."],
] as const;
const ofHandlers = [
  [{ heartbeatMs: Number.POSITIVE_INFINITY }, "`heartbeatMs` must be a whole number from 0 to 2147483647, got Infinity"],
  [{ heartbeatMs: 2 ** 31 }, "`heartbeatMs` must be a whole number from 0 to 2147483647, got 2147483648"],
  [{ providerMessages: "own" }, '`providerMessages` must be one of "safe", "all", "none"'],
] as const;

test.each(Object.entries(makers))("%s names the option that cannot be", (maker, make) => {
  for (const [options, message] of [...both, ...(maker === "a handler" ? ofHandlers : ofAdapters)]) {
    const refusal = expect.objectContaining({ code: "MODEL_CONFIG", message: expect.stringContaining(message) });
    expect(() => make(options), JSON.stringify(options)).toThrow(refusal);
  }
});

test.each(Object.entries(makers))("%s takes what can be", (_, make) => {
  const policy = { maxRetries: 0, firstByteMs: 0, idleMs: 0, totalMs: 0 };
  for (const options of [
    { policy, maxTokens: 1, reasoningBudget: 0, format: "gemini", toolUse: "native", cache: false },
    { policy: undefined, maxTokens: undefined, cache: "1h" },
    { apiKey: " sk-one\n" },
    { reasoningEffort: "hi", facts: [{ efforts: "lo hi" }] },
    { temperature: 0, topP: 1, seed: 0, stop: ["END"], toolChoice: { tool: "look" }, parallelToolCalls: false },
    { toolChoice: "required", extraBody: { top_k: 5 }, facts: [{ host: "x.example", model: "m*", stop: false }] },
  ]) {
    expect(() => make(options), JSON.stringify(options)).not.toThrow();
  }
});

test("a blank key is no key", () => {
  vi.stubEnv("OPENAI_API_KEY", "");
  expect(() => createAdapter({ provider: "openai", apiKey: "  " })).toThrow('No API key for provider "OpenAI"');
});

test("a page without a key is told what a page can do, which is not to set an environment", () => {
  vi.stubGlobal("window", {});
  vi.stubGlobal("document", {});
  const make = () => createAdapter({ provider: "openai" });
  expect(make).toThrow(/No API key for provider "OpenAI".*createChatHandler.*`apiKey` and `dangerouslyAllowBrowser: true`/);
  expect(make).not.toThrow("OPENAI_API_KEY");
  vi.unstubAllGlobals();
});

test("a key is sent without the blanks around it", async () => {
  const sent: (string | null)[] = [];
  const fetch = async (_: string, { headers }: RequestInit) => {
    sent.push(new Headers(headers).get("authorization"));
    return new Response("{}", { status: 400 });
  };
  const options = { provider: "openai", apiKey: " sk-one\n", fetch } as const;
  const model = createAdapter(options);
  const config = { createModel: () => model, createStore: () => new MemoryStore("s1"), systemPrompt: "" };
  await expect(new GloveClient(config).session("s1").sendMessage("Hi")).rejects.toMatchObject({ code: "MODEL_BAD_REQUEST" });
  await createChatHandler({ ...options, onError() {} })(post());
  expect(sent).toEqual(["Bearer sk-one", "Bearer sk-one"]);
});

const post = (messages = 1) => posted(JSON.stringify({ messages: Array(messages).fill({ sender: "user", text: "Hi" }) }));
const posted = (body: string) =>
  new Request("http://here/", { method: "POST", headers: { "content-type": "application/json" }, body });

test("a key from the environment that no header can carry is told in the server's console, and nobody is asked", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-canary…");
  const fetch = vi.fn();
  const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => {});
  const response = await createChatHandler({ provider: "openai", fetch })(post());
  const { error } = await response.json();
  expect([response.status, error.code, error.message]).toEqual([500, "MODEL_CONFIG", "This server is not set up for its model."]);
  expect(console.mock.calls).toEqual([[expect.stringContaining("The key in OPENAI_API_KEY contains a character")]]);
  expect(JSON.stringify(console.mock.calls)).not.toContain("canary");
  expect(fetch).not.toHaveBeenCalled();
});

test("infinity lifts a limit", async () => {
  const all = Number.POSITIVE_INFINITY;
  const fetch = vi.fn(async () => new Response("{}", { status: 400 }));
  const limits = { messages: all, bodyBytes: all, tools: all, systemPromptBytes: all };
  await createChatHandler({ provider: "openai", apiKey: "k", limits, fetch, onError() {} })(post(2_500));
  expect(fetch).toHaveBeenCalledTimes(1);
});

test("plain options reach the provider in its own words, through an adapter and through a handler", async () => {
  const plain = {
    provider: "openai",
    model: "house-1",
    apiKey: "k",
    baseURL: "https://models.example/v1",
    maxTokens: 9,
    temperature: 0.5,
    topP: 0.9,
    seed: 7,
    stop: ["END"],
    parallelToolCalls: false,
    toolChoice: { tool: "look" },
    extraBody: { user: "u1", seed: 8 },
    facts: [{ model: "house-*", topP: false, maxTokensField: "max_completion_tokens" }],
  } as const;
  const bodies: unknown[] = [];
  const end = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const fetch = async (_: string, init: RequestInit) => {
    bodies.push(JSON.parse(String(init.body)));
    return new Response(end, { headers: { "content-type": "text/event-stream" } });
  };
  const look = { name: "look", description: "", parameters: { type: "object" } };
  const tool = {
    name: "look",
    description: "",
    jsonSchema: look.parameters,
    do: () => ({ status: "success", data: 1 }),
  } as const;
  const client = new GloveClient({ createModel: () => createAdapter({ ...plain, fetch }), systemPrompt: "", tools: [tool] });
  await client.session("plain").sendMessage("hi");
  const asked = JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "hi" }], tools: [look] });
  await (await createChatHandler({ ...plain, fetch })(posted(asked))).text();
  expect(bodies).toHaveLength(2);
  for (const body of bodies) {
    expect(body).toMatchObject({
      ...{ temperature: 0.5, seed: 8, stop: ["END"], parallel_tool_calls: false, user: "u1", max_completion_tokens: 9 },
      tool_choice: { type: "function", function: { name: "look" } },
    });
    expect(body).not.toHaveProperty("top_p");
    expect(body).not.toHaveProperty("max_tokens");
  }
});
