// Conversations, tools and options of every kind, as a record holds them and an endpoint takes them.
import type { ContentPart, CreateAdapterOptions, Message, ToolCall, ToolResult } from "glove-wasm";
import { png } from "../good.js";
import { base64, files } from "./media.js";

export interface Situation {
  readonly name: string;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  readonly options?: Partial<CreateAdapterOptions>;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

const user = (text: string, more: Partial<Message> = {}): Message => ({ sender: "user", text, ...more });
const agent = (text: string, more: Partial<Message> = {}): Message => ({ sender: "agent", text, ...more });
const withParts = (...content: ContentPart[]): Message => user("[multimodal message]", { content });
const call = (id: string, more: Partial<ToolCall> = {}): ToolCall => ({
  tool_name: "weather",
  input_args: { city: "Rome" },
  id,
  ...more,
});
const calls = (...tool_calls: ToolCall[]): Message => agent("", { tool_calls });
const result = (call_id: string, data: unknown = "sunny", more: Partial<ToolResult["result"]> = {}): ToolResult => ({
  tool_name: "weather",
  call_id,
  result: { status: "success", data, ...more },
});
const results = (...tool_results: ToolResult[]): Message => user("tool results", { tool_results });
const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tool = (name: string, parameters: object = city): Tool => ({ name, description: "Does it.", parameters });
const weather = tool("weather");
const hi = user("Hi");
const tooled = [hi, calls(call("c1")), results(result("c1")), agent("Sunny."), user("And Oslo?")];
const running = [hi, calls(call("c1")), results(result("c1"))];
const mid = <T extends object>(value: T): Message => ({ ...calls(call("c1")), ...value });
const thinking = [{ type: "thinking", thinking: "I look.", signature: "c2ln" }];
const redacted = [{ type: "redacted_thinking", data: "c2ln" }];
const reasoning = [
  { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "I look." }], encrypted_content: "c2ln" },
];
const details = [{ type: "reasoning.text", text: "I look.", signature: "c2ln", format: "google-gemini-v1", index: 0 }];

const all: Situation[] = [];
const add = (name: string, messages: readonly Message[], more: Partial<Omit<Situation, "name" | "messages">> = {}) =>
  void all.push({ name, systemPrompt: "You help.", messages, ...more });

// Texts.
add("a first word", [hi]);
add("no system prompt", [hi], { systemPrompt: "" });
add("a blank system prompt", [hi], { systemPrompt: " \n " });
add("a long system prompt", [hi], { systemPrompt: "Be kind. ".repeat(6000) });
add("characters of every kind", [user('é "quoted" \\ \u0000 \u001f 漢字 👩‍👩‍👧 \u2028\u2029')]);
add("half a character", [user("a\ud83d"), agent("b\udc00"), user("c")]);
add("half a character in a system prompt", [hi], { systemPrompt: "x\ud83d" });
add("a huge text", [user("word ".repeat(60_000))]);
add(
  "sixty turns",
  Array.from({ length: 121 }, (_, at) => (at % 2 ? agent(`a${at}`) : user(`u${at}`))),
);
add("two messages of a person in a row", [user("one"), user("two")]);
add("two answers in a row", [hi, agent("one"), agent("two"), user("go on")]);
add("an answer first", [agent("Welcome."), hi]);
add("an answer last", [hi, agent("And so")]);
add("an answer that ends in blanks last", [hi, agent("And so  \n")]);
add("an empty answer", [hi, agent(""), user("Hello?")]);
add("a blank message", [user("  "), user("Hi")]);
add("nothing but blanks", [user(" \n")]);
add("a blank part", [withParts({ type: "text", text: " " }, { type: "text", text: "Hi" })]);
add("a partial answer", [hi, agent("The answ", { partial: true }), user("Go on")]);
add("a summary", [user("[Conversation summary from compaction]\n\nThey spoke.\n\n[End]", { is_compaction: true }), hi]);
add("a summary is asked for", [hi, agent("Hello."), user("Summarise.", { is_compaction_request: true })]);
add("a summary behind calls is asked for", [...tooled, user("Summarise.", { is_compaction_request: true })]);
add("another answer in the place of one", [hi, agent("one"), agent("two", { replaces: 1 }), user("Thanks")]);
add("what the framework told", [user("[inbox] parcel came", { framework_context: "inbox" }), hi]);
add("fields of somebody else", [
  user("Hi", { at: 1, prompt_id: "p", mine: { a: 1 } }),
  agent("Yes", { usage: { tokens_in: 1, tokens_out: 1 } }),
  hi,
]);

