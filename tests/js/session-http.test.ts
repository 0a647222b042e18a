// Models behind HTTP: the core does the talking, through the page's fetch.
import { createAdapter, createEndpointModel, defineTool, type GloveError, type Message, type ModelAdapter } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

const done = (message: Message) => ({ type: "done", message, tokens_in: 9, tokens_out: 4, cache_read_input_tokens: 2 });

function sse(...events: readonly object[]): Response {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** An answer whose pieces come one by one; `hang` keeps it open behind them. */
function slowly(pieces: readonly string[], hang: boolean, signal: AbortSignal | null | undefined): Response {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
      else if (!hang) controller.close();
      else await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const at = (model: ModelAdapter, config = {}) => scene([], { ...config, createModel: () => model });

/** An answer whose pieces come when the test says so. */
function told(): { answer: Response; say(...pieces: string[]): void; end(): void } {
  let to: ReadableStreamDefaultController<Uint8Array> | undefined;
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    to = controller;
  };
  const answer = new Response(new ReadableStream({ start }), { headers: { "content-type": "text/event-stream" } });
  const say = (...pieces: string[]) => {
    for (const piece of pieces) to?.enqueue(new TextEncoder().encode(piece));
  };
  return { answer, say, end: () => to?.close() };
}

test("an endpoint is asked by the core, and its answer streams", async () => {
  const { answer, say, end } = told();
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => answer);
  const { session, shown, events } = at(createEndpointModel("/api/chat", { fetch, headers: () => ({ "x-key": "1" }) }));
  const sending = session.sendMessage("Hi");
  say('data: {"type":"text_delta","text":"Hel"}\n\nda');
  await until(session, ({ streamingText }) => streamingText === "Hel");
  say('ta: {"type":"text_delta","text":"lo"}\n\n');
  await until(session, ({ streamingText }) => streamingText === "Hello");
  say(`data: ${JSON.stringify(done({ sender: "agent", text: "Hello" }))}\n\n`);
  end();
  const outcome = await sending;
  expect(outcome).toMatchObject({ text: "Hello", usage: { tokens_in: 9, tokens_out: 4, cache_read_input_tokens: 2 } });
  expect(shown()).toEqual(["user: Hi", "agent: Hello"]);
  expect(events.filter(([type]) => type === "text_delta").map(([, data]) => data)).toEqual([{ text: "Hel" }, { text: "lo" }]);
  const [url, init] = fetch.mock.calls[0] ?? ["", {}];
  expect([url, init.method, new Headers(init.headers).get("x-key"), new Headers(init.headers).get("content-type")]).toEqual([
    "/api/chat",
    "POST",
    "1",
    "application/json",
  ]);
  expect(JSON.parse(String(init.body))).toMatchObject({
    systemPrompt: "You are a test.",
    messages: [{ sender: "user", text: "Hi" }],
  });
});

test("chunks that are there already are handed to the core together, and none of them is lost at the end or at a break", async () => {
  const texts = Array.from({ length: 200 }, (_, at) => `${at} `);
  for (const [end, cut] of [[done({ sender: "agent", text: texts.join("") }), false] as const, [undefined, true] as const]) {
    const { answer, say, end: close } = told();
    const { session, shown, events } = at(createEndpointModel("/x", { fetch: async () => answer }));
    say(...texts.map((text) => `data: ${JSON.stringify({ type: "text_delta", text })}\n\n`));
    if (end) say(`data: ${JSON.stringify(end)}\n\n`);
    close();
    await session.sendMessage("Hi").catch(() => {});
    expect(shown()).toEqual(["user: Hi", `agent: ${texts.join("")}${cut ? " (cut)" : ""}`]);
    const deltas = events.filter(([type]) => type === "text_delta");
    expect(deltas.map(([, data]) => (data as { text: string }).text).join("")).toBe(texts.join(""));
    expect(deltas.length).toBeLessThan(100);
  }
});

