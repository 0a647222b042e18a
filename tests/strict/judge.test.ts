// The judge: good requests pass at every host, and a planted mistake of each kind is noticed.
import { expect, test } from "vitest";
import { type Draft, goodRequest, modelOf, png, send } from "./good.js";
import { hosts, modelRows, rules } from "./hosts.js";
import { judge } from "./judge.js";
import { refuse } from "./refuse.js";
import type { Host } from "./types.js";

test.each([...hosts.keys()])("a good request to %s has nothing wrong in it", (id) => {
  expect(judge(send(goodRequest(id)), id)).toEqual([]);
  if (hosts.get(id)?.hostnames.length) expect(judge(send(goodRequest(id)))).toEqual([]);
});

type Plant = readonly [rule: string, host: string, change: (draft: Draft) => unknown, model?: string];

const put =
  (value: object) =>
  ({ body }: Draft) =>
    Object.assign(body, value);
const head =
  (value: Record<string, string>) =>
  ({ headers }: Draft) =>
    Object.assign(headers, value);
const drop =
  (key: string) =>
  ({ body }: Draft) =>
    delete body[key];
const both =
  (...changes: ((draft: Draft) => unknown)[]) =>
  (draft: Draft) => {
    for (const change of changes) change(draft);
  };
const chatSchema = (draft: Draft) => draft.body.tools[0].function.parameters;
const claudeSchema = (draft: Draft) => draft.body.tools[0].input_schema;
const geminiSchema = (draft: Draft) => draft.body.tools[0].functionDeclarations[0].parametersJsonSchema;
const say = (part: object) => (draft: Draft) =>
  draft.body.messages.at(-1).content === undefined || Object.assign(draft.body.messages.at(-1), { content: [part] });
const image = (url: string) => say({ type: "image_url", image_url: { url } });
const insert =
  (at: number, ...messages: object[]) =>
  (draft: Draft) =>
    draft.body.messages.splice(at, 0, ...messages);
const many = Array.from({ length: 129 }, (_, at) => ({
  type: "function",
  function: { name: `t${at}`, parameters: { type: "object" } },
}));
const answer = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
const holding = (inner: object) => ({ ...answer, properties: { a: inner } });
const shaped = (schema: object) =>
  put({ response_format: { type: "json_schema", json_schema: { name: "it", strict: true, schema } } });
const tooMuch = (tokens: number) => put({ max_tokens: tokens });

