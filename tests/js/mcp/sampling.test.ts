// What servers ask the application's model: who reads it before, what is refused, and that a model is asked once.
import { inputRequired, type ServerContext } from "@modelcontextprotocol/server";
import { createEndpointModel, MemoryStore } from "glove-wasm";
import type { McpSampling, McpSamplingWish, McpServerOptions } from "glove-wasm/mcp";
import { createMcpApps } from "glove-wasm/mcp/apps";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { call, type Fill, mcpScene, mcpSite, mcpStore, olderServer } from "../../support/mcp.js";
import { until } from "../../support/session.js";

const free = { firstUse: "allow", approvals: () => false } as const;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const text = (of: string) => ({ type: "text" as const, text: of });
const picture = (mimeType: string) => ({ type: "image" as const, data: "iVBORw0KGgo=", mimeType });
const said = (role: "user" | "assistant", content: unknown) => ({ messages: [{ role, content }] });
const request = {
  systemPrompt: "You write titles.",
  messages: [
    { role: "user" as const, content: text("Cheese") },
    { role: "assistant" as const, content: text("On cheese") },
    { role: "user" as const, content: text("Shorter") },
  ],
  maxTokens: 50,
  temperature: 0.5,
  stopSequences: ["."],
  modelPreferences: { hints: [{ name: "small" }, {}] },
};

/** A tool that asks the model, and tells what it was answered, of either age of the protocol. */
const modern =
  (params: object, _meta = {}): Fill =>
  (server) => {
    server.registerTool("ask", { inputSchema: z.object({}), _meta }, (_, { mcpReq }: ServerContext) => {
      const { inputResponses } = mcpReq;
      if (!inputResponses)
        return inputRequired({
          inputRequests: { m: inputRequired.createMessage(params as never) },
          requestState: "kept",
        } as never);
      return { content: [text(JSON.stringify(inputResponses))] };
    });
  };
const older =
  (params: object): Fill =>
  (server) => {
    server.registerTool("ask", { inputSchema: z.object({}) }, async (_, { mcpReq }: ServerContext) => {
      const answer = await mcpReq.requestSampling(params as never).then(
        (m) => ({ m }),
        ({ code, message }: { code?: number; message: string }) => ({ code, message }),
      );
      return { content: [text(JSON.stringify(answer))] };
    });
  };
const ages = ["2026-07-28", "an older version"] as const;

/** What the official server does not send. */
const asking =
  (send: typeof fetch, params: object): typeof fetch =>
  async (url, init) => {
    const { method, id } = JSON.parse(String(init?.body ?? "{}"));
    if (method !== "tools/call") return send(url, init);
    const inputRequests = { m: { method: "sampling/createMessage", params } };
    return Response.json({ jsonrpc: "2.0", id, result: { resultType: "input_required", inputRequests, requestState: "kept" } });
  };

interface Asking {
  readonly age?: (typeof ages)[number];
  readonly params?: object;
  /** What is answered to each question of a person; nothing turns it down. */
  readonly answers?: readonly unknown[];
  readonly says?: readonly ScriptedAnswer[];
  readonly sampling?: McpSampling | undefined;
  /** The server asks for what it was told that it may not. */
  readonly lies?: boolean;
  readonly options?: Partial<McpServerOptions>;
}

async function asked({
  age = "2026-07-28",
  params = request,
  answers = [],
  says = ["On cheese"],
  lies = false,
  options = {},
  ...given
}: Asking) {
  const asks = createScriptedModel(says);
  const wishes: McpSamplingWish[] = [];
  const usual: McpSampling = (wish) => {
    wishes.push(wish);
    return asks;
  };
  const sampling = "sampling" in given ? given.sampling : usual;
  const site = mcpSite(modern(params));
  const fetch = lies ? asking(site.fetch, params) : site.fetch;
  const way = age === "2026-07-28" ? { url: site.url, fetch } : { transport: olderServer(older(params)).transport };
  const { session, server } = mcpScene([call("docs__ask", {}), "Done."], { ...free, ...way, allow: { sampling }, ...options });
  closing.push(() => server.disconnect());
  const questions: { renderer: string; input: Record<string, unknown> }[] = [];
  const left = [...answers];
  const seen = new Set<string>();
  session.subscribe(() => {
    for (const { id, renderer, input } of session.getSnapshot().slots) {
      if (seen.has(id)) continue;
      seen.add(id);
      // Nothing is asked or given before somebody has said so.
      questions.push({ renderer, input } as (typeof questions)[number]);
      const answer = left.shift();
      if (answer === undefined) session.rejectSlot(id, "no");
      else session.resolveSlot(id, answer);
    }
  });
  await session.sendMessage("Ask");
  const [result] = (await session.messages()).flatMap(({ tool_results = [] }) => tool_results);
  return { questions, wishes, asks, result: result?.result };
}

