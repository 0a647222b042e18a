// Options that cannot be: each is refused by the name that the application wrote, with what was found and what is allowed.
import {
  AnthropicAdapter,
  createAdapter,
  createBuiltInModel,
  createEndpointModel,
  createRemoteModel,
  createRemoteStore,
  defineTool,
  Glove,
  GloveClient,
  type GloveClientConfig,
  type GloveConfig,
  type GloveSession,
  MemoryStore,
  type MessageInput,
  type ToolConfig,
} from "glove-wasm";
import { type ChatHandlerConfig, createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";

const count = "and has to be a whole number from 0 to 4294967295, or Infinity.";
const most = "and has to be a whole number from 0 on, or Infinity.";

/** What clients, sessions and agents have in common. */
const shared: [options: object, message: string][] = [
  [{ limits: { turns: -1 } }, `\`limits.turns\` is -1, ${count}`],
  [{ limits: { turns: Number.NaN } }, `\`limits.turns\` is NaN, ${count}`],
  [{ limits: { undo_steps: 1.5 } }, `\`limits.undo_steps\` is 1.5, ${count}`],
  [{ limits: { error_rounds: 2 ** 32 } }, `\`limits.error_rounds\` is 4294967296, ${count}`],
  [{ limits: { result_bytes: "3" } }, `\`limits.result_bytes\` is "3", ${count}`],
  [{ limits: { calls_per_turn: null } }, `\`limits.calls_per_turn\` is null, ${count}`],
  [{ limits: { same_rounds: 5n } }, `\`limits.same_rounds\` is 5, ${count}`],
  [{ limits: { turn: 3 } }, "There is no option `limits.turn`; there are turns, calls_per_turn,"],
  [{ limits: { constructor: 3 } }, "There is no option `limits.constructor`"],
  [{ limits: 5 }, "`limits` is 5, and has to be an object."],
  [{ limits: null }, "`limits` is null, and has to be an object."],
  [{ limits: [] }, "`limits` is a list, and has to be an object."],
  [{ limits: () => {} }, "`limits` is a function, and has to be an object."],
  [{ budgets: { cost: -1 } }, "`budgets.cost` is -1, and has to be a number from 0 on."],
  [{ budgets: { cost: Number.NaN } }, "`budgets.cost` is NaN"],
  [{ budgets: { cost: "1" } }, '`budgets.cost` is "1"'],
  [{ budgets: { tokens: 1.5 } }, `\`budgets.tokens\` is 1.5, ${most}`],
  [{ budgets: { wall_clock_ms: -1 } }, `\`budgets.wall_clock_ms\` is -1, ${most}`],
  [{ budgets: { tool_calls: {} } }, "`budgets.tool_calls` is an object,"],
  [{ budgets: { ask: 1 } }, "`budgets.ask` is 1, and has to be true or false."],
  [
    { budgets: { cost_usd: 1 } },
    "There is no option `budgets.cost_usd`; there are turns, tool_calls, tokens, cost, wall_clock_ms, ask.",
  ],
  [{ systemPrompt: 5 }, "`systemPrompt` is 5, and has to be a text."],
  [{ system_prompt: "" }, "There is no option `system_prompt`; there are "],
  [{ system_prompt: "" }, "Did you mean `systemPrompt`?"],
  [{ budget: {} }, "Did you mean `budgets`?"],
  [{ limits: { turn: 3 } }, "Did you mean `turns`?"],
  [{ somebodyElses: 1 }, "There is no option `somebodyElses`; there are "],
];
const counter: [object, string] = [
  { tokenCounterStyle: "sum" },
  '`tokenCounterStyle` is "sum", and has to be one of "object", "number".',
];
const compactions: [key: string, options: unknown, message: string][] = [
  ["compaction_instructions", 5, "is 5, and has to be a text."],
  ["compaction_context_limit", "1", `is "1", ${most}`],
  ["compaction_every_turns", -1, `is -1, ${count}`],
  ["max_turns", Number.NaN, `is NaN, ${count}`],
];
const ofSessions: [options: object, message: string][] = [
  ...shared,
  ...compactions.map(([key, value, message]): [object, string] => [
    { compaction: { [key]: value } },
    `\`compaction.${key}\` ${message}`,
  ]),
  [
    { compaction: { context_limit: 5 } },
    "There is no option `compaction.context_limit`; there are compaction_instructions, max_turns,",
  ],
  [{ compaction: null }, "`compaction` is null, and has to be an object."],
  [{ whenBusy: "wait" }, '`whenBusy` is "wait", and has to be one of "queue", "drop", "interrupt", "steer".'],
  [{ tools: "x" }, '`tools` is "x", and has to be a list.'],
  [{ tools: {} }, "`tools` is an object, and has to be a list."],
  [{ subscribers: {} }, "`subscribers` is an object, and has to be a list."],
];
const ofClients: [options: object, message: string][] = [
  ...ofSessions,
  counter,
  [{ createSesionId: () => "s" }, "Did you mean `createSessionId`?"],
  [{ compaction_config: {} }, "It is `compaction` here."],
  [{ database: { nam: "x" } }, "There is no option `database.nam`; there are name, persist. Did you mean `name`?"],
  [{ persistSession: null }, "`persistSession` is null, and has to be true, false, a key, or an object"],
  [{ persistSession: { storag: {} } }, "`persistSession` is an object, and has to be true"],
  [{ resume: "never" }, '`resume` is "never", and has to be one of "auto", "manual".'],
  [{ whenUnused: "close" }, '`whenUnused` is "close", and has to be one of "continue", "stop".'],
  [{ endpoint: 5 }, "`endpoint` is 5, and has to be a text."],
  [{ createModel: "gpt" }, '`createModel` is "gpt", and has to be a function.'],
  [{ createStore: {} }, "`createStore` is an object, and has to be a function."],
  [{ getSessionId: "s" }, '`getSessionId` is "s", and has to be a function.'],
  [{ createSessionId: 1 }, "`createSessionId` is 1, and has to be a function."],
];
const ofAgents: [options: object, message: string][] = [
  ...shared,
  counter,
  ...compactions.map(([key, value, message]): [object, string] => [
    { compaction_config: { [key]: value } },
    `\`compaction_config.${key}\` ${message}`,
  ]),
  [{ compaction_config: { context_limit: 5 } }, "There is no option `compaction_config.context_limit`; there are "],
  [{ maxRetrys: 1 }, "Did you mean `maxRetries`?"],
  [{ serverMode: true }, "Leave it out: the same agent runs on a server."],
  [{ enableToolResultSummary: true }, "`generateToolSummary` of a tool is enough."],
  [{ tools: [] }, "They are given to `fold`."],
  [{ maxRetries: -1 }, "`maxRetries` is -1, and has to be a whole number from 0 to 4294967295."],
  [{ maxConsecutiveErrors: "x" }, `\`maxConsecutiveErrors\` is "x", ${count}`],
  [{ model: undefined }, "`model` is undefined, and has to be a model with `prompt`."],
  [{ store: {} }, "`store` is an object, and has to be a store with `identifier`."],
];

const model = () => createScriptedModel(["ok"]);
const client = (options: object = {}) =>
  new GloveClient({
    createModel: model,
    createStore: (id) => new MemoryStore(id),
    systemPrompt: "",
    ...options,
  } as GloveClientConfig);
const refusal = (message: string, code = "CONFIG_INVALID") =>
  expect.objectContaining({ name: "GloveError", code, message: expect.stringContaining(message) });

test("a client refuses what cannot be when it is made", () => {
  for (const [options, message] of ofClients) expect(() => client(options), message).toThrow(refusal(message));
});

test("an agent refuses what cannot be when it is made", () => {
  const made = (options: object) => new Glove({ model: model(), systemPrompt: "", ...options } as GloveConfig);
  for (const [options, message] of ofAgents) expect(() => made(options), message).toThrow(refusal(message));
});

test("a session refuses what cannot be of its own, and keeps what it has", async () => {
  const session = client().session("s");
  for (const [options, message] of ofSessions) {
    expect(() => client().session("other", options), message).toThrow(refusal(message));
    expect(() => session.configure(options), message).toThrow(refusal(message));
  }
  for (const model of [5, {}, "gpt"]) expect(() => session.configure({ model } as never)).toThrow(refusal("`model` is "));
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed", text: "ok" });
});

test("a model or a store that is none is told when its session is opened", () => {
  expect(() => client({ createModel: () => undefined }).session("s")).toThrow(refusal("`model` is undefined"));
  expect(() => client({ createStore: () => undefined }).session("s")).toThrow(refusal("`store` is undefined"));
  for (const subscriber of [5, null, {}, "x"]) {
    const message = "and has to be an object with `record`.";
    expect(() => client({ subscribers: [subscriber] }).session("s")).toThrow(refusal(message));
    expect(() =>
      client()
        .session("s")
        .addSubscriber(subscriber as never),
    ).toThrow(refusal(message));
  }
});

test("no options at all are refused in words too", () => {
  for (const none of [undefined, null, "x", 5, []]) {
    expect(() => new GloveClient(none as never)).toThrow(refusal("requires either", "CLIENT_CONFIG"));
    expect(() => new Glove(none as never)).toThrow(refusal("`model` is undefined"));
    expect(() => createAdapter(none as never)).toThrow(refusal("Unknown provider", "MODEL_CONFIG"));
    expect(() => createChatHandler(none as never)).toThrow(refusal("What `createChatHandler` gets is "));
    expect(() => defineTool(none as never)).toThrow(refusal("What `defineTool` gets is ", "TOOL_INVALID"));
  }
  for (const none of [undefined, null, "x", 5, {}]) {
    expect(() => createScriptedModel(none as never)).toThrow(refusal("The script is "));
  }
});

test("what can be is taken: nothing, and limits without end", async () => {
  const all = Number.POSITIVE_INFINITY;
  const limits = { turns: all, calls_per_turn: all, result_bytes: all, error_rounds: all, same_rounds: 0, undo_steps: all };
  const compaction = { max_turns: all, compaction_context_limit: all, compaction_every_turns: all };
  const budgets = { turns: all, tool_calls: all, tokens: all, cost: all, wall_clock_ms: all, ask: false };
  for (const options of [
    { limits, compaction, budgets },
    { limits: undefined, budgets: { turns: undefined } },
    { whenBusy: undefined, somebodyElses: undefined },
  ]) {
    expect(await client(options).session("s").sendMessage("Hi")).toMatchObject({ type: "completed" });
  }
});

test("a context limit without end switches summaries off", async () => {
  const asked = createScriptedModel(["one", "two"]);
  const long = "word ".repeat(100_000);
  const options = { createModel: () => asked, compaction: { compaction_context_limit: Number.POSITIVE_INFINITY } };
  const session = client(options).session("s");
  await session.sendMessage(long);
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "two" });
});

