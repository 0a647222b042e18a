// The tools that a server lists, as far as they can be used.

import type { Tool } from "@modelcontextprotocol/client";
import type { JsonSchema } from "../../src/schema/types.js";
import { isDeeper } from "../../src/tools/spec.js";
import { deepest } from "../../src/values/json.js";
import type { McpSettings } from "../options.js";
import type { McpHints, McpToolInfo } from "../types.js";
import { fingerprintOf } from "./fingerprint.js";
import { headerFault } from "./header-params.js";
import { appNameOf, namesOf } from "./names.js";

/** A tool, and what the server sent of it. */
export interface ServerTool {
  readonly info: McpToolInfo;
  readonly raw: Tool;
}

export interface ToolList {
  readonly tools: readonly ServerTool[];
  /** Why others are not among them. */
  readonly refused: readonly string[];
}

/** Anything may have been sent, or kept. */
export async function toolListOf(
  raw: readonly unknown[],
  { name: server, limits, tools: wanted }: Pick<McpSettings, "name" | "limits" | "tools">,
): Promise<ToolList> {
  const refused: string[] = [];
  const fit = new Map<string, Tool>();
  for (const tool of raw) {
    const fault = faultOf(tool, limits);
    const { name } = Object(tool) as { readonly name?: unknown };
    if (fault) refused.push(`${String(name).slice(0, 200)}: ${fault}`);
    else if (fit.has(String(name))) refused.push(`${name}: it is listed twice`);
    else fit.set(String(name), tool as Tool);
  }
  const names = namesOf(server, [...fit.keys()]);
  const taken = new Set<string>();
  const tools: ServerTool[] = [];
  for (const [tool, sent] of fit) {
    const name = names.get(tool) ?? tool;
    const info = await infoOf(server, name, sent);
    if (wanted && !(typeof wanted === "function" ? wanted(info) : wanted.includes(tool))) continue;
    const own = [name, appNameOf(name)].map((one) => one.toLowerCase());
    if (own.some((one) => taken.has(one))) {
      refused.push(`${tool}: its name cannot be told from another one`);
      continue;
    }
    for (const one of own) taken.add(one);
    tools.push({ info, raw: sent });
  }
  return { tools, refused };
}

function faultOf(tool: unknown, { descriptionLetters, schemaLetters }: McpSettings["limits"]): string | undefined {
  const { name, description = "", inputSchema, outputSchema, execution } = Object(tool) as Record<string, unknown>;
  if (typeof name !== "string" || !name || name.length > 1_000) return "it has no name that can be used";
  if (typeof description !== "string") return "its description is no text";
  if (description.length > descriptionLetters) return `its description has more than ${descriptionLetters} letters`;
  if ((Object(inputSchema) as { type?: unknown }).type !== "object") return "its arguments are no object";
  const { taskSupport } = Object(execution) as { readonly taskSupport?: unknown };
  if (taskSupport === "required") return "it runs as a task of the server, which is not supported";
  if (isDeeper(tool, deepest)) return `its schemas are nested deeper than ${deepest} levels`;
  const letters = JSON.stringify([inputSchema, outputSchema]).length;
  if (letters > schemaLetters) return `its schemas have more than ${schemaLetters} letters`;
  return headerFault(inputSchema);
}

async function infoOf(server: string, name: string, tool: Tool): Promise<McpToolInfo> {
  const { description = "", inputSchema, outputSchema, annotations = {} } = tool;
  const title = tool.title ?? annotations.title;
  const { app, callers } = appOf(tool);
  return {
    server,
    name,
    tool: tool.name,
    ...(typeof title === "string" && { title: title.slice(0, 200) }),
    description,
    inputSchema: inputSchema as JsonSchema,
    ...(outputSchema && { outputSchema: outputSchema as JsonSchema }),
    hints: hintsOf(annotations),
    ...(app !== undefined && { app }),
    callers,
    fingerprint: await fingerprintOf(tool),
  };
}

/** What it says of apps. A word that nobody knows lets nobody call it. */
function appOf({ _meta }: Tool): Pick<McpToolInfo, "app" | "callers"> {
  const { ui, "ui/resourceUri": older } = Object(_meta) as Record<string, unknown>;
  const { resourceUri = older, visibility } = Object(ui) as Record<string, unknown>;
  const isAddress = typeof resourceUri === "string" && resourceUri.startsWith("ui://") && resourceUri.length <= 2_000;
  const callers = (["model", "app"] as const).filter((one) => !Array.isArray(visibility) || visibility.includes(one));
  return { ...(isAddress && { app: resourceUri }), callers };
}

function hintsOf({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: NonNullable<Tool["annotations"]>): McpHints {
  return {
    readOnly: readOnlyHint === true,
    destructive: destructiveHint === true && readOnlyHint !== true,
    idempotent: idempotentHint === true,
    openWorld: openWorldHint !== false,
  };
}
