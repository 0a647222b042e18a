// The parts of a tool that the core and the model receive.

import type { ToolConfig } from "../ports/tool.js";
import { jsonSchemaOf, schemaFrom } from "../schema/json-schema-of.js";
import { checking } from "../schema/made.js";
import type { JsonSchema, Schema } from "../schema/types.js";
import { after, type Maybe } from "../timing/sync-or-promise.js";
import { GloveError } from "../values/error.js";
import { deepest, toPlain } from "../values/json.js";
import type { PageTool } from "../wire/core-types.js";
import { presence } from "./combined-tools.js";
import { checkTool } from "./options.js";

export { withTaskTool } from "./task-tool.js";

/** What the model and the core are told of a tool. */
export function specOf(tool: ToolConfig): Maybe<PageTool> {
  checkTool(tool);
  return after(toolSchema(tool), (schema) => ({
    name: tool.name,
    description: tool.description,
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
    ...optional("comes_and_goes", presence.has(tool) || undefined),
  }));
}

function plainSchema(name: string, schema: JsonSchema): JsonSchema {
  const plain = toPlain(schema, `The tool "${name}": its JSON Schema`);
  if (isDeeper(plain, deepest)) {
    const message = `its JSON Schema is nested deeper than ${deepest} levels. Name parts of it in \`$defs\`, and refer to them.`;
    throw namedAs(name, new GloveError("TOOL_SCHEMA_INVALID", message));
  }
  return plain;
}

export function isDeeper(value: unknown, levels: number): boolean {
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

/** When somebody has to decide. */
export function gate(rule: ToolConfig["requireApproval"]): "always" | "by_input" | undefined {
  if (typeof rule === "function") return "by_input";
  if (typeof rule === "object") return rule.required ? "by_input" : undefined;
  return rule ? "always" : undefined;
}

function optional<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}

/** The schema that checks a tool's arguments. */
export function argumentsSchema(tool: ToolConfig): Schema | undefined {
  if (tool.inputSchema) return tool.inputSchema;
  if (!tool.jsonSchema) return undefined;
  const known = checking.get(tool.jsonSchema);
  const schema = known ?? schemaFrom(tool.jsonSchema);
  if (!known) checking.set(tool.jsonSchema, schema);
  return schema;
}