// Tools.
add("a tool", [hi], { tools: [weather] });
add("a tool was used", tooled, { tools: [weather] });
add("a tool was used that is gone", tooled);
add("a result is the last", running, { tools: [weather] });
add("a result is the last and the tool is gone", running);
add("text before a call", [hi, agent("Looking.", { tool_calls: [call("c1")] }), results(result("c1"))], { tools: [weather] });
add("line breaks before a call", [hi, agent("\n\n", { tool_calls: [call("c1")] }), results(result("c1"))], { tools: [weather] });
add("three calls at once", [hi, calls(call("c1"), call("c2"), call("c3")), results(result("c3"), result("c1"), result("c2"))], {
  tools: [weather],
});
add("three rounds", [hi, ...["c1", "c2", "c3"].flatMap((id) => [calls(call(id)), results(result(id))])], { tools: [weather] });
add("results one by one", [hi, calls(call("c1"), call("c2")), results(result("c1")), results(result("c2"))], {
  tools: [weather],
});
add("a message between a call and its result", [hi, calls(call("c1")), user("Wait"), results(result("c1"))], {
  tools: [weather],
});
add("a message behind a result", [...running, user("And Oslo?")], { tools: [weather] });
add("two messages behind a result", [...running, user("And Oslo?"), user("And Bern?")], { tools: [weather] });
add(
  "a message with a picture behind a result",
  [...running, withParts({ type: "text", text: "Look" }, base64("image", "image/png"))],
  { tools: [weather] },
);
for (const [name, data] of Object.entries({
  "a picture": base64("image", "image/png"),
  "a picture and a text": [{ type: "text", text: "The map:" }, base64("image", "image/png"), { type: "text", text: " " }],
  "a pdf": [base64("document", "application/pdf", btoa("%PDF-1.4 one page"))],
  "an svg": base64("image", "image/svg+xml", btoa("<svg/>")),
  "what an MCP server gives": { content: [{ type: "image", data: png, mimeType: "image/png" }], isError: false },
})) {
  add(`a tool gave ${name}`, [hi, calls(call("c1")), results(result("c1", data))], { tools: [weather] });
  add(`a tool gave ${name} beside another`, [hi, calls(call("c1"), call("c2")), results(result("c1", data), result("c2"))], {
    tools: [weather],
  });
}
add("a call without a result", [hi, calls(call("c1")), user("Stop")], { tools: [weather] });
add("one of two calls without a result", [hi, calls(call("c1"), call("c2")), results(result("c2")), user("And?")], {
  tools: [weather],
});
add("a call without a result last", [hi, calls(call("c1"))], { tools: [weather] });
add("a late result", [hi, calls(call("c1")), user("Wait"), agent("Yes"), results(result("c1")), user("And?")], {
  tools: [weather],
});
add("a result twice", [hi, calls(call("c1")), results(result("c1"), result("c1")), results(result("c1")), user("And?")], {
  tools: [weather],
});
add("a result of no call", [hi, results(result("c9")), user("And?")], { tools: [weather] });
add("an id twice", [hi, calls(call("c1"), call("c1")), results(result("c1"), result("c1"))], { tools: [weather] });
add("an id again later", [...tooled, calls(call("c1")), results(result("c1"))], { tools: [weather] });
add(
  "no ids",
  [
    hi,
    { ...calls({ tool_name: "weather", input_args: {} }) },
    results({ tool_name: "weather", result: { status: "success", data: 1 } }),
  ],
  {
    tools: [weather],
  },
);
add("a long id", [hi, calls(call("x".repeat(200))), results(result("x".repeat(200)))], { tools: [weather] });
add("an id of odd characters", [hi, calls(call("call:1|ü /x")), results(result("call:1|ü /x"))], { tools: [weather] });
add(
  "ids that are alike when shortened",
  [hi, calls(call("a".repeat(70)), call(`${"a".repeat(70)}b`)), results(result(`${"a".repeat(70)}b`), result("a".repeat(70)))],
  {
    tools: [weather],
  },
);
for (const [name, data] of Object.entries({
  null: null,
  "an object": { a: [1] },
  "an empty text": "",
  "a number": 0,
  "a list": [],
  "half a character": "\ud83d",
  "a long text": "x".repeat(100_000),
})) {
  add(`a result of ${name}`, [hi, calls(call("c1")), results(result("c1", data))], { tools: [weather] });
}
add("a failed call", [hi, calls(call("c1")), results(result("c1", null, { status: "error", message: "no network" }))], {
  tools: [weather],
});
add(
  "a stopped call",
  [hi, calls(call("c1")), results(result("c1", null, { status: "aborted", message: "stopped" })), user("Go on")],
  { tools: [weather] },
);
add("a failed call without a word", [hi, calls(call("c1")), results(result("c1", "", { status: "error" }))], {
  tools: [weather],
});
add("a result with a summary", [hi, calls(call("c1")), results(result("c1", { long: 1 }, { summary: "short" }))], {
  tools: [weather],
});
add(
  "arguments that are no JSON",
  [
    hi,
    calls(call("c1", { input_args: '{"city": ', unparsed_args: true })),
    results(result("c1", null, { status: "error", message: "no JSON" })),
  ],
  {
    tools: [weather],
  },
);
add("no arguments", [hi, calls(call("c1", { input_args: {} })), results(result("c1"))], { tools: [weather] });
add("arguments of null", [hi, calls(call("c1", { input_args: null })), results(result("c1"))], { tools: [weather] });
add("arguments as a text", [hi, calls(call("c1", { input_args: '{"city":"Rome"}' })), results(result("c1"))], {
  tools: [weather],
});
add("arguments that are a list", [hi, calls(call("c1", { input_args: [1] })), results(result("c1"))], { tools: [weather] });
add(
  "a call of an unknown tool",
  [hi, calls(call("c1", { tool_name: "no such tool" })), results({ ...result("c1"), tool_name: "no such tool" })],
  { tools: [weather] },
);
const odd = ["my tool", "größe", "a".repeat(80), "a.b/c", "9lives", "_", "ab"];
add(
  "odd names of tools",
  [
    hi,
    ...odd.flatMap((name, at) => [calls(call(`c${at}`, { tool_name: name })), results({ ...result(`c${at}`), tool_name: name })]),
  ],
  {
    tools: odd.map((name) => tool(name)),
  },
);
add("names of tools that are alike when shortened", [hi], {
  tools: [tool(`${"a".repeat(70)}1`), tool(`${"a".repeat(70)}2`), tool("a b"), tool("a_b"), tool("a-b")],
});
add("130 tools", [hi], { tools: Array.from({ length: 130 }, (_, at) => tool(`tool_${at}`)) });
add("a tool without a description", [hi], { tools: [{ ...weather, description: "" }] });

