// A tool of a server, or of another script of the page, as a tool of the session: what is asked before it runs.

import type { ApprovalRule, ToolConfig, ToolDisplay } from "../../src/ports/tool.js";
import type { JsonSchema } from "../../src/schema/types.js";
import type { McpSettings } from "../options.js";
import type { McpHints, McpToolInfo } from "../types.js";
import { appNameOf } from "./names.js";
import { issuesBy } from "./server-schema.js";
import type { Allowed, Trust } from "./trust.js";

export interface ToolPort {
  readonly settings: Pick<McpSettings, "name" | "approvals" | "firstUse">;
  /** Who says what its tools do, at the beginning of a sentence: `The server "docs"`. */
  readonly whose: string;
  readonly trust: Trust;
  readonly user: string | undefined;
  /** It may run beside other calls of the server. */
  readonly parallel: boolean;
  /** An app of the server calls it, and no model. */
  readonly byApp?: boolean;
  /** Makes the call. `allow` keeps that a person has allowed the tool; `false` where they were shown another one. */
  call(input: unknown, display: ToolDisplay, allow: () => Promise<boolean>): unknown;
}

/**
 * `before`: what a person has allowed, if that is something else than the server says now. The model reads that, until somebody has seen the new
 * words. `seen`: a person has allowed what it says now, or need not.
 */
export function toolOf(info: McpToolInfo, before: Allowed | undefined, port: ToolPort, seen: boolean): ToolConfig {
  const { settings, whose, trust, user, parallel, byApp = false } = port;
  const { approvals = "ask", firstUse = "ask" } = settings;
  const { description, inputSchema } = before ?? info;
  const { readOnly, destructive, idempotent } = info.hints;
  const hints = approvals === "hints";
  const permission = typeof approvals !== "function" && !destructive && !(hints && readOnly);
  /** Why a person has to look at it first. */
  const unseen = async (): Promise<string | undefined> => {
    if (firstUse === "allow") return undefined;
    const allowed = await trust.allowed(user, info.tool);
    if (allowed?.fingerprint === info.fingerprint) return undefined;
    await trust.show(user, info);
    return allowed ? changed(info, allowed, whose) : firstUseOf(info, whose);
  };
  return {
    name: byApp ? appNameOf(info.name) : info.name,
    description: `${whose} describes this tool so: ${description}`,
    // Whoever allows a call sees whose it is, whatever the server calls it.
    title: titleOf(info, settings.name) + (byApp ? ", for its app" : ""),
    jsonSchema: inputSchema,
    inputSchema: {
      "~standard": { version: 1, vendor: "glove-wasm", validate: (value: unknown) => validated(inputSchema, value) },
    },
    // One question, not two: a permission is asked for when it has been seen.
    requiresPermission: seen && permission,
    requireApproval: async (input: unknown): Promise<boolean | ApprovalRule> => {
      const reason = await unseen();
      if (reason !== undefined) return { required: true, reason };
      if (typeof approvals === "function") return approvals(info, input);
      // Seen by now, in another call: this one has no permission yet.
      return destructive || (permission && !seen);
    },
    ...(hints && (readOnly || idempotent) && { idempotent: true }),
    ...(parallel && hints && readOnly && { parallel: true }),
    do: (input, display) => port.call(input, display, async () => firstUse === "allow" || trust.allow(user, info)),
  };
}

/** Whether a call of it runs as the model wrote it, whatever its arguments are. `seen`: as `toolOf` has it. */
export const asksNobody = ({ hints }: McpToolInfo, { approvals }: Pick<McpSettings, "approvals">, seen: boolean): boolean =>
  seen && approvals === "hints" && hints.readOnly && !hints.destructive;

const titleOf = ({ title, tool }: McpToolInfo, server: string) =>
  title === undefined ? `${server}: ${tool}` : `${server}: ${title} (${tool})`;

function validated(schema: JsonSchema, value: unknown) {
  const issues = issuesBy(schema, value);
  return issues.length ? { issues } : { value };
}

function firstUseOf({ tool, description, inputSchema, hints, app }: McpToolInfo, whose: string): string {
  const lines = [
    `This is the first use of "${tool}". ${whose} describes it so:\n${description}`,
    ...sentences(hints),
    ...(app === undefined ? [] : [`It shows an app of the server in the chat: ${app}`]),
    ...(takesNothing(inputSchema) ? [] : [`What it takes: ${JSON.stringify(inputSchema)}`]),
  ];
  return lines.join("\n");
}

/** The model reads all of a schema, so a person sees all of it, unless it says nothing. */
function takesNothing({ type, properties, $schema, additionalProperties, ...rest }: JsonSchema): boolean {
  const isPlain = [type, $schema].every((word) => word === undefined || typeof word === "string");
  return (
    isPlain &&
    Object.keys(Object(properties)).length + Object.keys(Object(additionalProperties)).length + Object.keys(rest).length === 0
  );
}

/** What it says of its effects, which may decide what is asked. */
function sentences({ readOnly, destructive, idempotent }: McpHints): string[] {
  return [
    ...(readOnly ? ["It says that it only reads."] : []),
    ...(destructive ? ["It says that it may destroy something."] : []),
    ...(idempotent ? ["It says that doing it twice is doing it once."] : []),
  ];
}

/** Everything that differs, so that nothing comes in with something else. */
function changed(info: McpToolInfo, before: Allowed, whose: string): string {
  const parts: [string, (tool: Allowed) => string][] = [
    ["Its name for people", ({ title = "" }) => title],
    ["Its description", ({ description }) => description],
    ["Its effects", ({ hints }) => sentences(hints).join(" ") || "It says nothing of them."],
    ["What it takes", ({ inputSchema }) => JSON.stringify(inputSchema)],
    ["What it gives", ({ outputSchema }) => (outputSchema ? JSON.stringify(outputSchema) : "")],
  ];
  const differing = parts.flatMap(([name, of]) => {
    const [was, is] = [of(before), of(info)];
    return was === is ? [] : [`${name}, before: ${was}\n${name}, now: ${is}`];
  });
  const says = `${whose} has changed "${info.tool}" since you allowed it.`;
  return [
    says,
    ...(differing.length > 0 ? differing : ["What it has changed decides nothing here, and no model reads it."]),
  ].join("\n");
}