const accept = { action: "accept" };
const sent = {
  server: "docs",
  step: "send",
  system: "You write titles.",
  messages: [
    { by: "user", text: "Cheese" },
    { by: "assistant", text: "On cheese" },
    { by: "user", text: "Shorter" },
  ],
};

test.each(ages)("a person reads what a server of %s asks the model, and what it gets, and the server gets that", async (age) => {
  const { questions, wishes, asks, result } = await asked({ age, answers: [accept, accept] });
  expect(questions).toEqual([
    { renderer: "mcp_sampling", input: sent },
    { renderer: "mcp_sampling", input: { server: "docs", step: "give", messages: [{ by: "assistant", text: "On cheese" }] } },
  ]);
  expect(wishes).toEqual([{ server: "docs", maxTokens: 50, temperature: 0.5, stopSequences: ["."], models: ["small"] }]);
  expect(asks.calls).toHaveLength(1);
  expect(asks.calls[0]).toMatchObject({
    systemPrompt: "You write titles.",
    tools: [],
    messages: [
      { sender: "user", text: "Cheese" },
      { sender: "agent", text: "On cheese" },
      { sender: "user", text: "Shorter" },
    ],
  });
  const { m } = JSON.parse(String(result?.data)) as { m: object };
  expect(m).toMatchObject({ role: "assistant", content: text("On cheese"), model: asks.name, stopReason: "endTurn" });
});

test.each(ages)("what a person turns down is not asked or not given, and a server of %s is told so", async (age) => {
  for (const [answers, models, why] of [
    [[{ action: "decline" }], 0, "does not let"],
    [[undefined], 0, "does not let"],
    [["yes"], 0, "does not let"],
    [[accept, { action: "decline" }], 1, "does not give"],
    [[accept, undefined], 1, "does not give"],
  ] as const) {
    const { questions, asks, result } = await asked({ age, answers });
    expect([questions.length, asks.calls.length]).toEqual([answers.length, models]);
    if (age === "2026-07-28") expect(result).toMatchObject({ status: "error", message: expect.stringContaining(why) });
    else expect(JSON.parse(String(result?.data))).toEqual({ code: -1, message: expect.stringContaining(why) });
    expect(JSON.stringify(result)).not.toContain("On cheese");
  }
});

test("where the application gives no model, no person and no model is asked, and the call ends with a sentence", async () => {
  const { questions, result } = await asked({ sampling: undefined, lies: true });
  expect([questions, result?.status, result?.message]).toEqual([
    [],
    "error",
    'The MCP server "docs" asked for "sampling/createMessage", which it may not (`allow`).',
  ]);
  const before = await asked({ age: "an older version", sampling: undefined });
  expect(before.questions).toEqual([]);
  expect(JSON.parse(String(before.result?.data))).not.toHaveProperty("m");
});