// Schemas of tools.
const point = { type: "object", properties: { x: { type: "number" } }, required: ["x"] };
const schemas: Record<string, object> = {
  "no properties": { type: "object", properties: {} },
  "nothing at all": {},
  "a union at the root": { anyOf: [{ ...point, title: "p" }, city] },
  "a discriminated union at the root": {
    oneOf: ["a", "b"].map((kind) => ({
      type: "object",
      properties: { kind: { const: kind }, [kind]: { type: "string" } },
      required: ["kind"],
    })),
  },
  "an intersection at the root": { allOf: [city, point] },
  "one of two keys": {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" } },
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
  },
  "a not at the root": { ...city, not: { required: ["x"] } },
  "an enum at the root": { ...city, enum: [{ city: "Rome" }] },
  "a tuple": { type: "object", properties: { at: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }] } } },
  "a closed tuple": {
    type: "object",
    properties: { at: { type: "array", prefixItems: [{ type: "number" }], items: false, minItems: 1 } },
  },
  "an array without items": { type: "object", properties: { list: { type: "array" } } },
  "an array of arrays": { type: "object", properties: { list: { type: "array", items: { type: "array" } } } },
  "a union inside": { type: "object", properties: { a: { anyOf: [{ type: "string" }, { type: "array" }, { type: "null" }] } } },
  "a const": { type: "object", properties: { a: { const: "x" }, b: { const: 1 }, c: { const: null } } },
  "an enum of numbers": { type: "object", properties: { a: { enum: [1, 2] }, b: { type: "integer", enum: [1] } } },
  "limits of all kinds": {
    type: "object",
    properties: {
      a: { type: "number", exclusiveMinimum: 0, multipleOf: 2 },
      b: { type: "string", minLength: 1, pattern: "^a", format: "email" },
    },
    minProperties: 1,
  },
  "a record": {
    type: "object",
    properties: { map: { type: "object", additionalProperties: { type: "number" }, propertyNames: { pattern: "^a" } } },
  },
  "an object without properties": { type: "object", properties: { any: { type: "object" }, other: {} } },
  "types as a list": { type: "object", properties: { a: { type: ["string", "null"] }, b: { type: ["array", "null"] } } },
  "a reference": { type: "object", properties: { a: { $ref: "#/$defs/p" } }, $defs: { p: point } },
  "a reference with a description": {
    type: "object",
    properties: { a: { $ref: "#/$defs/p", description: "Where." } },
    $defs: { p: point },
  },
  "a schema that refers to itself": {
    ...{ $ref: "#/$defs/node" },
    $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
  },
  "definitions of an older draft": {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { a: { $ref: "#/definitions/p" } },
    definitions: { p: point },
  },
  "odd keys": {
    type: "object",
    properties: { "größe in m": { type: "number" }, $ref: { type: "string" }, "a.b": { type: "string" }, "": { type: "string" } },
    required: ["größe in m"],
  },
  "odd keys inside": {
    type: "object",
    properties: {
      a: { type: "object", properties: { "größe $": { type: "number" }, "x y": { type: "array" } }, required: ["größe $"] },
    },
  },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  conditions: { ...city, if: { required: ["city"] }, then: { properties: { x: { type: "array" } } }, else: {} },
  "what depends": { ...city, dependentRequired: { city: ["x"] }, dependentSchemas: { city: point } },
  "patterns of keys": { type: "object", patternProperties: { "^a": { type: "string" } }, additionalProperties: false },
  "booleans for schemas": { type: "object", properties: { any: true, none: false } },
  "no type at the root": { properties: { city: { type: "string" } } },
  "a type that is a list at the root": { type: ["object"], properties: {} },
};
for (const [name, parameters] of Object.entries(schemas))
  add(`a schema with ${name}`, [hi], { tools: [tool("do_it", parameters)] });