const ofHandlers: [options: object, message: string][] = [
  [{ authorise: () => true }, "There is no option `authorise`; there are provider, "],
  [{ authorise: () => true }, "Did you mean `authorize`?"],
  [{ systemprompt: "x" }, "Did you mean `systemPrompt`?"],
  [{ authorize: true }, "`authorize` is true, and has to be a function."],
  [{ authorize: null }, "`authorize` is null, and has to be a function."],
  [{ cors: true }, '`cors` is true, and has to be an origin, a list of origins, or "*".'],
  [{ cors: null }, "`cors` is null"],
  [{ cors: ["https://a.example", 5] }, "`cors` is a list"],
  [
    { limits: { body_bytes: 5 } },
    "There is no option `limits.body_bytes`; there are bodyBytes, systemPromptBytes, messages, tools.",
  ],
  [{ limits: { messages: Number.NaN } }, `\`limits.messages\` is NaN, ${most}`],
  [{ limits: { bodyBytes: -1 } }, `\`limits.bodyBytes\` is -1, ${most}`],
  [{ limits: { tools: "3" } }, `\`limits.tools\` is "3", ${most}`],
  [{ limits: null }, "`limits` is null, and has to be an object."],
  [{ provider: 5 }, "`provider` is 5, and has to be a text."],
  [{ provider: undefined, createModel: {} }, "`createModel` is an object, and has to be a function."],
  [{ model: 5 }, "`model` is 5"],
  [{ models: "gpt-4.1" }, '`models` is "gpt-4.1", and has to be a list.'],
  [{ models: [5] }, "Each of `models` is 5, and has to be a text."],
  [{ apiKey: 5 }, "`apiKey` is 5"],
  [{ baseURL: new URL("https://a.example") }, "`baseURL` is an object, and has to be a text."],
  [{ systemPrompt: ["a"] }, "`systemPrompt` is a list"],
  [{ fetch: {} }, "`fetch` is an object"],
  [{ onError: "log" }, '`onError` is "log"'],
  [{ policy: 5 }, "`policy` is 5, and has to be an object."],
  [{ reasoning: "yes" }, '`reasoning` is "yes", and has to be true or false.'],
  [{ includeReasoningInText: 1 }, "`includeReasoningInText` is 1"],
];