const plants: readonly Plant[] = [
  ["http.host", "", (draft) => (draft.url = "https://nobody.example/v1/answers")],
  ["http.method", "openai", (draft) => (draft.method = "PUT")],
  ["http.path", "openai", (draft) => (draft.url = "https://api.openai.com/v1/chat")],
  ["http.path", "anthropic", (draft) => (draft.url = "https://api.anthropic.com/messages")],
  ["http.path", "mistral", (draft) => (draft.url = "https://api.mistral.ai/chat/completions")],
  ["http.path", "openai", (draft) => (draft.url = "http://api.openai.com/v1/chat/completions")],
  ["http.query", "gemini", (draft) => (draft.url = draft.url.replace("?alt=sse", ""))],
  ["http.query", "gemini", (draft) => (draft.url += "&key=secret")],
  ["http.query", "gemini", (draft) => (draft.url = draft.url.replace("streamG", "g"))],
  ["http.query", "openai", (draft) => (draft.url += "?api-version=v1")],
  ["http.auth", "openai", (draft) => delete draft.headers.authorization],
  ["http.auth", "openai", head({ authorization: "key" })],
  ["http.auth", "anthropic", (draft) => delete draft.headers["x-api-key"]],
  ["http.auth", "gemini", (draft) => delete draft.headers["x-goog-api-key"]],
  ["http.auth", "azure", head({ "api-key": "key" })],
  ["http.content-type", "openai", (draft) => delete draft.headers["content-type"]],
  ["http.content-type", "anthropic", head({ "content-type": "text/plain;charset=UTF-8" })],
  ["http.accept", "openai", head({ accept: "text/html" })],
  ["http.headers", "openai", head({ "x-glove": "1" })],
  ["http.headers", "anthropic", head({ authorization: "Bearer key" })],
  ["http.version", "anthropic", (draft) => delete draft.headers["anthropic-version"]],
  ["http.version", "anthropic", head({ "anthropic-version": "2024-01-01" })],
  ["http.browser", "anthropic", head({ origin: "https://shop.example" })],
  ["body.json", "openai", (draft) => (draft.body = "{")],
  ["body.json", "openai", (draft) => (draft.body = "[]")],
  ["body.unicode", "openai", put({ user: "\ud83d" })],
  ["body.unicode", "anthropic", (draft) => (draft.body.messages[0].content[0].text = "a\udc00b")],
  ["body.repeated-key", "openai", (draft) => (draft.body = JSON.stringify(draft.body).replace("{", '{"stream":true,'))],
  ["body.schema", "openai", (draft) => delete draft.body.model],
  ["body.schema", "openai", put({ tools: [] })],
  ["body.schema", "openai", (draft) => (draft.body.messages[2].tool_calls[0].function.arguments = {})],
  ["body.schema", "openai", (draft) => (draft.body.tools[0].function.name = "my tool")],
  ["body.schema", "openai-responses", put({ max_output_tokens: 4 })],
  ["body.schema", "anthropic", (draft) => delete draft.body.max_tokens],
  ["body.schema", "anthropic", put({ system: " " })],
  ["body.schema", "anthropic", put({ output_config: { effort: "minimal" } })],
  ["body.schema", "anthropic", say({ type: "image", source: { type: "base64", media_type: "image/svg+xml", data: png } })],
  ["body.schema", "anthropic", say({ type: "document", source: { type: "base64", media_type: "application/zip", data: png } })],
  ["body.schema", "gemini", (draft) => (draft.body.contents[0].role = "system")],
  ["body.schema", "mistral", (draft) => (draft.body.messages[2].tool_calls[0].id = "call_12345")],
  ["body.schema", "mimo", (draft) => (draft.body.messages[2].content = null)],
  ["body.schema", "endpoint", put({ messages: [] })],
  ["body.unknown-field", "openai", put({ top_k: 5 })],
  ["body.unknown-field", "openai", (draft) => (draft.body.messages[4].reasoning_content = "hm")],
  ["body.unknown-field", "groq", (draft) => (draft.body.messages[2].reasoning_content = "hm")],
  ["body.unknown-field", "mistral", put({ stream_options: { include_usage: true } })],
  ["body.unknown-field", "openai-responses", put({ max_tokens: 100 })],
  ["body.unknown-field", "anthropic", (draft) => (draft.body.messages[0].id = "m1")],
  ["body.unknown-field", "gemini", put({ stream: true })],
  ["body.unknown-field", "endpoint", put({ apiKey: "k" })],
  ["body.unknown-field", "perplexity", put({ tools: many.slice(0, 1) })],
  ["format.beside-tools", "cerebras", shaped(answer)],
  ["format.beside-tools", "llamacpp", shaped(answer)],
  ["format.root", "openai", shaped({ anyOf: [answer] })],
  ["format.word", "openai", shaped(holding({ type: "string", minLength: 1 }))],
  [
    "format.word",
    "anthropic",
    put({ output_config: { format: { type: "json_schema", schema: holding({ type: "integer", minimum: 1 }) } } }),
    "claude-opus-4-6",
  ],
  ["format.type", "openai", shaped(holding({}))],
  ["format.closed", "openai", shaped({ ...answer, additionalProperties: true })],
  [
    "format.closed",
    "openai-responses",
    put({ text: { format: { type: "json_schema", name: "it", strict: true, schema: { ...answer, additionalProperties: {} } } } }),
  ],
  ["format.required", "openai", shaped({ ...answer, required: [] })],
  [
    "format.circle",
    "anthropic",
    put({
      output_config: {
        format: {
          type: "json_schema",
          schema: { ...holding({ $ref: "#/$defs/a" }), $defs: { a: holding({ $ref: "#/$defs/a" }) } },
        },
      },
    }),
    "claude-opus-4-6",
  ],
  ["format.mime", "gemini", put({ generationConfig: { responseJsonSchema: answer } })],
  ["model.answer-form", "openai", shaped(answer), "gpt-4-turbo"],
  [
    "model.answer-form",
    "anthropic",
    put({ output_config: { format: { type: "json_schema", schema: answer } } }),
    "claude-3-5-haiku-20241022",
  ],
  ["model.form-beside-tools", "gemini", put({ generationConfig: { responseMimeType: "application/json" } }), "gemini-2.5-flash"],
  ["model.form-beside-tools", "gemini-openai", shaped(answer), "gemini-2.5-flash"],
  ["text.blank", "openai", (draft) => (draft.body.messages[0].content = " ")],
  ["text.blank", "openai-responses", put({ instructions: "" })],
  ["text.blank", "gemini", (draft) => (draft.body.contents[0].parts[0].text = "")],
  ["chat.system-first", "openai", insert(5, { role: "system", content: "Be short." })],
  ["chat.user-first", "mistral", insert(1, { role: "assistant", content: "Hello." })],
  ["chat.user-first", "anthropic", insert(0, { role: "assistant", content: "Hello." })],
  ["chat.last", "mistral", (draft) => draft.body.messages.pop()],
  ["chat.last", "anthropic", (draft) => draft.body.messages.push({ role: "assistant", content: "So" })],
  ["chat.alternate", "perplexity", insert(1, { role: "user", content: "Hi." })],
  ["chat.alternate", "openai", insert(5, { role: "assistant", content: "Yes." })],
  ["chat.alternate", "anthropic", insert(0, { role: "user", content: "Hi." })],
  ["chat.alternate", "gemini", (draft) => draft.body.contents.unshift({ role: "user", parts: [{ text: "Hi." }] })],
  ["chat.user-behind-tool", "mistral", insert(5, { role: "user", content: "Wait." })],
  ["chat.stream-options", "openai", put({ stream: false, stream_options: { include_usage: true } })],
  ["chat.limit-twice", "openai", put({ max_tokens: 5, max_completion_tokens: 5 })],
  ["chat.reasoning-echo", "kimi", (draft) => delete draft.body.messages[2].reasoning_content, "kimi-k2.5"],
  ["chat.reasoning-echo", "mimo", (draft) => delete draft.body.messages[2].reasoning_content, "mimo-v2.5"],
  ["chat.reasoning-echo", "deepseek", (draft) => delete draft.body.messages[2].reasoning_content, "deepseek-reasoner"],
  ["calls.answered", "openai", (draft) => draft.body.messages.splice(4, 1)],
  ["calls.answered", "openai", insert(3, { role: "user", content: "Wait." })],
  ["calls.answered", "openai-responses", (draft) => draft.body.input.splice(3, 1)],
  ["calls.answered", "anthropic", insert(2, { role: "user", content: "Wait." })],
  ["calls.answered", "gemini", (draft) => (draft.body.contents[2].parts = [{ text: "Wait." }])],
  ["calls.answered", "endpoint", (draft) => draft.body.messages.pop()],
  ["calls.known", "openai", (draft) => (draft.body.messages[3].tool_call_id = "other")],
  ["calls.known", "openai-responses", (draft) => (draft.body.input[3].call_id = "other")],
  [
    "calls.known",
    "anthropic",
    (draft) => draft.body.messages[2].content.push({ type: "tool_result", tool_use_id: "toolu_9", content: "x" }),
  ],
  ["calls.known", "gemini", (draft) => (draft.body.contents[2].parts[0].functionResponse.name = "other")],
  ["calls.known", "endpoint", (draft) => (draft.body.messages[2].tool_results[0].call_id = "other")],
  ["calls.once", "anthropic", (draft) => draft.body.messages[2].content.push(draft.body.messages[2].content[0])],
  ["calls.results-first", "anthropic", (draft) => draft.body.messages[2].content.unshift({ type: "text", text: "Here:" })],
  ["calls.unique", "openai", (draft) => (draft.body.messages[2].tool_calls[1].id = "a1b2c3d4e")],
  ["calls.unique", "anthropic", (draft) => draft.body.messages.push(...structuredClone(draft.body.messages.slice(1)))],
  ["calls.unique", "openai-responses", (draft) => draft.body.input.splice(4, 0, ...draft.body.input.slice(2, 4))],
  ["calls.unique", "endpoint", (draft) => draft.body.messages.push(...draft.body.messages.slice(1))],
  [
    "calls.id-40",
    "openai",
    ({ body }) => {
      body.messages[2].tool_calls[0].id = body.messages[3].tool_call_id = "c".repeat(41);
    },
  ],
  ["calls.arguments", "openai", (draft) => (draft.body.messages[2].tool_calls[0].function.arguments = '{"a":')],
  ["calls.arguments", "openai-responses", (draft) => (draft.body.input[2].arguments = "")],
  ["tools.unique", "openai", (draft) => draft.body.tools.push(draft.body.tools[0])],
  ["tools.count", "openai", (draft) => (draft.body.tools = many)],
  ["tools.option-alone", "openai", both(drop("tools"), put({ parallel_tool_calls: false }))],
  ["tools.option-alone", "anthropic", both(drop("tools"), put({ tool_choice: { type: "auto" } }))],
  ["tools.choice-known", "openai", put({ tool_choice: { type: "function", function: { name: "other" } } })],
  [
    "tools.choice-known",
    "gemini",
    put({ toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["other"] } } }),
  ],
  ["tools.when-called", "bedrock-openai", (draft) => delete draft.body.tools],
  ["tools.root-union", "openai", (draft) => (chatSchema(draft).anyOf = [{ required: ["city"] }])],
  ["tools.root-union", "openai", (draft) => (chatSchema(draft).not = {})],
  ["tools.root-union", "anthropic", (draft) => (claudeSchema(draft).oneOf = [{ required: ["city"] }])],
  ["tools.array-items", "openai", (draft) => delete chatSchema(draft).properties.days.items],
  [
    "tools.array-items",
    "openai",
    (draft) => (chatSchema(draft).properties.days = { type: "array", prefixItems: [{}], items: false }),
  ],
  ["tools.schema-valid", "anthropic", (draft) => (claudeSchema(draft).required = "city")],
  ["tools.schema-valid", "openai", (draft) => (chatSchema(draft).properties.days = { $ref: "#/$defs/none" })],
  ["tools.property-key", "anthropic", (draft) => (claudeSchema(draft).properties["größe $"] = {})],
  [
    "tools.gemini-ref",
    "gemini",
    (draft) => Object.assign(geminiSchema(draft).properties.city, { $ref: "#/properties/days", type: "array" }),
  ],
  ["tools.gemini-key", "gemini", (draft) => (geminiSchema(draft).properties["größe $"] = {})],
  ["tools.compatible-word", "gemini-openai", (draft) => (chatSchema(draft).properties.city.const = "Rome")],
  ["tools.compatible-object", "gemini-openai", (draft) => (chatSchema(draft).properties.city = { type: "object" })],
  ["media.url", "openai", image("blob:http://here/1")],
  ["media.image-type", "openai", image(`data:image/svg+xml;base64,${png}`)],
  ["media.image-type", "openai", image(`data:video/mp4;base64,${png}`)],
  [
    "media.file-type",
    "openai",
    say({ type: "file", file: { filename: "a.zip", file_data: `data:application/zip;base64,${png}` } }),
  ],
  [
    "media.file-name",
    "openai",
    say({ type: "file", file: { filename: "report", file_data: `data:application/pdf;base64,${png}` } }),
  ],
  ["media.base64", "openai", image("data:image/png;base64,iVBOR")],
  [
    "media.base64",
    "anthropic",
    (draft) =>
      draft.body.messages[2].content.push({ type: "image", source: { type: "base64", media_type: "image/png", data: "a b=" } }),
  ],
  [
    "media.base64",
    "gemini",
    (draft) => draft.body.contents[0].parts.push({ inlineData: { mimeType: "image/png", data: "a-_=" } }),
  ],
  [
    "media.gemini-type",
    "gemini",
    (draft) => draft.body.contents[0].parts.push({ inlineData: { mimeType: "image/svg+xml", data: png } }),
  ],
  [
    "cache.marks",
    "anthropic",
    ({ body }) => {
      body.messages[0].content = Array.from({ length: 4 }, () => ({
        type: "text",
        text: "a",
        cache_control: { type: "ephemeral" },
      }));
    },
  ],
  ["anthropic.budget", "anthropic", put({ max_tokens: 2000 })],
  ["anthropic.thinking-first", "anthropic", (draft) => draft.body.messages[1].content.shift()],
  ["anthropic.thinking-last", "anthropic", (draft) => draft.body.messages[1].content.splice(1)],
  ["gemini.signature", "gemini", (draft) => delete draft.body.contents[1].parts[0].thoughtSignature, "gemini-3-pro-preview"],
  ["gemini.signature-form", "gemini", (draft) => (draft.body.contents[1].parts[0].thoughtSignature = "not base64")],
  ["gemini.roles", "gemini", (draft) => (draft.body.contents[1].role = "user")],
  [
    "gemini.allowed-mode",
    "gemini",
    put({ toolConfig: { functionCallingConfig: { mode: "AUTO", allowedFunctionNames: ["weather"] } } }),
  ],
  ["responses.strict", "openai-responses", (draft) => delete draft.body.tools[0].strict],
  ["responses.strict", "openai-responses", (draft) => Object.assign(draft.body.tools[0], { strict: true })],
  ["responses.item-unique", "openai-responses", (draft) => draft.body.input.splice(1, 0, draft.body.input[1])],
  ["responses.reasoning-kept", "openai-responses", (draft) => delete draft.body.input[1].encrypted_content],
  ["responses.reasoning-followed", "openai-responses", (draft) => draft.body.input.push(...draft.body.input.splice(1, 1))],
  ["endpoint.private", "endpoint", (draft) => (draft.body.messages[0].framework_context = "inbox")],
  // Single models.
  ["model.max-tokens-name", "compatible", tooMuch(5), "o3"],
  ["model.max-tokens-name", "azure", tooMuch(5), "gpt-5-mini"],
  ["model.sampling", "openai", put({ temperature: 0 }), "gpt-5"],
  ["model.sampling", "openai-responses", put({ temperature: 0 })],
  ["model.sampling", "anthropic", both(drop("thinking"), put({ temperature: 0 })), "claude-opus-4-7"],
  ["model.sampling", "kimi", put({ temperature: 0.5 }), "kimi-k2.5"],
  ["model.sampling-both", "anthropic", both(drop("thinking"), put({ temperature: 1, top_p: 1 })), "claude-sonnet-4-5-20250929"],
  ["model.stop", "openai", put({ stop: ["x"] }), "o4-mini"],
  ["model.stop", "xai", put({ stop: ["x"] }), "grok-4"],
  ["model.parallel", "openai", put({ parallel_tool_calls: false }), "o3-mini"],
  ["model.effort", "openai", put({ reasoning_effort: "low" }), "gpt-4.1"],
  ["model.effort", "openai-responses", put({ reasoning: { effort: "low" } }), "gpt-4o"],
  ["model.effort", "anthropic", put({ output_config: { effort: "low" } })],
  ["model.effort", "xai", put({ reasoning_effort: "low" }), "grok-4"],
  ["model.effort", "groq", put({ reasoning_effort: "low" }), "llama-3.3-70b-versatile"],
  ["model.effort-word", "openai", put({ reasoning_effort: "none" }), "o3"],
  ["model.effort-word", "openai", put({ reasoning_effort: "none" }), "gpt-5-mini"],
  ["model.effort-word", "openai", put({ reasoning_effort: "minimal" }), "gpt-5.1"],
  ["model.effort-word", "openai-responses", put({ reasoning: { effort: "minimal" } })],
  ["model.effort-word", "openai-responses", put({ reasoning: { effort: "none" } }), "gpt-5"],
  ["model.effort-word", "openai-responses", put({ reasoning: { effort: "none" } }), "o3"],
  ["model.effort-word", "anthropic", put({ output_config: { effort: "xhigh" } }), "claude-opus-4-6"],
  ["model.effort-word", "groq", put({ reasoning_effort: "none" }), "openai/gpt-oss-120b"],
  ["model.effort-word", "groq", put({ reasoning_effort: "high" }), "qwen/qwen3-32b"],
  ["model.effort-word", "gemini-openai", put({ reasoning_effort: "none" }), "gemini-2.5-pro"],
  ["model.max-tokens", "openai", tooMuch(16_385), "gpt-4o"],
  ["model.max-tokens", "openai", tooMuch(32_769), "gpt-4.1-mini"],
  ["model.max-tokens", "anthropic", tooMuch(32_768), "claude-opus-4-20250514"],
  ["model.max-tokens", "anthropic", tooMuch(64_001), "claude-haiku-4-5-20251001"],
  ["model.max-tokens", "anthropic", tooMuch(8193), "claude-3-5-haiku-20241022"],
  ["model.max-tokens", "anthropic", tooMuch(4097), "claude-3-opus-20240229"],
  ["model.max-tokens", "anthropic", tooMuch(128_001), "claude-opus-4-8"],
  ["model.max-tokens", "gemini", (draft) => (draft.body.generationConfig.maxOutputTokens = 65_537)],
  ["model.max-tokens", "gemini", (draft) => (draft.body.generationConfig.maxOutputTokens = 8193), "gemini-2.0-flash"],
  ["model.thinking-kind", "anthropic", () => {}, "claude-opus-4-7"],
  ["model.thinking-kind", "anthropic", put({ thinking: { type: "adaptive" } })],
  ["model.thinking-kind", "anthropic", () => {}, "claude-3-5-haiku-20241022"],
  [
    "model.thinking-budget",
    "gemini",
    (draft) => (draft.body.generationConfig.thinkingConfig = { thinkingBudget: 0 }),
    "gemini-2.5-pro",
  ],
  ["model.thinking-budget", "gemini", (draft) => (draft.body.generationConfig.thinkingConfig = { thinkingLevel: "low" })],
  [
    "model.thinking-budget",
    "gemini",
    (draft) => (draft.body.generationConfig.thinkingConfig = { thinkingBudget: 100 }),
    "gemini-2.5-flash-lite",
  ],
  [
    "model.thinking-budget",
    "gemini",
    (draft) => (draft.body.generationConfig.thinkingConfig = { thinkingBudget: 100 }),
    "gemini-2.0-flash",
  ],
  [
    "model.thinking-level",
    "gemini",
    (draft) => (draft.body.generationConfig.thinkingConfig = { thinkingLevel: "minimal" }),
    "gemini-3-pro-preview",
  ],
  ["model.tool-choice", "kimi", put({ tool_choice: "required" })],
  ["model.tool-choice", "anthropic", both(drop("thinking"), put({ tool_choice: { type: "any" } })), "claude-opus-5-5"],
  ["model.tools-beside-effort", "openai", put({ reasoning_effort: "low" }), "gpt-5.4"],
  ["model.tools-beside-effort", "openai", () => {}, "gpt-6-luna"],
  ["model.tools-beside-effort", "openai", put({ reasoning_effort: "low" }), "gpt-6.1-sol"],
  ["model.effort-word", "openai", put({ reasoning_effort: "max" }), "gpt-5.5"],
  ["model.effort-word", "openai", put({ reasoning_effort: "minimal" }), "gpt-6-luna"],
  ["model.effort-word", "openai", put({ reasoning_effort: "none" }), "gpt-6-astra"],
  ["model.effort-word", "openai-responses", put({ reasoning: { effort: "max" } }), "gpt-5.5"],
  ["model.effort-word", "openai-responses", put({ reasoning: { effort: "minimal" } }), "gpt-5.6-sol"],
  ["model.effort-word", "openai-responses", put({ reasoning: { effort: "none" } }), "gpt-6.1-sol"],
  [
    "model.effort-word",
    "anthropic",
    put({ thinking: { type: "between_tools" }, output_config: { effort: "max" } }),
    "claude-sonnet-5-5",
  ],
  ["model.effort-word", "anthropic", put({ thinking: { type: "disabled" }, output_config: { effort: "max" } }), "claude-opus-5"],
  ["model.effort-word", "kimi", put({ reasoning_effort: "medium" }), "kimi-k3.1-pro"],
  ["model.effort-word", "glm", put({ reasoning_effort: "medium" }), "glm-5.3"],
  ["model.thinking-kind", "anthropic", put({ thinking: { type: "disabled" } }), "claude-opus-5-5"],
  ["model.thinking-kind", "anthropic", put({ thinking: { type: "disabled" } }), "claude-sonnet-5-5"],
  ["model.thinking-kind", "anthropic", put({ thinking: { type: "between_tools" } }), "claude-haiku-5-5"],
  ["model.thinking-kind", "kimi", put({ thinking: { type: "enabled" } }), "kimi-k3"],
  ["model.thinking-kind", "kimi", put({ thinking: { type: "disabled" } }), "kimi-k2.7-code"],
  ["model.thinking-kind", "glm", put({ thinking: { type: "disabled" } }), "glm-5.3"],
  ["anthropic.thinking-sampling", "anthropic", put({ temperature: 0.5 })],
  ["anthropic.thinking-choice", "anthropic", put({ tool_choice: { type: "any" } })],
  ["anthropic.version-2026", "anthropic", both(head({ "anthropic-version": "2026-10-21" }), put({ temperature: 1 }))],
  [
    "gemini-openai.thinking-twice",
    "gemini-openai",
    put({ reasoning_effort: "low", extra_body: { google: { thinking_config: { thinking_budget: 5 } } } }),
  ],
  ["chat.local-images", "ollama", image("https://example.com/a.png")],
];