add(
  "arguments under odd keys",
  [
    hi,
    calls(call("c1", { tool_name: "do_it", input_args: { "größe in m": 1 } })),
    results({ ...result("c1"), tool_name: "do_it" }),
  ],
  {
    tools: [tool("do_it", schemas["odd keys"])],
  },
);

// Answers with a schema, by the tool that stands for them.
const gives = (parameters: object): Tool => ({ name: "give_answer", description: "Gives the answer.", parameters });
const trip = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 1, description: "Where to." },
    days: { type: "integer", minimum: 1, maximum: 14 },
    by: { enum: ["train", "ship", null] },
    stops: { type: "array", items: { ...point, additionalProperties: false }, maxItems: 3 },
    on: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
  },
  required: ["city", "days", "by", "stops", "on"],
  additionalProperties: false,
};
const given = call("c1", { tool_name: "give_answer", input_args: { city: "" } });
add("an answer with a schema", [hi], { tools: [gives(trip)] });
add("an answer with a schema, not streamed", [hi], { tools: [gives(trip)], options: { stream: false } });
add("an answer with a schema beside a tool", [hi], { tools: [weather, gives(trip)] });
add("an answer with a schema behind a result", running, { tools: [weather, gives(trip)] });
add("an answer with a schema while thinking", [hi], { tools: [gives(trip)], options: { reasoningEffort: "high" } });
add("an answer with a schema that did not fit", [hi, calls(given), results({ ...result("c1"), tool_name: "give_answer" })], {
  tools: [gives(trip)],
});
for (const name of ["a record", "a reference", "a schema that refers to itself", "limits of all kinds", "odd keys", "a tuple"])
  add(`an answer with ${name}`, [hi], { tools: [gives(schemas[name] ?? {})] });