test("behind a whole answer the connection is read to its end, and broken off only when that does not come", async () => {
  const opened: (ReturnType<typeof told> & { signal: AbortSignal })[] = [];
  const fetch = async (_: string, init: RequestInit) => {
    const connection = { ...told(), signal: init.signal as AbortSignal };
    opened.push(connection);
    connection.say(`data: ${JSON.stringify(done({ sender: "agent", text: "Hello" }))}\n\n`);
    return connection.answer;
  };
  const { session } = at(createEndpointModel("/x", { fetch }));
  for (const text of ["one", "two"]) expect(await session.sendMessage(text)).toMatchObject({ text: "Hello" });
  const [ends, hangs] = opened;
  ends?.say(": bye\n\n");
  ends?.end();
  await new Promise((later) => setTimeout(later, 100));
  expect([ends?.signal.aborted, hangs?.signal.aborted]).toEqual([false, false]);
  hangs?.say(": still there\n\n");
  await vi.waitFor(() => expect(() => hangs?.say(": late\n\n")).toThrow(TypeError), { timeout: 3_000 });
  expect(session.getSnapshot().error).toBeUndefined();
});

test("a tool's renderData never leaves the page", async () => {
  const answers = [
    sse(done({ sender: "agent", text: "", tool_calls: [{ tool_name: "t", input_args: {}, id: "c" }] })),
    sse(done({ sender: "agent", text: "ok" })),
  ];
  const bodies: string[] = [];
  const fetch = async (_: string, init: RequestInit) => {
    bodies.push(String(init.body));
    return answers.shift() ?? sse();
  };
  const tool = {
    name: "t",
    description: "",
    jsonSchema: { type: "object" },
    do: () => ({ status: "success", data: 1, renderData: "secret" }),
  };
  const { session } = at(createEndpointModel("/x", { fetch }), { tools: [tool] });
  await session.sendMessage("Hi");
  expect(session.getSnapshot().timeline[1]).toMatchObject({ renderData: "secret" });
  expect(bodies[1]).toContain("tool_results");
  expect(bodies.join()).not.toContain("secret");
});

test("stopping closes the connection and keeps the text", async () => {
  let signal: AbortSignal | null | undefined;
  const fetch = async (_: string, init: RequestInit) => {
    signal = init.signal;
    return slowly(['data: {"type":"text_delta","text":"Once"}\n\n'], true, init.signal);
  };
  const { session, shown } = at(createEndpointModel("/x", { fetch }));
  const sending = session.sendMessage("Hi");
  await until(session, ({ streamingText }) => streamingText === "Once");
  session.stop();
  expect(await sending).toEqual({ type: "aborted" });
  expect(signal?.aborted).toBe(true);
  expect(shown()).toEqual(["user: Hi", "agent: Once (cut)"]);
});

const half = 'data: {"type":"text_delta","text":"Once"}\n\n';
const never = () => new Promise<never>(() => {});
test.each([
  // A fetch that does not heed its signal, too.
  ["before the head", never, ""],
  ["before the first byte", (signal: AbortSignal) => slowly([], true, signal), ""],
  ["between two events", (signal: AbortSignal) => slowly([half], true, signal), "Once"],
  ["within an event", (signal: AbortSignal) => slowly([half, 'data: {"type":"te'], true, signal), "Once"],
  ["while it waits to try again", () => new Response("busy", { status: 429, headers: { "retry-after": "30" } }), ""],
])("stopping %s ends the request at once", async (_, answer, shown) => {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) times.push(await stopping(answer, shown));
  console.log(`stopped after ${times.map((took) => `${took.toFixed(1)} ms`).join(", ")}`);
  // The median: anything may run in the middle of one.
  expect(times.sort((one, other) => one - other)[2]).toBeLessThan(50);
});