test.each(plants.map((plant, at) => [plant[0], plant[1], at] as const))(
  "a mistake against %s at %s is noticed",
  (rule, id, at) => {
    const [, , change, model] = plants[at] as Plant;
    const draft = goodRequest(id || "openai", model);
    const before = judge(send(draft), id || undefined);
    change(draft);
    const found = judge(send(draft), id || undefined);
    expect(found.map((finding) => finding.rule)).toContain(rule);
    // What only the model's name breaks is broken from the start.
    if (before.length)
      expect(before.map((finding) => finding.rule)).toEqual(expect.arrayContaining([expect.stringMatching(/^model\./)]));
  },
);

test("each rule has a planted mistake, and each planted mistake a rule", () => {
  const known = new Set([...rules.map(({ id }) => id), ...modelRows.map(({ rule }) => rule)]);
  expect(new Set(plants.map(([rule]) => rule))).toEqual(known);
});

test("each row of the table of models has a planted mistake", () => {
  const met = new Set<string>();
  for (const [rule, id, change, model] of plants) {
    const draft = goodRequest(id || "openai", model);
    change(draft);
    for (const finding of judge(send(draft), id || undefined)) if (finding.rule === rule) met.add(finding.rule + finding.says);
  }
  expect(modelRows.filter(({ rule, says }) => !met.has(rule + says)).map(({ rule, model }) => `${rule} ${model}`)).toEqual([]);
});

