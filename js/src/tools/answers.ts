// Answers in the form of a schema: the tool by which a model gives one, and what a sender gets of it. Loaded with the first.

import type { ToolConfig } from "../ports/tool.js";
import { type Checked, checkWithSchema } from "../schema/check.js";
import { jsonSchemaOf, schemaFrom } from "../schema/json-schema-of.js";
import type { JsonSchema, Schema, StandardSchema } from "../schema/types.js";
import { GloveError } from "../values/error.js";
import type { Message } from "../wire/record.js";
import { answerTool, unwrapped } from "./answer-tool.js";
import { specOf } from "./spec.js";

/** The schemas of what was sent from this page, by session and request. They go with their session. */
const live = new WeakMap<object, Map<string, Schema>>();

/** The JSON Schema for the core and the model. From now on, answers to this request are checked by `schema`. */
export async function expectAnswer(session: object, request: string, schema: Schema): Promise<unknown> {
  const tool = { name: answerTool, description: "", jsonSchema: await wrapped(schema), do: () => {} };
  const spec = await specOf(tool);
  const expected = live.get(session) ?? new Map<string, Schema>();
  live.set(session, expected.set(request, schema));
  return spec.schema;
}

/** What takes the answer to a request whose schema this page has; its calls' keys begin with the request's id. */
export function liveAnswerTool(session: unknown, key: string): ToolConfig | undefined {
  for (const [request, schema] of live.get(session as object) ?? [])
    if (key.startsWith(`${request}.`)) return taking((value) => checkWithSchema(schema, value));
  return undefined;
}

/** After a reload and in other tabs: an answer is checked by what was stored of its schema. */
export function storedAnswerTool(messages: readonly Message[]): ToolConfig {
  const stored = messages.findLast((message) => message.answer_schema)?.answer_schema;
  if (!stored) throw new GloveError("TOOL_UNKNOWN", "No request waits for an answer with a schema.");
  const schema = schemaFrom(stored as JsonSchema);
  return taking(async (value, whole) => {
    const checked = await checkWithSchema(schema, whole);
    return "issues" in checked ? checked : { value };
  });
}

/** The value that a completed request was answered with. */
export async function answerOf<T>(
  session: object,
  request: string,
  schema: Schema<unknown, T>,
  messages: readonly Message[],
): Promise<{ readonly value: T }> {
  live.get(session)?.delete(request);
  for (const { tool_calls = [] } of messages) {
    for (const { tool_name, input_args } of tool_calls) {
      const answer = tool_name === answerTool && (await checkWithSchema(schema, unwrapped(input_args)));
      if (answer && "value" in answer) return answer;
    }
  }
  if (messages.some(({ framework_context }) => framework_context === "hook"))
    throw new GloveError("ANSWER_MISSING", "A hook has answered this message with words, and no model was asked for a value.");
  throw new GloveError("ANSWER_MISSING", "The model gave no answer that matches the schema. Ask again, or ask for less.");
}

/** The screen gets the value, and the model's later requests no second copy of what it said. */
function taking(check: (value: unknown, whole: unknown) => Checked<unknown> | PromiseLike<Checked<unknown>>): ToolConfig {
  const validate: StandardSchema["~standard"]["validate"] = async (whole) => {
    const checked = await check(unwrapped(whole), whole);
    if (!("issues" in checked)) return { value: checked.value };
    // The schema itself has failed.
    if (checked.error) throw checked.error;
    return { issues: checked.issues };
  };
  return {
    name: answerTool,
    description: "",
    inputSchema: { "~standard": { version: 1, vendor: "glove-wasm", validate } },
    do: (data) => ({ status: "success", data, renderData: data, summary: "Taken." }),
  };
}

/** Arguments are objects, so an answer of another form is put into one; and so is one that could be taken for that. */
async function wrapped(schema: Schema): Promise<JsonSchema> {
  const json = await jsonSchemaOf(schema);
  const { $defs, ...answer } = json;
  const { type, properties } = json;
  if (type === "object" && properties && !Object.hasOwn(properties, "answer")) return json;
  const whole = { type: "object", properties: { answer }, required: ["answer"], ...($defs !== undefined && { $defs }) };
  return moved(whole) as JsonSchema;
}

/** What refers to the answer finds it where it stands now; definitions stay where they were. */
function moved(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moved);
  if (schema === null || typeof schema !== "object") return schema;
  const entries = Object.entries(schema).map(([key, value]) => {
    const refers = key === "$ref" && typeof value === "string" && /^#(?!\/\$defs\/)/.test(value);
    return [key, refers ? `#/properties/answer${value.slice(1)}` : moved(value)];
  });
  return Object.fromEntries(entries);
}
