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
import { serverTools } from "glove-wasm/remote";
import { type ChatHandlerConfig, createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";

const count = "a whole number from 0 to 4294967295, or Infinity";
const most = "a whole number of 0 or more, or Infinity";

/** What clients, sessions and agents have in common. */
const shared: [options: object, message: string][] = [
  [{ limits: { turns: -1 } }, `\`limits.turns\` must be ${count}, got -1.`],
  [{ limits: { turns: Number.NaN } }, `\`limits.turns\` must be ${count}, got NaN.`],
  [{ limits: { undo_steps: 1.5 } }, `\`limits.undo_steps\` must be ${count}, got 1.5.`],
  [{ limits: { error_rounds: 2 ** 32 } }, `\`limits.error_rounds\` must be ${count}, got 4294967296.`],
  [{ limits: { result_bytes: "3" } }, `\`limits.result_bytes\` must be ${count}, got "3".`],
  [{ limits: { calls_per_turn: null } }, `\`limits.calls_per_turn\` must be ${count}, got null.`],
  [{ limits: { same_rounds: 5n } }, `\`limits.same_rounds\` must be ${count}, got 5.`],
  [{ limits: { turn: 3 } }, "There is no option `limits.turn`; the options are turns, calls_per_turn,"],
  [{ limits: { constructor: 3 } }, "There is no option `limits.constructor`"],
  [{ limits: 5 }, "`limits` must be an object, got 5."],
  [{ limits: null }, "`limits` must be an object, got null."],
  [{ limits: [] }, "`limits` must be an object, got an array."],
  [{ limits: () => {} }, "`limits` must be an object, got a function."],
  [{ budgets: { cost: -1 } }, "`budgets.cost` must be a number of 0 or more, got -1."],
  [{ budgets: { cost: Number.NaN } }, "`budgets.cost` must be a number of 0 or more, got NaN"],
  [{ budgets: { cost: "1" } }, '`budgets.cost` must be a number of 0 or more, got "1"'],
  [{ budgets: { tokens: 1.5 } }, `\`budgets.tokens\` must be ${most}, got 1.5.`],
  [{ budgets: { wall_clock_ms: -1 } }, `\`budgets.wall_clock_ms\` must be ${most}, got -1.`],
  [
    { budgets: { tool_calls: {} } },
    "`budgets.tool_calls` must be a whole number from 0 to 4294967295, or Infinity, got an object",
  ],
  [{ budgets: { ask: 1 } }, "`budgets.ask` must be true or false, got 1."],
  [
    { budgets: { cost_usd: 1 } },
    "There is no option `budgets.cost_usd`; the options are turns, tool_calls, tokens, cost, wall_clock_ms, ask.",
  ],
  [{ systemPrompt: 5 }, "`systemPrompt` must be a string, got 5."],
  [{ system_prompt: "" }, "There is no option `system_prompt`; the options are "],
  [{ system_prompt: "" }, "Did you mean `systemPrompt`?"],
  [{ budget: {} }, "Did you mean `budgets`?"],
  [{ limits: { turn: 3 } }, "Did you mean `turns`?"],
  [{ somebodyElses: 1 }, "There is no option `somebodyElses`; the options are "],
];
const counter: [object, string] = [{ tokenCounterStyle: "sum" }, '`tokenCounterStyle` must be one of "object", "number"'];
const compactions: [key: string, options: unknown, message: string][] = [
  ["compaction_instructions", 5, "must be a string, got 5."],
  ["compaction_context_limit", "1", `must be ${most}, got "1".`],
  ["compaction_every_turns", -1, `must be ${count}, got -1.`],
  ["max_turns", Number.NaN, `must be ${count}, got NaN.`],
];
const ofSessions: [options: object, message: string][] = [
  ...shared,
  ...compactions.map(([key, value, message]): [object, string] => [
    { compaction: { [key]: value } },
    `\`compaction.${key}\` ${message}`,
  ]),
  [
    { compaction: { context_limit: 5 } },
    "There is no option `compaction.context_limit`; the options are compaction_instructions, max_turns,",
  ],
  [{ compaction: null }, "`compaction` must be an object, got null."],
  [{ whenBusy: "wait" }, '`whenBusy` must be one of "queue", "drop", "interrupt", "steer"'],
  [{ tools: "x" }, '`tools` must be an array, got "x".'],
  [{ tools: {} }, "`tools` must be an array, got an object."],
  [{ subscribers: {} }, "`subscribers` must be an array, got an object."],
];
const ofClients: [options: object, message: string][] = [
  ...ofSessions,
  counter,
  [{ createSesionId: () => "s" }, "Did you mean `createSessionId`?"],
  [{ compaction_config: {} }, "Use `compaction`."],
  [{ database: { nam: "x" } }, "There is no option `database.nam`; the options are name, persist. Did you mean `name`?"],
  [{ persistSession: null }, "`persistSession` must be true, false, a key, or an object"],
  [{ persistSession: { storag: {} } }, "`persistSession` must be true"],
  [{ resume: "never" }, '`resume` must be one of "auto", "manual"'],
  [{ whenUnused: "close" }, '`whenUnused` must be one of "continue", "stop"'],
  [{ endpoint: 5 }, "`endpoint` must be a string, got 5."],
  [{ createModel: "gpt" }, '`createModel` must be a function, got "gpt".'],
  [{ createStore: {} }, "`createStore` must be a function, got an object."],
  [{ getSessionId: "s" }, '`getSessionId` must be a function, got "s".'],
  [{ createSessionId: 1 }, "`createSessionId` must be a function, got 1."],
];
const ofAgents: [options: object, message: string][] = [
  ...shared,
  counter,
  ...compactions.map(([key, value, message]): [object, string] => [
    { compaction_config: { [key]: value } },
    `\`compaction_config.${key}\` ${message}`,
  ]),
  [{ compaction_config: { context_limit: 5 } }, "There is no option `compaction_config.context_limit`; the options are "],
  [{ maxRetrys: 1 }, "Did you mean `maxRetries`?"],
  [{ serverMode: true }, "Leave it out: the same agent runs on a server."],
  [{ enableToolResultSummary: true }, "a tool's `generateToolSummary` is enough."],
  [{ tools: [] }, "Pass them to `fold`."],
  [{ maxRetries: -1 }, "`maxRetries` must be a whole number from 0 to 4294967295, got -1."],
  [{ maxConsecutiveErrors: "x" }, `\`maxConsecutiveErrors\` must be ${count}, got "x".`],
  [{ model: undefined }, "`model` must be a model with `prompt`, got undefined."],
  [{ store: {} }, "`store` must be a store with `identifier`, got an object."],
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
  for (const model of [5, {}, "gpt"])
    expect(() => session.configure({ model } as never)).toThrow(refusal("`model` must be a model with `prompt`, got "));
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed", text: "ok" });
});