test("each row names its source, and when it was read", () => {
  for (const row of [...rules, ...modelRows, ...hosts.values()]) {
    expect([row.source.length > 0, row.read, typeof row.sure]).toEqual([
      true,
      expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      "boolean",
    ]);
  }
});

/** A refusal's status and body. */
function refusal(id: string, change: (draft: Draft) => unknown, model?: string) {
  const draft = goodRequest(id, model);
  change(draft);
  const { status, body } = refuse(hosts.get(id) as Host, judge(send(draft), id));
  return [status, JSON.parse(body)];
}

test("each vendor refuses in its own words", () => {
  expect(refusal("openai", tooMuch(5), "o3")).toEqual([
    400,
    {
      error: {
        ...{ type: "invalid_request_error", param: "max_tokens", code: "unsupported_parameter" },
        message: expect.stringContaining("'max_completion_tokens'"),
      },
    },
  ]);
  expect(refusal("anthropic", put({ top: 1 }))).toEqual([
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "top: Extra inputs are not permitted" },
      request_id: expect.any(String),
    },
  ]);
  expect(refusal("gemini", put({ stream: true }))).toEqual([
    400,
    {
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: expect.stringContaining('Unknown name "stream"'),
        details: [expect.anything()],
      },
    },
  ]);
  expect(refusal("mistral", put({ seed: 1 }))).toEqual([
    422,
    { detail: [{ type: "extra_forbidden", loc: ["body", "seed"], msg: expect.any(String), input: null }] },
  ]);
  expect(refusal("openai", (draft) => delete draft.headers.authorization)[0]).toBe(401);
  expect(refusal("openai", (draft) => delete draft.headers["content-type"])[0]).toBe(415);
  expect(refusal("openai", (draft) => (draft.url += "s"))[0]).toBe(404);
  expect(refusal("openai", (draft) => (draft.method = "GET"))[0]).toBe(405);
});

test("the models of the good requests are those that the rules are tried with", () => {
  for (const id of Object.keys(modelOf)) expect(hosts.has(id)).toBe(true);
});
