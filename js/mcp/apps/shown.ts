// What an app is told of its call, from the entry that the record has of it.

import type { CallToolResult } from "@modelcontextprotocol/client";
import type { ToolEntry } from "../../src/snapshot/snapshot.js";
import type { ToolResultData } from "../../src/wire/record.js";
import type { Shown } from "./frame.js";

interface AppData {
  readonly structured?: unknown;
  readonly app?: { readonly hash?: string; readonly content?: CallToolResult["content"]; readonly meta?: object };
}

/** Which app was drawn. */
export const hashIn = (entry: ToolEntry | undefined): string | undefined => (entry?.renderData as AppData | undefined)?.app?.hash;

/** As its server has sent it. */
export function resultFrom(renderData: unknown, text: string): CallToolResult {
  const { structured, app = {} } = Object(renderData) as AppData;
  return {
    content: app.content ?? [{ type: "text", text }],
    ...(structured !== undefined && { structuredContent: structured as never }),
    ...(app.meta && { _meta: app.meta as never }),
  };
}

/** `written`: as far as the model has written the call, which has no entry yet. */
export function shownOf(entry: ToolEntry | undefined, written?: { readonly input: unknown }): Shown | undefined {
  if (!entry) return isObject(written?.input) ? { partial: written.input } : undefined;
  const { input, status, output = "", renderData } = entry;
  const shown = { input: Object(input) as Record<string, unknown> };
  if (status === "success") return { ...shown, result: resultFrom(renderData, output) };
  if (status === "error") return { ...shown, result: { ...resultFrom(undefined, output), isError: true } };
  return status === "aborted" ? { ...shown, cancelled: true } : shown;
}

const isObject = (input: unknown): input is Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input);

/** For the app that has called. */
export function answerOf(result: ToolResultData | undefined, tool: string): CallToolResult {
  if (result?.status === "success") return resultFrom(result.renderData, "");
  const text = result?.message || `Nothing is known of what came of "${tool}".`;
  return { content: [{ type: "text", text }], isError: true };
}