test("a model or a store that is none is told when its session is opened", () => {
  expect(() => client({ createModel: () => undefined }).session("s")).toThrow(
    refusal("What `createModel` returned must be a model with `prompt`, got undefined"),
  );
  expect(() => client({ createStore: () => undefined }).session("s")).toThrow(
    refusal("`store` must be a store with `identifier`, got undefined"),
  );
  for (const subscriber of [5, null, {}, "x"]) {
    const message = "must be an object with `record`, got ";
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
    expect(() => new Glove(none as never)).toThrow(refusal("`model` must be a model with `prompt`, got undefined"));
    expect(() => createAdapter(none as never)).toThrow(refusal("Unknown provider", "MODEL_CONFIG"));
    expect(() => createChatHandler(none as never)).toThrow(
      refusal("The argument of `createChatHandler` must be an object, got "),
    );
    expect(() => defineTool(none as never)).toThrow(
      refusal("The argument of `defineTool` must be an object, got ", "TOOL_INVALID"),
    );
  }
  for (const none of [undefined, null, "x", 5, {}]) {
    expect(() => createScriptedModel(none as never)).toThrow(
      refusal("The script must be an array of answers or a function, got "),
    );
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
  [{ authorise: () => true }, "There is no option `authorise`; the options are provider, "],
  [{ authorise: () => true }, "Did you mean `authorize`?"],
  [{ systemprompt: "x" }, "Did you mean `systemPrompt`?"],
  [{ authorize: true }, "`authorize` must be a function, got true."],
  [{ authorize: null }, "`authorize` must be a function, got null."],
  [{ cors: true }, '`cors` must be an origin, an array of origins, or "*", got true.'],
  [{ cors: null }, '`cors` must be an origin, an array of origins, or "*", got null'],
  [{ cors: ["https://a.example", 5] }, '`cors` must be an origin, an array of origins, or "*", got an array'],
  [
    { limits: { body_bytes: 5 } },
    "There is no option `limits.body_bytes`; the options are bodyBytes, systemPromptBytes, messages, tools, fileBytes.",
  ],
  [{ limits: { messages: Number.NaN } }, `\`limits.messages\` must be ${most}, got NaN.`],
  [{ limits: { bodyBytes: -1 } }, `\`limits.bodyBytes\` must be ${most}, got -1.`],
  [{ limits: { tools: "3" } }, `\`limits.tools\` must be ${most}, got "3".`],
  [{ limits: null }, "`limits` must be an object, got null."],
  [{ provider: 5 }, "`provider` must be a string, got 5."],
  [{ provider: undefined, createModel: {} }, "`createModel` must be a function, got an object."],
  [{ model: 5 }, "`model` must be a string, got 5"],
  [{ models: "gpt-4.1" }, '`models` must be an array, got "gpt-4.1".'],
  [{ models: [5] }, "Each of `models` must be a string, got 5."],
  [{ apiKey: 5 }, "`apiKey` must be a string, got 5"],
  [{ baseURL: new URL("https://a.example") }, "`baseURL` must be a string, got an object."],
  [{ systemPrompt: ["a"] }, "`systemPrompt` must be a string, got an array"],
  [{ fetch: {} }, "`fetch` must be a function, got an object"],
  [{ onError: "log" }, '`onError` must be a function, got "log"'],
  [{ policy: 5 }, "`policy` must be an object, got 5."],
  [{ reasoning: "yes" }, '`reasoning` must be true or false, got "yes".'],
  [{ includeReasoningInText: 1 }, "`includeReasoningInText` must be true or false, got 1"],
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
  [{ description: 5 }, "TOOL_INVALID", '`description` of the tool "t" must be a string, got 5.'],
  [{ parallel: 1 }, "TOOL_INVALID", '`parallel` of the tool "t" must be true or false, got 1.'],
  [{ idempotent: "yes" }, "TOOL_INVALID", '`idempotent` of the tool "t" must be true or false, got "yes"'],
  [{ unAbortable: null }, "TOOL_INVALID", '`unAbortable` of the tool "t" must be true or false, got null'],
  [{ maxRetries: -1 }, "TOOL_INVALID", '`maxRetries` of the tool "t" must be a whole number'],
  [
    { maxRetries: Number.POSITIVE_INFINITY },
    "TOOL_INVALID",
    '`maxRetries` of the tool "t" must be a whole number from 0 to 4294967295, got Infinity',
  ],
  [{ onInterrupted: "again" }, "TOOL_INVALID", 'must be one of "rerun", "ask", "fail", got "again".'],
  [
    { displayStrategy: "x" },
    "TOOL_INVALID",
    '`displayStrategy` of the tool "t" must be one of "stay", "hide-on-complete", "hide-on-new", got "x"',
  ],
  [
    { requiresPermission: "yes" },
    "TOOL_INVALID",
    '`requiresPermission` of the tool "t" must be true, false or a function, got "yes"',
  ],
  [
    { requireApproval: 1n },
    "TOOL_INVALID",
    '`requireApproval` of the tool "t" must be true, false, { required: true or false } or a function, got 1',
  ],
  [{ jsonSchema: circle }, "NOT_SERIALISABLE", 'The tool "t": its JSON Schema.properties.again is a circular reference'],
  [
    { jsonSchema: { type: "object", properties: { n: { maximum: 5n } } } },
    "NOT_SERIALISABLE",
    'The tool "t": its JSON Schema.properties.n.maximum is a BigInt',
  ],
];

const unusable: [tool: object, message: string][] = [
  [{ do: undefined }, 'The tool "t" has no `do`: give it the function that does its work.'],
  [{ description: undefined }, 'The tool "t" has no `description`: say what it does'],
  [{ name: "get weather!" }, 'No provider takes a tool with the name "get weather!": use letters, digits, "_" and "-".'],
  [{ name: "a".repeat(129) }, 'No provider takes a tool with the name "aaa'],
];

test.each(unusable)("a tool with %o is refused where it is defined, and when its session opens", async (wrong, message) => {
  const tool = { ...plain, ...wrong } as never;
  expect(() => defineTool(tool)).toThrow(refusal(message, "TOOL_INVALID"));
  await expect(
    client({ tools: [tool] })
      .session("s")
      .sendMessage("Hi"),
  ).rejects.toThrow(refusal(message, "TOOL_INVALID"));
});

test.each(tools)("a tool with %o is refused by its name", async (wrong, code, message) => {
  const session = client({ tools: [{ ...plain, ...wrong }] }).session("s");
  await expect(session.sendMessage("Hi")).rejects.toThrow(refusal(message, code));
  expect(session.getSnapshot().error).toEqual(refusal(message, code));
  session.configure({ tools: [plain] });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed" });
});

const policy = { maxRetrie: 1 } as object;
const others: [made: () => unknown, code: string, message: string][] = [
  [
    () => client().session("s", { resume: "manual" } as object),
    "CONFIG_INVALID",
    "There is no option `resume`; the options are ",
  ],
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
    "There is no option `policy.maxRetrie`; the options are maxRetries,",
  ],
  [
    () => createEndpointModel("/chat", { policy: { idleMs: -1 } }),
    "MODEL_CONFIG",
    "`policy.idleMs` must be a whole number of 0 or more, got -1",
  ],
  [() => createAdapter({ provider: "openai", apiKey: "k", maxToken: 5 } as never), "MODEL_CONFIG", "Did you mean `maxTokens`?"],
  [() => createAdapter({ provider: "openai", apiKey: "k", timeout: 5 } as never), "MODEL_CONFIG", "Use `policy: { totalMs }`."],
  [
    () => new AnthropicAdapter({ apiKey: "k", systemPrompt: "x" } as never),
    "MODEL_CONFIG",
    "It belongs to the agent: pass it to",
  ],
  [() => createAdapter({ provider: "open-ai", apiKey: "k" } as never), "MODEL_CONFIG", 'Did you mean "openai"?'],
  [() => createAdapter({ provider: "claude", apiKey: "k" } as never), "MODEL_CONFIG", 'Did you mean "anthropic"?'],
  [
    () => serverTools({ url: "/chat" } as never),
    "CONFIG_INVALID",
    "The endpoint of `serverTools` must be a string, got an object.",
  ],
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
  [{ text: "a", metadata: circle }, "NOT_SERIALISABLE", "metadata.properties.again is a circular reference"],
  [{ text: "a", metadata: { done() {} } }, "NOT_SERIALISABLE", "metadata.done is a function"],
  [{ text: "a", metadata: { file: new Blob(["x"]) } }, "NOT_SERIALISABLE", "metadata.file is a Blob"],
  [{ content: [{ type: "text", text: 5n }] }, "NOT_SERIALISABLE", "content[0].text is a BigInt"],
  [{ content: [circle] }, "NOT_SERIALISABLE", "content[0].properties.again is a circular reference"],
  [{ content: "x" }, "CONFIG_INVALID", '`content` must be an array, got "x".'],
  [{ content: [1] }, "CONFIG_INVALID", "`content[0]` must be an object with `type`, got 1."],
  [{ text: "a", images: "x" }, "CONFIG_INVALID", '`images` must be an array, got "x".'],
  [{ text: "a", images: [{}] }, "CONFIG_INVALID", "`images[0]` must be an object with `data`, got an object."],
  [{ text: "a", files: [{}] }, "CONFIG_INVALID", "`files[0]` must be a File or Blob with `size`, got an object."],
  [
    { text: "a", whenBusy: "wait" },
    "CONFIG_INVALID",
    '`whenBusy` must be one of "queue", "drop", "interrupt", "steer", got "wait"',
  ],
  [{ text: "a", image: [] }, "CONFIG_INVALID", "There is no option `image`; the options are text, images, files,"],
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
  await expect(session.undo(steps as number)).rejects.toThrow(
    refusal("`steps` must be a whole number from 0 to 4294967295, got "),
  );
});

test.each([
  [{ toolCall: { name: "a" } }, "There is no option `toolCall` of an answer"],
  [{ content: "Hello" }, "Use `text`."],
  [{ toolCalls: [{ name: "a", args: {} }] }, "Use `input`."],
])("a script with the misspelt answer %j fails, and gives no empty answer", async (answer, message) => {
  const model = createScriptedModel([answer as never]);
  const session = new GloveClient({ createModel: () => model }).session(`misspelt ${message}`);
  await expect(session.sendMessage("Hello")).rejects.toThrow(message);
});

test.each([
  [{ renderResults: () => null }, "Did you mean `renderResult`?"],
  [{ handler: () => 1 }, "Use `do`."],
  [{ outputSchema: {} }, "A result needs no schema."],
])("a tool with %j is refused with what to write", (option, message) => {
  const tool = { name: "a", description: "", jsonSchema: { type: "object" }, do: () => 1, ...option };
  expect(() => defineTool(tool as never)).toThrow(message);
});