/** Gives how long it took. */
async function stopping(answer: (signal: AbortSignal) => Response | Promise<never>, shown: string): Promise<number> {
  const signals: AbortSignal[] = [];
  const fetch = vi.fn(async (_url: string, { signal }: RequestInit) => {
    signals.push(signal as AbortSignal);
    return answer(signal as AbortSignal);
  });
  const { session } = at(createEndpointModel("/x", { fetch }));
  const sending = session.sendMessage("Hi");
  await vi.waitFor(() => expect(fetch).toHaveBeenCalledTimes(1));
  await until(session, ({ streamingText }) => streamingText === shown);
  await new Promise((resolve) => setTimeout(resolve, 120));
  const since = performance.now();
  session.stop();
  expect(await sending).toEqual({ type: "aborted" });
  const took = performance.now() - since;
  expect([signals[0]?.aborted, fetch.mock.calls.length]).toEqual([true, 1]);
  return took;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const pieces = [
  'data: {"type":"reasoning_delta","text":"Hm"}\n\n',
  half,
  'data: {"type":"tool_input_delta","id":"c1","name":"look","delta":"{"}\n\n',
  'data: {"type":"tool_use","id":"c1","name":"look","input":{}}\n\n',
  'data: {"type":"text_delta","text":" more"}\n\n',
  ": ping\n\n",
];
test.each([...pieces.keys(), pieces.length])("stopping behind %i events takes no timer and no further event", async (count) => {
  const { answer, say } = told();
  let signal: AbortSignal | undefined;
  const run = vi.fn();
  const fetch = async (_: string, init: RequestInit) => {
    signal = init.signal as AbortSignal;
    return answer;
  };
  const { session, events } = at(createEndpointModel("/x", { fetch }), {
    tools: [defineTool({ name: "look", description: "Looks", inputSchema: z.object({}), do: run })],
  });
  let outcome: unknown;
  session.sendMessage("Hi").then((came) => {
    outcome = came;
  });
  await vi.waitFor(() => expect(signal).toBeDefined());
  say(...pieces.slice(0, count));
  for (let turns = 0; turns < 5; turns++) await turn();
  const heard = events.filter(([type]) => type.endsWith("_delta")).length;
  expect(heard).toBe([0, 1, 2, 3, 3, 4, 4][count]);
  session.stop();
  await turn();
  expect([signal?.aborted, outcome]).toEqual([true, { type: "aborted" }]);
  // The stream is closed on this side.
  expect(() => say("late")).toThrow(TypeError);
  await turn();
  expect(run).not.toHaveBeenCalled();
  expect(events.filter(([type]) => type.endsWith("_delta"))).toHaveLength(heard);
});

test("what goes wrong with an endpoint is a typed error, and nothing of it becomes a message", async () => {
  const policy = { maxRetries: 0 };
  const failing = async (answer: () => Response | Promise<Response>) => {
    const { session, shown } = at(createEndpointModel("/x", { policy, fetch: async () => answer() }));
    const error = await session.sendMessage("Hi").catch((thrown: unknown) => thrown);
    expect(shown()).toEqual(["user: Hi"]);
    return (error as { code: string }).code;
  };
  expect(await failing(() => new Response("no key", { status: 401 }))).toBe("MODEL_AUTHENTICATION");
  expect(await failing(() => new Response("<html>", { headers: { "content-type": "text/html" } }))).toBe("MODEL_BAD_RESPONSE");
  expect(await failing(() => sse())).toBe("MODEL_STREAM_CUT");
  expect(await failing(() => Promise.reject(new TypeError("Failed to fetch")))).toBe("MODEL_NETWORK");
});

test("a failure that may pass is tried again by itself", async () => {
  const fetch = vi
    .fn<() => Promise<Response>>()
    .mockResolvedValueOnce(new Response("busy", { status: 503, headers: { "retry-after": "0" } }))
    .mockResolvedValueOnce(sse(done({ sender: "agent", text: "back" })));
  const { session } = at(createEndpointModel("/x", { fetch }));
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "back" });
  expect(fetch).toHaveBeenCalledTimes(2);
});

