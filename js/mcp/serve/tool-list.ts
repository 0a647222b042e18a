// The tools as clients list them.

import type { ListToolsResult, Tool } from "@modelcontextprotocol/server";
import { jsonSchemaOf } from "../../src/schema/json-schema-of.js";
import type { JsonSchema } from "../../src/schema/types.js";
import { toolSchema } from "../../src/tools/spec.js";
import { GloveError, reasonOf } from "../../src/values/error.js";
import type { Chosen } from "./options.js";

export interface Listed extends Chosen {
  readonly told: Tool;
}

/** What cannot be described is left out and reported. */
export async function listedTools(chosen: readonly Chosen[], report: (error: GloveError) => void): Promise<readonly Listed[]> {
  const listed: Listed[] = [];
  for (const one of chosen) {
    try {
      listed.push({ ...one, told: await toldOf(one) });
    } catch (error) {
      const message = `The tool "${one.tool.name}" is not offered: ${reasonOf(error)}`;
      report(new GloveError("MCP_TOOL_REFUSED", message, { cause: error }));
    }
  }
  return listed;
}

async function toldOf({ tool, offer }: Chosen): Promise<Tool> {
  const { name, title, description, danger, idempotent } = tool;
  const inputSchema = objectOf("its arguments", await toolSchema(tool));
  const outputSchema = offer.outputSchema && objectOf("its `outputSchema`", await jsonSchemaOf(offer.outputSchema));
  const annotations = {
    ...(offer.readOnly !== undefined && { readOnlyHint: offer.readOnly }),
    ...(danger !== undefined && { destructiveHint: danger }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
    ...(offer.openWorld !== undefined && { openWorldHint: offer.openWorld }),
  };
  return {
    name,
    ...(typeof title === "string" && { title }),
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}

/** The protocol has no others. */
function objectOf(what: string, schema: JsonSchema): JsonSchema & { readonly type: "object" } {
  if (schema.type === "object") return schema as JsonSchema & { readonly type: "object" };
  throw new GloveError("MCP_TOOL_REFUSED", `${what} must be an object.`);
}

/** A page of them; nothing where no list has led to it. */
export function pageOf(tools: readonly Tool[], cursor: string | undefined, size: number): ListToolsResult | undefined {
  const from = cursor === undefined ? 0 : Number(/^from-(\d{1,9})$/.exec(cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(from) || (from > 0 && from >= tools.length)) return undefined;
  const more = from + size < tools.length;
  return {
    tools: tools.slice(from, from + size),
    ...(more && { nextCursor: `from-${from + size}` }),
  };
}