// Media.
for (const [name, parts] of Object.entries(files))
  add(`with ${name}`, [withParts({ type: "text", text: "What is it?" }, ...parts)]);
add("a picture without a word", [withParts(base64("image", "image/png"))]);
add("a picture some turns ago", [withParts({ type: "text", text: "See" }, base64("image", "image/png")), agent("Yes"), hi]);
add("a large picture", [withParts({ type: "text", text: "See" }, base64("image", "image/png", png.slice(0, 80).repeat(4000)))]);

// Thoughts.
for (const reasoningEffort of ["none", "minimal", "low", "medium", "high", "xhigh", "max"])
  add(`effort ${reasoningEffort}`, [hi], { options: { reasoningEffort } });
for (const reasoningBudget of [0, 1, 512, 2048, 50_000])
  add(`a budget of ${reasoningBudget}`, [hi], { options: { reasoningBudget } });
add("high effort and a small limit", [hi], { options: { reasoningEffort: "high", maxTokens: 500 } });
add("high effort and a large limit", [hi], { options: { reasoningEffort: "high", maxTokens: 32_000 } });
const thought = {
  reasoning_content: "I look.",
  thinking_blocks: thinking,
  reasoning_items: reasoning,
  reasoning_details: details,
};
for (const [name, more] of Object.entries({
  "no thoughts": {},
  "thoughts in words": { reasoning_content: "I look." },
  "Anthropic's thoughts": { thinking_blocks: thinking },
  "redacted thoughts": { thinking_blocks: redacted },
  "thoughts around text": { text: "Looking.", thinking_blocks: [...thinking, ...redacted] },
  "OpenAI's thoughts": { reasoning_items: reasoning },
  "OpenRouter's thoughts": { reasoning_details: details },
  "Gemini's signature": { tool_calls: [call("c1", { thought_signature: "c2ln" } as object)] },
  "the signature of Gemini's compatible endpoint": {
    tool_calls: [call("c1", { extra_content: { google: { thought_signature: "c2ln" } } } as object)],
  },
  "all thoughts": thought,
})) {
  for (const [how, options] of Object.entries({
    off: {},
    on: { reasoningEffort: "medium" },
    "on and sent back": { reasoningEffort: "high", reasoning: true },
  })) {
    add(`${name} beside a call, thinking ${how}`, [hi, mid(more), results(result("c1"))], { tools: [weather], options });
  }
}
add("thoughts of an earlier turn", [hi, agent("Yes", thought), user("And?")], { options: { reasoningEffort: "medium" } });
add("thoughts alone", [hi, agent("", thought), user("And?")], { options: { reasoningEffort: "medium" } });
add("thoughts of an earlier turn with calls", [hi, mid(thought), results(result("c1")), agent("Sunny"), user("And?")], {
  tools: [weather],
  options: { reasoningEffort: "medium", reasoning: true },
});
add("thinking is switched on behind a call", [hi, mid({}), results(result("c1")), mid(thought), results(result("c1"))], {
  tools: [weather],
  options: { reasoningEffort: "medium" },
});
add(
  "calls of somebody else, and of its own",
  [
    hi,
    mid({}),
    results(result("c1")),
    agent("Sunny"),
    user("Again"),
    { ...mid(thought), tool_calls: [call("c2")] },
    results(result("c2")),
  ],
  {
    tools: [weather],
    options: { reasoningEffort: "low" },
  },
);