test.each(ofHandlers)("a chat handler refuses %o when it is made", (options, message) => {
  const made = () => createChatHandler({ provider: "openai", apiKey: "k", ...options } as ChatHandlerConfig);
  expect(made).toThrow(refusal(message));
});

test("a chat handler takes what can be", () => {
  const all = Number.POSITIVE_INFINITY;
  const some = { authorize: () => true, cors: ["*"], limits: { bodyBytes: all, messages: 0, tools: undefined }, models: [] };
  for (const options of [some, { cors: "*" }, { authorize: undefined, cors: undefined, limits: undefined, policy: undefined }]) {
    expect(() => createChatHandler({ provider: "openai", apiKey: "k", ...options } as ChatHandlerConfig)).not.toThrow();
  }
});

const rows = async () => [];
const actions = { getMessages: rows, appendMessages: rows };
const plain: ToolConfig = { name: "t", description: "", jsonSchema: { type: "object" }, do: () => 1 };
const circle: Record<string, unknown> = { type: "object" };
circle.properties = { again: circle };
const tools: [tool: object, code: string, message: string][] = [
  [{ description: 5 }, "TOOL_INVALID", '`description` of the tool "t" is 5, and has to be a text.'],
  [{ parallel: 1 }, "TOOL_INVALID", '`parallel` of the tool "t" is 1, and has to be true or false.'],
  [{ idempotent: "yes" }, "TOOL_INVALID", '`idempotent` of the tool "t" is "yes"'],
  [{ unAbortable: null }, "TOOL_INVALID", '`unAbortable` of the tool "t" is null'],
  [{ maxRetries: -1 }, "TOOL_INVALID", '`maxRetries` of the tool "t" is -1, and has to be a whole number'],
  [{ maxRetries: Number.POSITIVE_INFINITY }, "TOOL_INVALID", '`maxRetries` of the tool "t" is Infinity'],
  [{ onInterrupted: "again" }, "TOOL_INVALID", 'is "again", and has to be one of "rerun", "ask", "fail".'],
  [{ displayStrategy: "x" }, "TOOL_INVALID", '`displayStrategy` of the tool "t" is "x"'],
  [{ requiresPermission: "yes" }, "TOOL_INVALID", '`requiresPermission` of the tool "t" is "yes"'],
  [{ requireApproval: 1n }, "TOOL_INVALID", '`requireApproval` of the tool "t" is 1'],
  [{ jsonSchema: circle }, "NOT_SERIALISABLE", 'The tool "t": its JSON Schema.properties.again is a reference to something'],
  [
    { jsonSchema: { type: "object", properties: { n: { maximum: 5n } } } },
    "NOT_SERIALISABLE",
    'The tool "t": its JSON Schema.properties.n.maximum is a BigInt',
  ],
];