test.each<[string, object]>([
  ["it brings a tool with a name that no model takes", { tools: [{ name: "rm -rf", inputSchema: { type: "object" } }] }],
  ["it brings two tools of one name", { tools: [1, 2].map(() => ({ name: "rm", inputSchema: { type: "object" } })) }],
  [
    "it brings more than 32 tools",
    { tools: Array.from({ length: 33 }, () => ({ name: "rm", inputSchema: { type: "object" } })) },
  ],
  ["it is no request as the protocol has it", { tools: [{ name: "rm" }] }],
  [
    "it has more than 100000 letters",
    { tools: [{ name: "rm", description: "x".repeat(100_001), inputSchema: { type: "object" } }] },
  ],
  [
    "it is no request as the protocol has it",
    { tools: [{ name: "rm", inputSchema: { type: "object" } }], toolChoice: { mode: "always" } },
  ],
  ["it says nothing", { messages: [] }],
  ["it sends a picture or a sound of a kind that is not shown (image/svg+xml)", said("user", picture("image/svg+xml"))],
  ["it sends a picture or a sound of a kind that is not shown (text/html)", said("user", picture("text/html"))],
  ["it is no request as the protocol has it", said("user", { ...picture("image/png"), data: 'AA" onerror="x' })],
  ["it sends a picture or a sound as the words of the model", said("assistant", picture("image/png"))],
  [
    "its pictures and sounds have more than 4000000 letters",
    said("user", { ...picture("image/png"), data: "A".repeat(4_000_001) }),
  ],
  [
    "it has more than 8 pictures and sounds",
    said(
      "user",
      Array.from({ length: 9 }, () => picture("image/png")),
    ),
  ],
  ["it sends something that no model is given (resource_link)", said("user", { type: "resource_link", uri: "a:b", name: "b" })],
  ["it is no request as the protocol has it", said("user", { type: "tool_use", id: "1", name: "rm", input: {} })],
  [
    "its calls of tools and their results are not one for one",
    said("assistant", { type: "tool_use", id: "1", name: "rm", input: {} }),
  ],
  [
    "its calls of tools and their results are not one for one",
    said("user", { type: "tool_result", toolUseId: "of nobody", content: [text("x")] }),
  ],
  [
    "it sends the result of a tool that is more than texts (image)",
    said("user", { type: "tool_result", toolUseId: "1", content: [picture("image/png")] }),
  ],
  ["it has more than 100000 letters", { messages: [{ role: "user", content: text("x".repeat(100_001)) }] }],
  ["it has more than 100 messages", { messages: Array.from({ length: 101 }, () => ({ role: "user", content: text("x") })) }],
  ["it is no request as the protocol has it", { systemPrompt: ["x".repeat(200_000)] }],
  ["it is no request as the protocol has it", { messages: { length: 1 } }],
  ["it is no request as the protocol has it", { messages: [{ role: "system", content: text("x") }] }],
  ["it is no request as the protocol has it", { messages: [{ role: "user", content: { type: "text", text: ["x"] } }] }],
  ["it is no request as the protocol has it", { maxTokens: "all" }],
  ["it is no request as the protocol has it", { messages: [null] }],
])("nobody is asked what no person can judge: %s", async (why, more) => {
  const { questions, asks, result } = await asked({ params: { ...request, ...more }, lies: true });
  expect([questions, asks.calls.length]).toEqual([[], 0]);
  expect(result).toMatchObject({ status: "error", message: expect.stringContaining(why) });
});

test("a model that fails, or says nothing, gives the server nothing, and nobody is asked again", async () => {
  for (const says of [[{ fail: new Error("no credit") }], [{ text: "" }]] as const) {
    const { questions, result } = await asked({ answers: [accept], says });
    expect([questions.length, result?.status]).toEqual([1, "error"]);
  }
  const broken = await asked({ answers: [accept], sampling: () => Promise.reject(new Error("no model here")) });
  expect(broken.result?.message).toContain("no model here");
});

test.each<[string, McpSampling]>([
  ["is not there", () => new Promise(() => {})],
  ["says nothing and hears no Stop", () => ({ name: "deaf", setSystemPrompt() {}, prompt: () => new Promise(() => {}) })],
])("a model that %s is given up as a call is", async (_, sampling) => {
  const { result } = await asked({ answers: [accept, accept], sampling, options: { maxTotalMs: 200 } });
  expect(result).toMatchObject({ status: "error", message: expect.stringContaining("it took longer than 200 ms") });
});

test("an older server does not ask again what a person has turned down", async () => {
  const model = createScriptedModel(["On cheese"]);
  const { transport } = olderServer((server) => {
    server.registerTool("ask", { inputSchema: z.object({}) }, async (_, { mcpReq }: ServerContext) => {
      const ask = () => mcpReq.requestSampling(request as never).catch(({ message }: Error) => message);
      return { content: [text(JSON.stringify([await ask(), await ask()]))] };
    });
  });
  const { session, server, shown } = mcpScene([call("docs__ask", {}), "Done."], {
    ...free,
    transport,
    allow: { sampling: () => model },
  });
  closing.push(() => server.disconnect());
  const questions = new Set<string>();
  session.subscribe(() => {
    for (const { id } of session.getSnapshot().slots)
      if (!questions.has(id)) session.resolveSlot(questions.add(id) && id, { action: questions.size > 1 ? "accept" : "decline" });
  });
  await session.sendMessage("Ask");
  expect([questions.size, model.calls.length]).toEqual([1, 0]);
  expect(shown()[1]?.match(/does not let/g)).toHaveLength(2);
});