test("a provider is asked in its own format, with the key in its header only", async () => {
  const chunk = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, finish_reason: null, ...more }] });
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => {
    const body = [chunk({ content: "Hi" }), chunk({}, { finish_reason: "stop" })].map(
      (event) => `data: ${JSON.stringify(event)}\n\n`,
    );
    return new Response(`${body.join("")}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
  });
  const { session, events } = at(createAdapter({ provider: "openai", model: "gpt-4.1", apiKey: "sk-secret", fetch }));
  expect(await session.sendMessage("Hello")).toMatchObject({ text: "Hi" });
  const [url, init] = fetch.mock.calls[0] ?? ["", {}];
  expect(url).toBe("https://api.openai.com/v1/chat/completions");
  expect(new Headers(init.headers).get("authorization")).toBe("Bearer sk-secret");
  expect(new Headers(init.headers).get("content-type")).toBe("application/json");
  expect(JSON.parse(String(init.body))).toMatchObject({
    model: "gpt-4.1",
    stream: true,
    messages: [{ role: "system" }, { role: "user" }],
  });
  expect(String(init.body) + JSON.stringify([events, await session.messages()])).not.toContain("sk-secret");
});

test("what a provider that the page asks fails with is told in its own words, and tried again where that helps", async () => {
  const failing = async (...answers: (() => Response | Promise<Response>)[]) => {
    const fetch = vi.fn(async () => (answers.length > 1 ? answers.shift() : answers[0])?.() ?? new Response());
    const { session, shown } = at(createAdapter({ provider: "openai", model: "gpt-4.1", apiKey: "sk-secret", fetch }));
    const { code, message } = (await session.sendMessage("Hi").catch((thrown: unknown) => thrown)) as GloveError;
    expect(shown()).toEqual(["user: Hi"]);
    return [code, message, fetch.mock.calls.length];
  };
  const body = JSON.stringify({ error: { message: "Incorrect API key: sk-secret", code: "invalid_api_key" } });
  const [code, message] = await failing(() => new Response(body, { status: 401 }));
  expect([code, String(message)]).toEqual(["MODEL_AUTHENTICATION", expect.stringContaining("Incorrect API key: …")]);
  const html = () => new Response("<html>", { headers: { "content-type": "text/html" } });
  expect((await failing(html)).slice(0, 2)).toEqual(["MODEL_BAD_RESPONSE", expect.stringContaining("a web page")]);
  const refused = () => Promise.reject(new TypeError("Failed to fetch"));
  const soon = () => new Response("busy", { status: 503, headers: { "retry-after-ms": "1" } });
  expect(await failing(soon, refused, soon)).toEqual(["MODEL_SERVER", "HTTP 503: busy", 3]);
});

test("what a provider wants back of its answers goes back to it, without streaming too", async () => {
  const thinking = { type: "thinking", thinking: "Let me look.", signature: "sig-1" };
  const use = { type: "tool_use", id: "c1", name: "look", input: { at: 1 } };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const answers = [
    { type: "message", content: [thinking, use], stop_reason: "tool_use", usage },
    { type: "message", content: [{ type: "text", text: "Found." }], stop_reason: "end_turn", usage },
  ];
  const bodies: { stream?: boolean; messages: { role: string; content: unknown }[] }[] = [];
  const fetch = async (_: string, init: RequestInit) => {
    bodies.push(JSON.parse(String(init.body)));
    return Response.json(answers.shift());
  };
  const options = { provider: "anthropic", apiKey: "k-secret", stream: false, reasoning: true, fetch } as const;
  const look = { name: "look", description: "", jsonSchema: { type: "object" }, do: () => ({ status: "success", data: 2 }) };
  const { session } = at(createAdapter(options), { tools: [look] });
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "Found." });
  expect(bodies[0]?.stream).toBeUndefined();
  expect(bodies[1]?.messages[1]).toMatchObject({ role: "assistant", content: [thinking, use] });
});

test("an answer whose JSON a provider broke into lines is read, and its call runs", async () => {
  const input = { city: "Bos\nton", days: [1, 2] };
  const indented = (value: unknown) => JSON.stringify(value, null, 2).replaceAll("\n", "\r\n");
  const called = { id: "c1", type: "function", function: { name: "look", arguments: indented(input) } };
  const message = { role: "assistant", content: null, tool_calls: [called] };
  const answers = [
    { choices: [{ index: 0, message, finish_reason: "tool_calls" }] },
    { choices: [{ index: 0, message: { role: "assistant", content: "Found." }, finish_reason: "stop" }] },
  ];
  const fetch = async () => new Response(indented(answers.shift()));
  const asked: unknown[] = [];
  const run = (input: unknown) => {
    asked.push(input);
    return { status: "success", data: 2 };
  };
  const look = { name: "look", description: "", jsonSchema: { type: "object" }, do: run };
  const { session } = at(createAdapter({ provider: "openai", model: "gpt-4.1", apiKey: "k-secret", stream: false, fetch }), {
    tools: [look],
  });
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "Found." });
  expect(asked).toEqual([input]);
});

test("stopping closes the connection to a provider that the page asks", async () => {
  let signal: AbortSignal | null | undefined;
  const fetch = async (_: string, init: RequestInit) => {
    signal = init.signal;
    return slowly([`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Once" } }] })}\n\n`], true, init.signal);
  };
  const { session, shown } = at(createAdapter({ provider: "openai", model: "gpt-4.1", apiKey: "sk-secret", fetch }));
  const sending = session.sendMessage("Hi");
  await until(session, ({ streamingText }) => streamingText === "Once");
  session.stop();
  expect(await sending).toEqual({ type: "aborted" });
  await vi.waitFor(() => expect(signal?.aborted).toBe(true));
  expect(shown()).toEqual(["user: Hi", "agent: Once (cut)"]);
});

