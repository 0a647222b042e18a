// A tool of a server as a tool of the session: what is asked before it runs, and what it does.

import type { ApprovalRule, ToolConfig } from "../../src/ports/tool.js";
import type { Connection } from "../connection/connection.js";
import type { McpSettings } from "../options.js";
import type { McpToolInfo } from "../types.js";
import { callTool } from "./call.js";
import type { ServerTool } from "./tool-list.js";
import type { Allowed, Trust } from "./trust.js";

export interface ToolPort {
  readonly connection: Connection;
  readonly settings: McpSettings;
  readonly trust: Trust;
  readonly user: string | undefined;
  /** It may run beside other calls of the server. */
  readonly parallel: boolean;
}

/**
 * `before`: what a person has allowed, if that is something else than the server says now. The model reads that, until somebody has seen the new
 * words.
 */
export function toolOf(tool: ServerTool, before: Allowed | undefined, port: ToolPort): ToolConfig {
  const { info } = tool;
  const { settings, trust, user, connection, parallel } = port;
  const { approvals = "ask", firstUse = "ask" } = settings;
  const { description, inputSchema } = before ?? info;
  const { readOnly, destructive, idempotent } = info.hints;
  const hints = approvals === "hints";
  /** Why a person has to look at it first. */
  const unseen = async (): Promise<string | undefined> => {
    if (firstUse === "allow") return undefined;
    const allowed = await trust.allowed(user, info.tool);
    if (!allowed) return firstUseOf(info);
    return allowed.fingerprint === info.fingerprint ? undefined : changed(info, allowed);
  };
  return {
    name: info.name,
    description: `The server "${settings.name}" describes this tool so: ${description}`,
    title: info.title ?? info.tool,
    jsonSchema: inputSchema,
    requiresPermission: async () => {
      // One question, not two.
      if (typeof approvals === "function" || (await unseen())) return false;
      return !destructive && !(hints && readOnly);
    },
    requireApproval: async (input: unknown): Promise<boolean | ApprovalRule> => {
      const reason = await unseen();
      if (reason !== undefined) return { required: true, reason };
      return typeof approvals === "function" ? approvals(info, input) : destructive;
    },
    ...(hints && (readOnly || idempotent) && { idempotent: true }),
    ...(parallel && hints && readOnly && { parallel: true }),
    do: (input, display) => {
      const allow = async () => {
        if (firstUse === "ask") await trust.allow(user, info);
      };
      return callTool(tool, input, display, { connection, settings, allow });
    },
  };
}

const firstUseOf = ({ server, tool, description }: McpToolInfo) =>
  `This is the first use of "${tool}". The server "${server}" describes it so:\n${description}`;

function changed({ server, tool, description, inputSchema }: McpToolInfo, before: Allowed): string {
  const says = `The server "${server}" has changed "${tool}" since you allowed it.`;
  const schemas = [before.inputSchema, inputSchema].map((schema) => JSON.stringify(schema));
  const [was, is] = before.description === description ? schemas : [before.description, description];
  return was === is ? `${says}\nIt says something else of its effects or its results.` : `${says}\nBefore: ${was}\nNow: ${is}`;
}
