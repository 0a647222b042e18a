// The parts of a tool that the core, the model and the screen receive. Invalid options are refused.

import { GloveError } from "../error.js";
import { after, type Maybe } from "../timing/sync-or-promise.js";
import { copyOf } from "../values/copy.js";
import { toPlain } from "../values/json.js";
import { checkOptions, type Options } from "../values/validate-options.js";
import type { PageTool } from "../wasm/core-api.js";
import { jsonSchema, jsonSchemaOf } from "./schema.js";
import type { JsonSchema, Schema } from "./schema-types.js";
import type { ToolConfig } from "./tool.js";

const toolOptions = {
  name: "any",
  description: "text",
  title: "any",
  inputSchema: "any",
  jsonSchema: "any",
  displayPropsSchema: "any",
  resolveSchema: "any",
  do: "any",
  undo: "work",
  render: "any",
  renderResult: "any",
  requiresPermission: "permission",
  requireApproval: "approval",
  parallel: "flag",
  idempotent: "flag",
  maxRetries: "whole",
  timeoutMs: "large",
  unAbortable: "flag",
  onInterrupted: "rerun|ask|fail",
  displayStrategy: "stay|hide-on-complete|hide-on-new",
  generateToolSummary: "work",
} as const satisfies Options<ToolConfig>;

const moved = {
  execute: "Use `do`.",
  parameters: "Use `inputSchema`.",
  needsApproval: "Use `requireApproval`.",
  maxRetry: "Use `maxRetries`.",
};

/** Refuses what a tool cannot have: a rule that is misspelt would let it run unasked. */
export function checkTool(tool: { readonly name: string }): void {
  const called = (option: string) => `\`${option}\` of the tool "${tool.name}"`;
  checkOptions(tool, toolOptions, { called, code: "TOOL_INVALID", moved });
}

/** What the model and the core are told of a tool. */
export function specOf(tool: ToolConfig): Maybe<PageTool> {
  checkTool(tool);
  if (typeof tool.do !== "function") {
    throw new GloveError("TOOL_INVALID", `The tool "${tool.name}" has no \`do\`: give it the function that does its work.`);
  }
  return after(toolSchema(tool), (schema) => ({
    name: tool.name,
    description: tool.description ?? "",
    schema: plainSchema(tool.name, schema),
    ...optional("permission", gate(tool.requiresPermission)),
    ...optional("approval", gate(tool.requireApproval)),
    ...optional("parallel", tool.parallel),
    ...optional("idempotent", tool.idempotent),
    ...optional("retries", tool.maxRetries),
    ...optional("timeout_ms", Number.isFinite(tool.timeoutMs) ? tool.timeoutMs || undefined : undefined),
    ...optional("un_abortable", tool.unAbortable),
    ...optional("undo", tool.undo && true),
    ...optional("on_interrupted", tool.onInterrupted),
  }));
}

/** So deep may a schema be: the core reads JSON of 127 levels, and the schema is a part of it. */
const deepest = 120;

function plainSchema(name: string, schema: JsonSchema): JsonSchema {
  const plain = toPlain(schema, `The tool "${name}": its JSON Schema`);
  if (isDeeper(plain, deepest)) {
    const message = `its JSON Schema is nested deeper than ${deepest} levels. Name parts of it in \`$defs\`, and refer to them.`;
    throw namedAs(name, new GloveError("TOOL_SCHEMA_INVALID", message));
  }
  return plain;
}

function isDeeper(value: unknown, levels: number): boolean {
  return (
    typeof value === "object" && value !== null && (!levels || Object.values(value).some((part) => isDeeper(part, levels - 1)))
  );
}

/** The JSON Schema of a tool's arguments, as the model is told. */
export function toolSchema(tool: Pick<ToolConfig, "name" | "inputSchema" | "jsonSchema">): Maybe<JsonSchema> {
  if (tool.jsonSchema) return tool.jsonSchema;
  if (!tool.inputSchema) {
    throw new GloveError("TOOL_INVALID", `The tool "${tool.name}" has no schema: give it \`inputSchema\` or \`jsonSchema\`.`);
  }
  try {
    return jsonSchemaOf(tool.inputSchema);
  } catch (error) {
    if (!(error instanceof GloveError)) throw error;
    throw namedAs(tool.name, error);
  }
}

/** What is wrong with a tool, with the name of the tool. */
export function namedAs(name: string, error: GloveError): GloveError {
  return new GloveError(error.code, `The tool "${name}": ${error.message}`, { cause: error });
}

function gate(rule: ToolConfig["requireApproval"]): "always" | "by_input" | undefined {
  if (typeof rule === "function") return "by_input";
  if (typeof rule === "object") return rule.required ? "by_input" : undefined;
  return rule ? "always" : undefined;
}

function optional<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}

/** What a call does, if its tool says so. `input` is as the model wrote it, and nobody has checked it yet. */
export function callTitle(tool: ToolConfig | undefined, input: unknown): string | undefined {
  try {
    const title = typeof tool?.title === "function" ? tool.title(copyOf(input)) : tool?.title;
    return typeof title === "string" ? title : undefined;
  } catch {
    // Arguments of another form than it expects.
    return undefined;
  }
}

const described = new WeakMap<JsonSchema, Schema>();

/** The schema that checks a tool's arguments. */
export function argumentsSchema(tool: ToolConfig): Schema | undefined {
  if (tool.inputSchema) return tool.inputSchema;
  if (!tool.jsonSchema) return undefined;
  const known = described.get(tool.jsonSchema);
  const schema = known ?? jsonSchema(tool.jsonSchema);
  if (!known) described.set(tool.jsonSchema, schema);
  return schema;
}