test.each(["before a person has answered", "while the model writes"])(
  "what an older server has withdrawn (%s) is not asked of the model, or the model is stopped",
  async (when) => {
    const withdraws = new AbortController();
    let over = () => {};
    const { transport } = olderServer((server) => {
      server.registerTool("ask", { inputSchema: z.object({}) }, async (_, { mcpReq }: ServerContext) => {
        const ended = new Promise<void>((resolve) => {
          over = resolve;
        });
        const answer = await mcpReq
          .requestSampling(request as never, { signal: withdraws.signal })
          .catch(({ message }: Error) => message);
        await ended;
        return { content: [text(JSON.stringify(answer))] };
      });
    });
    let heard: AbortSignal | undefined;
    const asks: McpSampling = () => ({
      name: "slow",
      setSystemPrompt() {},
      prompt: (_request, _notify, signal) => {
        heard = signal;
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const { session, server, shown } = mcpScene([call("docs__ask", {}), "Done."], {
      ...free,
      transport,
      allow: { sampling: asks },
    });
    closing.push(() => server.disconnect());
    const sending = session.sendMessage("Ask");
    const { slots } = await until(session, ({ slots }) => slots.length === 1);
    const answer = () => session.resolveSlot(slots[0]?.id ?? "", accept);
    const heardOf = () => new Promise((resolve) => setTimeout(resolve, 50));
    const isAsked = when === "while the model writes";
    if (isAsked) {
      answer();
      await vi.waitFor(() => expect(heard).toBeDefined());
    }
    withdraws.abort();
    await heardOf();
    if (!isAsked) answer();
    await heardOf();
    expect(heard?.aborted).toBe(isAsked || undefined);
    over();
    await sending;
    expect(session.getSnapshot().slots.filter(({ status }) => status === "pending")).toEqual([]);
    expect(shown().at(-1)).toBe("agent: Done.");
  },
);

test("the endpoint of a chat answers a server as it answers a conversation", async () => {
  const bodies: unknown[] = [];
  const events = [
    { type: "text_delta", text: "On " },
    { type: "done", message: { sender: "agent", text: "On cheese" }, tokens_in: 3, tokens_out: 2 },
  ];
  const fetch = async (_: unknown, init?: RequestInit) => {
    bodies.push(JSON.parse(String(init?.body)));
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const { result } = await asked({ answers: [accept, accept], sampling: () => createEndpointModel("/api/chat", { fetch }) });
  expect(String(result?.data)).toContain("On cheese");
  expect(bodies).toMatchObject([{ systemPrompt: "You write titles.", messages: [{ text: "Cheese" }, {}, { text: "Shorter" }] }]);
});

test("an answer that ends where the model may write no more says so", async () => {
  const { result } = await asked({ answers: [accept, accept], says: [{ text: "On che", stopReason: "max_tokens" }] });
  expect(String(result?.data)).toContain('"stopReason":"maxTokens"');
});

test("a server that asks the model without end is stopped", async () => {
  let rounds = 0;
  const site = mcpSite((server) => {
    server.registerTool("ask", { inputSchema: z.object({}) }, () => {
      rounds++;
      return inputRequired({ inputRequests: { m: inputRequired.createMessage(request as never) } } as never);
    });
  });
  const model = createScriptedModel(() => "On cheese");
  const { session, server, shown } = mcpScene([call("docs__ask", {}), "Done."], {
    ...free,
    url: site.url,
    fetch: site.fetch,
    allow: { sampling: () => model },
    limits: { rounds: 3 },
  });
  closing.push(() => server.disconnect());
  const seen = new Set<string>();
  session.subscribe(() => {
    for (const { id } of session.getSnapshot().slots) if (!seen.has(id)) void session.resolveSlot(seen.add(id) && id, accept);
  });
  await session.sendMessage("Ask");
  expect(shown()[1]).toContain("asked more than 3 times");
  expect([rounds, model.calls.length]).toEqual([4, 3]);
});

test.each(["send", "give", "send, of a tool with an app"])(
  "a call that waits at the question whether to %s goes on after a reload, and its model is asked once",
  async (of) => {
    const [step = "", hasApp] = of.split(", ");
    const site = mcpSite(modern(request, hasApp ? { ui: { resourceUri: "ui://app" } } : {}));
    const store = new MemoryStore("s1");
    const model = createScriptedModel(["On cheese", "Another one"]);
    const apps = createMcpApps();
    const options = { ...free, url: site.url, fetch: site.fetch, store: mcpStore(), apps, allow: { sampling: () => model } };
    const before = mcpScene([call("docs__ask", {})], options, { createStore: () => store });
    void before.session.sendMessage("Ask").catch(() => {});
    const waits = (step: string) => (slot: { readonly status: string; readonly input: unknown }) =>
      slot.status === "pending" && (slot.input as { readonly step: string }).step === step;
    const at = async ({ session }: typeof before, step: string) =>
      (await until(session, ({ slots }) => slots.some(waits(step)))).slots.find(waits(step))?.id ?? "";
    if (step === "give") before.session.resolveSlot(await at(before, "send"), accept);
    await at(before, step);
    before.session.dispose();
    await before.server.disconnect();
    const after = mcpScene(["Done."], options, { createStore: () => store });
    closing.push(() => after.server.disconnect());
    await after.session.start();
    if (step === "send") after.session.resolveSlot(await at(after, "send"), accept);
    after.session.resolveSlot(await at(after, "give"), accept);
    await until(after.session, ({ busy }) => !busy);
    expect(after.shown().at(-1)).toBe("agent: Done.");
    expect(after.shown()[1]).toContain("On cheese");
    expect(model.calls).toHaveLength(1);
  },
);

test("a page that dies while the model writes asks before that is asked again", async () => {
  const site = mcpSite(modern(request));
  const store = new MemoryStore("s1");
  const model = createScriptedModel([{ text: "Too late", after: 60_000 }, "On cheese"]);
  const options = { ...free, url: site.url, fetch: site.fetch, store: mcpStore(), allow: { sampling: () => model } };
  const before = mcpScene([call("docs__ask", {})], options, { createStore: () => store });
  void before.session.sendMessage("Ask").catch(() => {});
  const { slots } = await until(before.session, ({ slots }) => slots.length === 1);
  before.session.resolveSlot(slots[0]?.id ?? "", accept);
  await until(before.session, () => model.calls.length === 1);
  before.session.dispose();
  await before.server.disconnect();
  const after = mcpScene(["Done."], options, { createStore: () => store });
  closing.push(() => after.server.disconnect());
  await after.session.start();
  const { approvals } = await until(after.session, ({ approvals }) => approvals.length === 1);
  expect([approvals[0]?.kind, model.calls.length]).toEqual(["interrupted", 1]);
  await after.session.approve(approvals[0]?.id ?? "");
  const isAsked = ({ renderer, status }: { readonly renderer: string; readonly status: string }) =>
    renderer === "mcp_sampling" && status === "pending";
  const given = await until(after.session, ({ slots }) => slots.some(isAsked));
  expect(given.slots.filter(isAsked)).toMatchObject([{ input: { step: "give" } }]);
  expect([model.calls.length, site.calls().length]).toEqual([2, 1]);
});

test("Stop ends the model that a server has asked", async () => {
  const site = mcpSite(modern(request));
  const model = createScriptedModel([{ text: "Too late", after: 60_000 }]);
  const { session, server } = mcpScene([call("docs__ask", {})], {
    ...free,
    url: site.url,
    fetch: site.fetch,
    allow: { sampling: () => model },
  });
  closing.push(() => server.disconnect());
  const sending = session.sendMessage("Ask");
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  session.resolveSlot(slots[0]?.id ?? "", accept);
  await until(session, () => model.calls.length === 1);
  session.abort();
  expect(await sending).toMatchObject({ type: "aborted" });
});

// ---- more than texts -----------------------------------------------------------------------------------------------

const weather = { name: "weather", description: "Tells it.", inputSchema: { type: "object" as const, properties: {} } };
const sound = { type: "audio" as const, data: "UklGRg==", mimeType: "audio/wav" };

test.each(ages)("a person sees the pictures and sounds that a server of %s sends, and the model gets them", async (age) => {
  const params = { ...request, messages: [{ role: "user", content: [text("What is this?"), picture("image/png"), sound] }] };
  const { questions, asks, result } = await asked({ age, params, answers: [accept, accept], says: ["A cheese."] });
  expect(questions[0]?.input.messages).toEqual([
    {
      by: "user",
      text: "What is this?",
      media: [
        { type: "image/png", data: "iVBORw0KGgo=" },
        { type: "audio/wav", data: "UklGRg==" },
      ],
    },
  ]);
  expect(asks.calls[0]?.messages).toMatchObject([
    {
      sender: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
        { type: "document", source: { type: "base64", media_type: "audio/wav", data: "UklGRg==" } },
      ],
    },
  ]);
  expect(String(result?.data)).toContain("A cheese.");
});

test("a model that was asked without a picture gives the server nothing, and a sentence says so", async () => {
  const blind: McpSampling = () => ({
    name: "blind",
    setSystemPrompt() {},
    prompt: async (_, notify) => {
      await notify("model_notice", { code: "MEDIA_LEFT_OUT", message: "It takes no pictures." });
      return { messages: [{ sender: "agent", text: "I see nothing." }], tokens_in: 1, tokens_out: 1 };
    },
  });
  const params = { ...request, messages: [{ role: "user", content: [picture("image/png")] }] };
  const { questions, result } = await asked({ params, answers: [accept, accept], sampling: blind });
  expect([questions.length, result?.status]).toEqual([1, "error"]);
  expect(result?.message).toContain('does not take all that the MCP server "docs" has sent: It takes no pictures.');
});

test.each(ages)(
  "a server of %s gets the calls of its tools that a person lets it have, and goes on with their results",
  async (age) => {
    const params = { ...request, tools: [weather], toolChoice: { mode: "auto" } };
    const says = [{ text: "I look.", toolCalls: [{ name: "weather", input: { in: "Rome" }, id: "t1" }] }];
    const first = await asked({ age, params, answers: [accept, accept], says });
    expect(first.questions.map(({ input }) => input)).toMatchObject([
      { step: "send", tools: [weather] },
      {
        step: "give",
        messages: [{ by: "assistant", text: "I look.", calls: [{ id: "t1", name: "weather", input: { in: "Rome" } }] }],
      },
    ]);
    expect(first.wishes).toMatchObject([{ toolChoice: "auto" }]);
    expect(first.asks.calls[0]?.tools).toEqual(["weather"]);
    const call = { type: "tool_use", id: "t1", name: "weather", input: { in: "Rome" } };
    const { m } = JSON.parse(String(first.result?.data)) as { m: object };
    expect(m).toMatchObject({ role: "assistant", content: [text("I look."), call], stopReason: "toolUse" });

    const messages = [
      ...request.messages,
      { role: "assistant", content: [text("I look."), call] },
      { role: "user", content: [{ type: "tool_result", toolUseId: "t1", content: [text("Sunny")] }] },
    ];
    const then = await asked({ age, params: { ...params, messages }, answers: [accept, accept], says: ["It is sunny."] });
    expect(then.asks.calls[0]?.messages.slice(-2)).toMatchObject([
      { sender: "agent", text: "I look.", tool_calls: [{ id: "t1", tool_name: "weather", input_args: { in: "Rome" } }] },
      { sender: "user", tool_results: [{ tool_name: "weather", call_id: "t1", result: { status: "success", data: "Sunny" } }] },
    ]);
    const [{ input } = { input: { messages: [] } }] = then.questions;
    const results = [{ name: "weather", text: "Sunny", failed: false }];
    expect((input.messages as object[]).at(-1)).toMatchObject({ by: "user", results });
    expect(String(then.result?.data)).toContain("It is sunny.");
  },
);

test.each<[string, string, ScriptedAnswer]>([
  ["required", "has called no tool, which was required", "Sunny."],
  ["none", "has called a tool, which it was not to do", { toolCalls: [{ name: "weather", input: {} }] }],
  ["auto", "has called a tool that it was not given", { toolCalls: [{ name: "rm", input: {} }] }],
])("an answer that is not what the server may have (%s) is not given: it %s", async (mode, why, says) => {
  const params = { ...request, tools: [weather], toolChoice: { mode } };
  const { questions, asks, result } = await asked({ params, answers: [accept, accept], says: [says] });
  expect([questions.length, asks.calls.length, result?.status]).toEqual([1, 1, "error"]);
  expect(result?.message).toContain(why);
});
