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
    "`policy.totalMs` is Infinity, and has to be a whole number from 0 on; 0 is none.",
  ],
  [{ policy: { maxRetries: -1 } }, "`policy.maxRetries` is -1"],
  [{ policy: { maxRetries: 1.5 } }, "`policy.maxRetries` is 1.5"],
  [{ policy: { idleMs: "30" } }, '`policy.idleMs` is "30"'],
  [{ policy: { firstByteMs: null } }, "`policy.firstByteMs` is null"],
  [{ maxTokens: 5e9 }, "`maxTokens` is 5000000000, and has to be a whole number from 1 to 4294967295."],
  [{ maxTokens: 0 }, "`maxTokens` is 0"],
  [{ maxTokens: 0.5 }, "`maxTokens` is 0.5"],
  [{ maxTokens: Number.NaN }, "`maxTokens` is NaN"],
  [{ reasoningBudget: -1 }, "`reasoningBudget` is -1"],
  [{ format: "cohere" }, '`format` is "cohere", and has to be one of "anthropic", "openai_chat", "openai_responses", "gemini".'],
  [{ toolUse: "texts" }, '`toolUse` is "texts", and has to be one of "native", "text".'],
  [{ cache: "2h" }, '`cache` is "2h", and has to be one of true, false, "5m", "1h".'],
  [{ baseURL: "ftp://x" }, 'The base URL "ftp://x" is no http or https address.'],
  [{ baseURL: "api.example.com" }, "is no http or https address"],
  [{ apiKey: "sk-one\nx: y" }, "The key in `apiKey` holds a character that no key has"],
  [{ apiKey: "sk-one…" }, "The key in `apiKey` holds a character that no key has"],
  [{ apiKey: "sk-one\0" }, "The key in `apiKey` holds a character that no key has"],
] as const;
const ofHandlers = [
  [{ heartbeatMs: Number.POSITIVE_INFINITY }, "`heartbeatMs` is Infinity"],
  [{ heartbeatMs: 2 ** 31 }, "`heartbeatMs` is 2147483648"],
  [{ providerMessages: "own" }, '`providerMessages` is "own", and has to be one of "safe", "all", "none".'],
] as const;

test.each(Object.entries(makers))("%s names the option that cannot be", (maker, make) => {
  for (const [options, message] of maker === "a handler" ? [...both, ...ofHandlers] : both) {
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

const post = (messages = 1) => {
  const body = JSON.stringify({ messages: Array(messages).fill({ sender: "user", text: "Hi" }) });
  return new Request("http://here/", { method: "POST", headers: { "content-type": "application/json" }, body });
};

test("a key from the environment that no header can carry is told in the server's console, and nobody is asked", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-canary…");
  const fetch = vi.fn();
  const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => {});
  const response = await createChatHandler({ provider: "openai", fetch })(post());
  const { error } = await response.json();
  expect([response.status, error.code, error.message]).toEqual([500, "MODEL_CONFIG", "This server is not set up for its model."]);
  expect(console.mock.calls).toEqual([[expect.stringContaining("The key in OPENAI_API_KEY holds a character")]]);
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