test.each(tools)("a tool with %o is refused by its name", async (wrong, code, message) => {
  const session = client({ tools: [{ ...plain, ...wrong }] }).session("s");
  await expect(session.sendMessage("Hi")).rejects.toThrow(refusal(message, code));
  expect(session.getSnapshot().error).toEqual(refusal(message, code));
  session.configure({ tools: [plain] });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed" });
});

const policy = { maxRetrie: 1 } as object;
const others: [made: () => unknown, code: string, message: string][] = [
  [() => client().session("s", { resume: "manual" } as object), "CONFIG_INVALID", "There is no option `resume`; there are "],
  [
    () =>
      client()
        .session("s")
        .configure({ store: new MemoryStore("s") } as object),
    "CONFIG_INVALID",
    "There is no option `store`",
  ],
  [() => createEndpointModel("/chat", { header: {} } as object), "CONFIG_INVALID", "Did you mean `headers`?"],
  [
    () => createEndpointModel("/chat", { policy }),
    "MODEL_CONFIG",
    "There is no option `policy.maxRetrie`; there are maxRetries,",
  ],
  [() => createEndpointModel("/chat", { policy: { idleMs: -1 } }), "MODEL_CONFIG", "`policy.idleMs` is -1"],
  [() => createAdapter({ provider: "openai", apiKey: "k", maxToken: 5 } as never), "MODEL_CONFIG", "Did you mean `maxTokens`?"],
  [
    () => createAdapter({ provider: "openai", apiKey: "k", timeout: 5 } as never),
    "MODEL_CONFIG",
    "It is `policy: { totalMs }` here.",
  ],
  [() => new AnthropicAdapter({ apiKey: "k", systemPrompt: "x" } as never), "MODEL_CONFIG", "It is the agent's: give it to"],
  [() => createRemoteModel("m", { promptstream: model } as object), "CONFIG_INVALID", "Did you mean `promptStream`?"],
  [() => createBuiltInModel({ language: ["en"] } as object), "CONFIG_INVALID", "Did you mean `languages`?"],
  [() => createRemoteStore("s", { ...actions, getPermision: rows } as never), "CONFIG_INVALID", "Did you mean `getPermission`?"],
];