// A conversation that began elsewhere, with the ids that are usual there.
for (const [name, id] of Object.entries({
  OpenAI: "call_AbCdEfGhIjKlMnOpQrStUvWx",
  Anthropic: "toolu_01AbCdEfGhIjKlMnOpQrStUv",
  Mistral: "D681PevKs",
  Kimi: "functions.weather:0",
  Gemini: "weather-1763846400000-0",
  Bedrock: "tooluse_AbCdEfGhIjKlMnOpQrStUv",
  vLLM: "chatcmpl-tool-0123456789abcdef0123456789abcdef",
  Responses: "fc_68f0a1b2c3d4e5f60718293a4b5c6d7e8f9012345678901234567890abcdef|call_1",
})) {
  add(
    `a conversation that began at ${name}`,
    [hi, { ...mid(thought), tool_calls: [call(id)] }, results(result(id)), agent("Sunny."), user("And Oslo?")],
    { tools: [weather] },
  );
}

// Options.
add("not streamed", [hi], { options: { stream: false } });
add("not streamed, with a tool", tooled, { tools: [weather], options: { stream: false } });
add("a limit", [hi], { options: { maxTokens: 100 } });
add("a limit of one", [hi], { options: { maxTokens: 1 } });
add("a huge limit", [hi], { options: { maxTokens: 200_000 } });
for (const cache of [true, "1h"] as const) {
  add(`cache ${cache}`, [hi], { options: { cache } });
  add(`cache ${cache}, tools and turns`, tooled, { tools: [weather], options: { cache } });
  add(`cache ${cache}, no system prompt`, running, { tools: [weather], systemPrompt: "", options: { cache } });
  add(`cache ${cache}, a blank system prompt and thoughts`, [hi, mid(thought), results(result("c1"))], {
    tools: [weather],
    systemPrompt: " ",
    options: { cache, reasoningEffort: "low" },
  });
}
add("cache and a picture", [withParts({ type: "text", text: "See" }, base64("image", "image/png"))], {
  options: { cache: true },
});
add("tools as text", [hi], { tools: [weather], options: { toolUse: "text" } });
add("tools as text, used", tooled, { tools: [weather], options: { toolUse: "text" } });
add("tools as text, a result last", running, { tools: [weather], options: { toolUse: "text", stream: false } });
for (const [name, options] of Object.entries({
  "temperature 0": { temperature: 0 },
  "temperature 1": { temperature: 1 },
  "temperature 2": { temperature: 2 },
  "top p": { topP: 0.9 },
  "temperature and top p": { temperature: 0.5, topP: 0.5 },
  "temperature while thinking": { temperature: 0.5, reasoningEffort: "high" },
  "a stop": { stop: ["END"] },
  "six stops": { stop: ["a", "b", "c", "d", "e", "f"] },
  "a blank stop": { stop: ["\n\n"] },
  "a stop while thinking": { stop: ["END"], reasoningEffort: "low" },
  "a seed": { seed: 7 },
} satisfies Record<string, Situation["options"]>)) {
  add(`${name}`, [hi], { options });
}
for (const [name, options] of Object.entries({
  "a tool has to be used": { toolChoice: "required" },
  "no tool may be used": { toolChoice: "none" },
  "a tool is chosen": { toolChoice: { tool: "weather" } },
  "a tool is chosen that is not there": { toolChoice: { tool: "other" } },
  "one call at a time": { parallelToolCalls: false },
  "calls at once": { parallelToolCalls: true },
  "a tool has to be used while thinking": { toolChoice: "required", reasoningEffort: "high" },
  "a tool is chosen, one call at a time": { toolChoice: { tool: "weather" }, parallelToolCalls: false },
} satisfies Record<string, Situation["options"]>)) {
  add(name, [hi], { tools: [weather], options });
  add(`${name}, behind a result`, running, { tools: [weather], options });
  add(`${name}, without tools`, [hi], { options });
}
add("thoughts are sent back without thinking", [hi, agent("Yes", thought), user("And?")], { options: { reasoning: true } });

export const situations: readonly Situation[] = all;