test("a model may be exchanged for one of another kind in the middle of a conversation", async () => {
  const fetch = async () => sse({ type: "text_delta", text: "far" }, done({ sender: "agent", text: "far" }));
  const { session, shown, events, model } = scene(["near", "near again"]);
  await session.sendMessage("1");
  session.configure({ model: createEndpointModel("/x", { fetch }) });
  await session.sendMessage("2");
  session.configure({ model });
  await session.sendMessage("3");
  expect(shown().filter((text) => text.startsWith("agent"))).toEqual(["agent: near", "agent: far", "agent: near again"]);
  expect(events.filter(([type]) => type === "text_delta").map(([, data]) => data)).toEqual([
    { text: "near" },
    { text: "far" },
    { text: "near again" },
  ]);
  expect(model.calls[1]?.messages.map(({ text }) => text)).toEqual(["1", "near", "2", "far", "3"]);
});

test("a model that knows no tools uses one through its text", async () => {
  const chunk = (content: string, finish_reason?: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, ...(finish_reason && { finish_reason }) }] })}\n\n`;
  const answers = [
    ["Thought: I look.\nAct", 'ion: look\nAction Input: {"at": 1}', "\nObservation: nothing\n"],
    ["Final Answer: It ", "is done."],
  ];
  const bodies: string[] = [];
  const fetch = async (_: string, init: RequestInit) => {
    bodies.push(String(init.body));
    const pieces = (answers.shift() ?? []).map((piece) => chunk(piece));
    return new Response([...pieces, chunk("", "stop"), "data: [DONE]\n\n"].join(""));
  };
  const ran: unknown[] = [];
  const look = { name: "look", description: "Looks.", jsonSchema: { type: "object" }, do: (input: unknown) => ran.push(input) };
  const model = createAdapter({ provider: "ollama", model: "small", toolUse: "text", fetch });
  const { session, shown, events } = at(model, { tools: [look] });
  expect(await session.sendMessage("Look!")).toMatchObject({ text: "It is done." });
  expect(ran).toEqual([{ at: 1 }]);
  expect(shown()).toEqual(["user: Look!", "look: success 1", "agent: It is done."]);
  const text = events.flatMap(([type, data]) => (type === "text_delta" ? [(data as { text: string }).text] : []));
  expect(text.join("")).toBe("It is done.");
  expect(bodies[0]).toContain("## look");
  expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ stop: ["\nObservation:"] });
  expect(JSON.parse(bodies[0] ?? "")).not.toHaveProperty("tools");
  expect(JSON.parse(bodies[1] ?? "").messages.at(-1)).toEqual({ role: "user", content: "Observation: 1" });
});

test("earlier reasoning goes back to an endpoint only where that is wanted", async () => {
  for (const reasoning of [true, false]) {
    const thinking_blocks = [{ type: "thinking", thinking: "hm", signature: "s" }];
    const tool_calls = [{ tool_name: "t", input_args: {}, id: "c" }];
    const answers = [
      sse(done({ sender: "agent", text: "", tool_calls, reasoning_content: "hm", thinking_blocks })),
      sse(done({ sender: "agent", text: "ok" })),
    ];
    const bodies: string[] = [];
    const fetch = async (_: string, init: RequestInit) => {
      bodies.push(String(init.body));
      return answers.shift() ?? sse();
    };
    const tool = { name: "t", description: "", jsonSchema: { type: "object" }, do: () => 1 };
    await at(createEndpointModel("/x", { fetch, reasoning }), { tools: [tool] }).session.sendMessage("Hi");
    expect([bodies[1]?.includes('"signature":"s"'), bodies[1]?.includes("hm")]).toEqual([reasoning, reasoning]);
  }
});

test("nothing of an answer that is cut is part of the next one, and its error stands with it", async () => {
  const [first, second] = [told(), told()];
  const answers = [first.answer, second.answer];
  const fetch = async () => answers.shift() ?? new Response(null, { status: 500 });
  const { session, shown } = at(createEndpointModel("/api/chat", { fetch }));
  const one = session.sendMessage("one").catch((error: GloveError) => error.code);
  const two = session.sendMessage("two");
  first.say('data: {"type":"text_delta","text":"The first "}\n\n');
  first.say('data: {"type":"tool_input_delta","id":"c1","name":"t","delta":"{\\"a\\":"}\n\n');
  await until(session, ({ streamingText }) => streamingText === "The first ");
  first.end();
  expect(await one).toBe("MODEL_STREAM_CUT");
  second.say('data: {"type":"text_delta","text":"The second"}\n\n');
  const { error, streamingText, streamingCalls, status } = await until(session, (now) => now.streamingText.includes("second"));
  expect({ error, streamingText, streamingCalls, status }).toEqual({
    error: undefined,
    streamingText: "The second",
    streamingCalls: [],
    status: "streaming",
  });
  second.say(`data: ${JSON.stringify(done({ sender: "agent", text: "The second" }))}\n\n`);
  second.end();
  await two;
  expect(shown()).toEqual(["user: one", "agent: The first  (cut)", "user: two", "agent: The second"]);
  const cut = session.getSnapshot().timeline[1];
  expect(cut).toMatchObject({ partial: true, error: { code: "MODEL_STREAM_CUT" } });
  expect(session.getSnapshot().error).toBeUndefined();
});

test("thoughts that a model wants back come back to it through a chat handler, and those of other models do not", async () => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const called = { tool_calls: [{ index: 0, id: "c1", function: { name: "look", arguments: "{}" } }] };
  const answers = (): string[] => [
    chunk({ reasoning_content: "I have to look." }) + chunk(called, "tool_calls"),
    chunk({ content: "Found." }, "stop"),
  ];
  const look = {
    name: "look",
    description: "",
    jsonSchema: { type: "object" },
    do: () => ({ status: "success", data: 2 }),
  } as const;
  for (const [provider, model, thought] of [
    ["kimi", "kimi-k2.5", "I have to look."],
    ["openai", "gpt-4.1", undefined],
  ] as const) {
    const [left, bodies] = [answers(), [] as { messages: { reasoning_content?: string }[] }[]];
    const fetch = async (_: string, init: RequestInit) => {
      bodies.push(JSON.parse(String(init.body)));
      return new Response(left.shift(), { headers: { "content-type": "text/event-stream" } });
    };
    const handler = createChatHandler({ provider, model, apiKey: "k-secret", fetch, authorize: () => true });
    const endpoint = createEndpointModel("http://here/chat", { fetch: (url, init) => handler(new Request(url, init)) });
    const { session } = at(endpoint, { tools: [look] });
    expect(await session.sendMessage("Hi")).toMatchObject({ text: "Found." });
    expect(bodies[1]?.messages[2]?.reasoning_content, provider).toBe(thought);
  }
});