test.each(others)("what is made by %s is refused with an option that there is not", (made, code, message) => {
  expect(made).toThrow(refusal(message, code));
});

test("what an application keeps beside the methods of its store is its own", () => {
  expect(createRemoteStore("s", { ...actions, table: "messages" } as never).identifier).toBe("s");
});

const messages: [message: unknown, code: string, told: string][] = [
  [{ text: "a", metadata: { a: { b: 5n } } }, "NOT_SERIALISABLE", "metadata.a.b is a BigInt, which JSON cannot hold."],
  [{ text: "a", metadata: circle }, "NOT_SERIALISABLE", "metadata.properties.again is a reference"],
  [{ text: "a", metadata: { done() {} } }, "NOT_SERIALISABLE", "metadata.done is a function"],
  [{ text: "a", metadata: { file: new Blob(["x"]) } }, "NOT_SERIALISABLE", "metadata.file is a Blob"],
  [{ content: [{ type: "text", text: 5n }] }, "NOT_SERIALISABLE", "content[0].text is a BigInt"],
  [{ content: [circle] }, "NOT_SERIALISABLE", "content[0].properties.again is a reference"],
  [{ content: "x" }, "CONFIG_INVALID", '`content` is "x", and has to be a list.'],
  [{ content: [1] }, "CONFIG_INVALID", "`content[0]` is 1, and has to be an object with `type`."],
  [{ text: "a", images: "x" }, "CONFIG_INVALID", '`images` is "x", and has to be a list.'],
  [{ text: "a", images: [{}] }, "CONFIG_INVALID", "`images[0]` is an object, and has to be an object with `data`."],
  [{ text: "a", files: [{}] }, "CONFIG_INVALID", "`files[0]` is an object, and has to be a File or Blob with `size`."],
  [{ text: "a", whenBusy: "wait" }, "CONFIG_INVALID", '`whenBusy` is "wait"'],
  [{ text: "a", image: [] }, "CONFIG_INVALID", "There is no option `image`; there are text, images, files,"],
];

test.each(messages)("a message with %o is refused by its place, and nothing is stored", async (message, code, told) => {
  const session = client().session("s");
  await expect(session.sendMessage(message as MessageInput)).rejects.toThrow(refusal(told, code));
  expect(await session.messages()).toEqual([]);
});

test("a Map in metadata is an object, as in results", async () => {
  const session = client().session("s");
  await session.sendMessage({ text: "a", metadata: { at: new Date(0), m: new Map([["a", 1]]) } });
  expect((await session.messages())[0]).toMatchObject({ metadata: { at: "1970-01-01T00:00:00.000Z", m: { a: 1 } } });
});

test.each([-1, 1.5, "two", Number.POSITIVE_INFINITY])("undo(%s) is refused", async (steps) => {
  const session: GloveSession = client().session("s");
  await expect(session.undo(steps as number)).rejects.toThrow(refusal("`steps` is "));
});
