// A model that is asked without a session answers, fails and keeps its keys as it does in one.
import { type ContentPart, createEndpointModel, GloveClient, MemoryStore, type Message } from "glove-wasm";
import { expect, test, vi } from "vitest";

const message = (text: string, more: object = {}): Message => ({ sender: "agent", text, ...more });
const done = (text: string, more: object = {}) => ({
  type: "done",
  message: message(text),
  tokens_in: 3,
  tokens_out: 2,
  ...more,
});
const old = (text: string) => done(text, { tokens_in: 0, tokens_out: 0 });
const text = (text: string) => ({ type: "text_delta", text });
const sse = (...events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

interface Read {
  /** What was told on the way. */
  text: string;
  reasoning: string;
  /** The answer, or the code of the failure. */
  answer?: string;
  tokens?: [number, number];
  code?: string;
}
const empty = { text: "", reasoning: "" };

type Answer = () => Response | Promise<Response>;
interface Options {
  readonly url?: string;
  readonly headers?: Record<string, string>;
}

const modelOf = (answer: Answer, { url = "http://h/chat", headers }: Options) =>
  createEndpointModel(url, { fetch: async () => answer(), policy: { maxRetries: 0 }, ...(headers && { headers }) });

async function bySession(answer: Answer, options: Options = {}): Promise<[Read, Error | undefined]> {
  const read: Read = { ...empty };
  const take = (type: string, data: unknown) => {
    if (type === "text_delta") read.text += (data as { text: string }).text;
    if (type === "reasoning_delta") read.reasoning += (data as { text: string }).text;
  };
  const config = { createModel: () => modelOf(answer, options), createStore: () => new MemoryStore("s1"), systemPrompt: "" };
  const session = new GloveClient({ ...config, subscribers: [{ record: take }] }).session("s1");
  try {
    const outcome = await session.sendMessage("Hi");
    if (outcome.type !== "completed") throw new Error(outcome.type);
    return [{ ...read, answer: outcome.text, tokens: [outcome.usage.tokens_in, outcome.usage.tokens_out] }, undefined];
  } catch (error) {
    return [{ ...read, code: (error as { code: string }).code }, error as Error];
  }
}

async function byItself(answer: Answer, options: Options = {}): Promise<[Read, Error | undefined]> {
  const read: Read = { ...empty };
  const notify = async (type: string, data: unknown) => {
    if (type === "text_delta") read.text += (data as { text: string }).text;
    if (type === "reasoning_delta") read.reasoning += (data as { text: string }).text;
  };
  try {
    const asked = { messages: [{ sender: "user" as const, text: "Hi" }] };
    const { messages, tokens_in, tokens_out } = await modelOf(answer, options).prompt(asked, notify);
    return [{ ...read, answer: messages[0]?.text ?? "", tokens: [tokens_in, tokens_out] }, undefined];
  } catch (error) {
    return [{ ...read, code: (error as { code?: string }).code ?? "MODEL_NETWORK" }, error as Error];
  }
}

const whole: Read = { text: "Hi", reasoning: "", answer: "Hi", tokens: [3, 2] };
const said = (text: string) => ({ text, answer: text });
const answers: [string, string, Read][] = [
  ["an answer in pieces", sse(text("H"), text("i"), done("Hi")), whole],
  ["lines that end in CR and LF", sse(text("Hi"), done("Hi")).replaceAll("\n", "\r\n"), whole],
  ["lines that end in CR", sse(text("Hi"), done("Hi")).replaceAll("\n", "\r"), whole],
  ["comments and other fields", `: ping\nevent: x\nid: 1\n${sse(text("Hi"))}: ping\n\n${sse(done("Hi"))}`, whole],
  ["no space behind the colon", sse(text("Hi"), done("Hi")).replaceAll("data: ", "data:"), whole],
  ["JSON over two lines", `data: {"type":"text_delta",\ndata: "text":"Hi"}\n\n${sse(done("Hi"))}`, whole],
  ["a byte order mark", `\uFEFF${sse(text("Hi"), done("Hi"))}`, whole],
  ["no blank line at the end", sse(text("Hi"), done("Hi")).trimEnd(), whole],
  ["the end mark of other protocols", `${sse(text("Hi"))}data: [DONE]\n\n${sse(done("Hi"))}`, whole],
  ["events that nobody knows", sse({ type: "news", text: "x" }, text("Hi"), done("Hi")), whole],
  [
    "events without a type",
    `${sse({ text: "x" }, { type: 5 }, text("Hi"))}data: null\n\ndata: [1]\n\ndata: 5\n\n${sse(done("Hi"))}`,
    whole,
  ],
  ["something behind the end", sse(text("Hi"), done("Hi"), text("late")), whole],
  ["reasoning", sse({ type: "reasoning_delta", text: "Hm" }, text("Hi"), done("Hi")), { ...whole, reasoning: "Hm" }],
  ["letters of several bytes", sse(text("é😀漢"), done("é😀漢")), { ...whole, text: "é😀漢", answer: "é😀漢" }],
  ["an emoji in halves", sse(text("\ud83d"), text("\ude00"), done("😀")), { ...whole, text: "😀", answer: "😀" }],
  ["no end", sse(text("Hi")), { ...empty, text: "Hi", code: "MODEL_STREAM_CUT" }],
  ["nothing", "", { ...empty, code: "MODEL_STREAM_CUT" }],
  ["an event that is no JSON", `${sse(text("Hi"))}data: {oops\n\n`, { ...empty, text: "Hi", code: "MODEL_BAD_RESPONSE" }],
  ["an end without a message", sse(text("Hi"), { type: "done" }), { ...empty, text: "Hi", code: "MODEL_BAD_RESPONSE" }],
  [
    "a failure",
    sse(text("Hi"), { type: "error", code: "MODEL_OVERLOADED", kind: "overloaded", message: "busy" }),
    { ...empty, text: "Hi", code: "MODEL_OVERLOADED" },
  ],
  ["a failure as an answer", sse(text("Hi"), old("Error: Error: no")), { ...empty, text: "Hi", code: "MODEL_SERVER" }],
  [
    "a failure as an answer that counts nothing",
    sse({ type: "done", message: message("Error: no") }),
    { ...empty, code: "MODEL_SERVER" },
  ],
  ["a counted answer like a failure", sse(text("Error: no"), done("Error: no")), { ...whole, ...said("Error: no") }],
  [
    "an answer like a failure that was told",
    sse(text("Error: no"), old("Error: no")),
    { ...whole, ...said("Error: no"), tokens: [0, 0] },
  ],
  ["a failure without a code", sse({ type: "error", message: "no" }), { ...empty, code: "MODEL_SERVER" }],
];
test.each(answers)("%s is read in the same way with and without a session", async (_, body, expected) => {
  const answer = () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  expect((await bySession(answer))[0]).toEqual(expected);
  expect((await byItself(answer))[0]).toEqual(expected);
});

test.each([
  [401, "MODEL_AUTHENTICATION"],
  [403, "MODEL_AUTHENTICATION"],
  [429, "MODEL_RATE_LIMIT"],
  [400, "MODEL_BAD_REQUEST"],
  [500, "MODEL_SERVER"],
  [307, "MODEL_CONFIG"],
])("the status %i is read in the same way with and without a session", async (status, code) => {
  const answer = () => new Response("no", { status });
  expect((await bySession(answer))[0]).toEqual({ ...empty, code });
  expect((await byItself(answer))[0]).toEqual({ ...empty, code });
});

test.each([
  [413, "<h1>413 Request Entity Too Large</h1>", "BODY_TOO_LARGE"],
  [413, { code: "BODY_TOO_LARGE" }, "BODY_TOO_LARGE"],
  [413, { code: "TOO_MANY_TOOLS" }, "TOO_MANY_TOOLS"],
  [401, { code: "UNAUTHORIZED" }, "UNAUTHORIZED"],
  [402, { code: "OUT_OF_CREDIT" }, "OUT_OF_CREDIT"],
  [502, { code: "MODEL_NETWORK", kind: "network" }, "MODEL_SERVER"],
  [400, { code: "invalid_value" }, "MODEL_BAD_REQUEST"],
  [404, "<!doctype html><pre>Cannot POST /chat</pre>", "MODEL_BAD_REQUEST"],
])("a refusal with %i and %j has the same code both ways, and no source of a page", async (status, error, code) => {
  const body = typeof error === "string" ? error : JSON.stringify({ error: { message: "no", ...error } });
  for (const read of [bySession, byItself]) {
    const [told, failure] = await read(() => new Response(body, { status }));
    expect(told).toEqual({ ...empty, code });
    expect(failure?.message).not.toContain("<");
  }
});

const key = "sk-canary-4711";
const bearer = { authorization: `Bearer ${key}` };
const login = (at: string) => ({ url: `http://${at}@h/chat` });
const keys: [string, Options, said: string, told: string][] = [
  ["behind a scheme", { headers: bearer }, `Bad key ${key}, again ${key}.`, "Bad key …, again …."],
  ["with its scheme", { headers: bearer }, `Bad: Bearer ${key}!`, "Bad: …!"],
  ["in a header of one's own", { headers: { "x-own": key } }, `Bad ${key} here`, "Bad … here"],
  ["cut off at the end", { headers: bearer }, "Bad key sk-canar", "Bad key …"],
  ["cut off with dots", { headers: bearer }, "Bad key sk-canary-471…", "Bad key …"],
  ["most of it", { headers: bearer }, "No sk-canary-47 and sk-canary-4***!", "No … and …***!"],
  ["less than most of it", { headers: bearer }, "A sk-canary is no key", "A sk-canary is no key"],
  ["a cookie", { headers: { cookie: `a=1; session=${key}` } }, `A session of ${key} here`, "A session of … here"],
  ["a part that is quoted", { headers: { "x-sig": `id=7, secret="${key}"` } }, `Secret ${key} here`, "Secret … here"],
  ["a header of words", { headers: { "x-title": "An application for all" } }, "No application here", "No application here"],
  ["what is no key", { headers: { "anthropic-version": "2023-06-01", x: "true" } }, "True 2023-06-01!", "True 2023-06-01!"],
  [
    "in the query",
    { url: `http://h/chat?a=b&Access_Token=${key}#x` },
    `At /chat?Access_Token=${key}#x`,
    "At /chat?Access_Token=…#x",
  ],
  ["other fields of the query", { url: "http://h/chat?version=2024-10-21" }, "At version=2024-10-21!", "At version=2024-10-21!"],
  ["a password", login(`me:${key}`), `No ${key} here`, "No … here"],
  ["a login", login(key), `No ${key} here`, "No … here"],
];
test.each(keys)("a key is struck out with and without a session: %s", async (_, options, said, told) => {
  const failing: Answer[] = [
    () => Promise.reject(new TypeError(said)),
    () =>
      new Response(sse({ type: "error", code: "MODEL_SERVER", message: said }), {
        headers: { "content-type": "text/event-stream" },
      }),
  ];
  for (const answer of failing) {
    const [[, one], [, other]] = [await bySession(answer, options), await byItself(answer, options)];
    expect(one?.message).toContain(told);
    expect(other?.message).toContain(told);
  }
});

test.each([false, true])("what is asked is the same in both ways (reasoning: %s)", async (reasoning) => {
  const extra = { id: "m1", metadata: { mood: 1 }, prompt_id: "p", at: 5, mine: "x" };
  const call = (id: string) => ({ tool_name: "t", input_args: { id }, id, thought_signature: "sig", mine: "x" });
  const image = { type: "image", source: { type: "url", media_type: "image/png", url: "https://a.example/i.png" } };
  const thoughts = { reasoning_content: "Hm.", thinking_blocks: [{ type: "thinking", thinking: "Hm.", signature: "s" }] };
  const shown = { renderData: { secret: true }, generateSummaryArgs: 1, outcome: "failed", mine: "x" };
  const messages = [
    { sender: "user", text: "q", ...extra },
    {
      sender: "agent",
      text: "Look.",
      tool_calls: ["a", "b", "c", "d"].map(call),
      ...thoughts,
      ...extra,
      usage: { tokens_in: 1 },
    },
    {
      sender: "user",
      text: "tool results",
      tool_results: [
        { tool_name: "t", call_id: "a", result: { status: "success", data: { x: 1 }, ...shown }, duration_ms: 3, slots: [] },
        { tool_name: "t", call_id: "b", result: { status: "error", data: null, message: "no", ...shown } },
        { tool_name: "t", call_id: "c", result: { status: "aborted", data: null, message: "stopped" } },
        { tool_name: "t", call_id: "d", result: "as it was" },
      ],
      ...extra,
    },
    { sender: "agent", text: "Seen.", ...extra },
    {
      sender: "user",
      text: "[multimodal message]",
      content: [
        { type: "text", text: "And this?", ...extra },
        { ...image, ...extra },
      ],
    },
  ] as unknown as Message[];
  const bodies: unknown[] = [];
  const fetch = async (_: string, { body }: RequestInit) => {
    bodies.push(JSON.parse(String(body)));
    return new Response(sse(done("ok")), { headers: { "content-type": "text/event-stream" } });
  };
  const model = createEndpointModel("http://h/chat", { fetch, reasoning });
  const tool = { name: "t", description: "d", jsonSchema: { type: "object", properties: {} } };
  const store = new MemoryStore("s1");
  await store.appendMessages(messages.slice(0, -1));
  const config = { createModel: () => model, createStore: () => store, systemPrompt: "Be kind.", tasks: false };
  const session = new GloveClient({ ...config, tools: [{ ...tool, do: () => 1 }] }).session("s1");
  await session.sendMessage({ content: messages.at(-1)?.content as ContentPart[] });
  model.setSystemPrompt("Be kind.");
  await model.prompt({ messages, tools: [tool] }, async () => {});
  // The text beside the parts says the same again, in words of its own.
  const same = (key: string, value: unknown) => (key === "text" && value === "[multimodal message]" ? "And this?" : value);
  const [bySession, byItself] = bodies.map((body) => JSON.parse(JSON.stringify(body, same)));
  expect(byItself).toEqual(bySession);
});

test("a model that is stopped while the core loads is not asked", async () => {
  const fetch = vi.fn(async () => new Response(sse(done("ok")), { headers: { "content-type": "text/event-stream" } }));
  const stop = new AbortController();
  const asked = createEndpointModel("http://h/chat", { fetch }).prompt(
    { messages: [{ sender: "user", text: "Hi" }] },
    async () => {},
    stop.signal,
  );
  stop.abort();
  await expect(asked).rejects.toMatchObject({ name: "AbortError" });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(fetch).not.toHaveBeenCalled();
});
