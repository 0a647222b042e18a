// What a server answers a call with, as the result of our tool.

import type { CallToolResult } from "@modelcontextprotocol/client";
import type { ToolResultData } from "../../src/wire/record.js";
import type { LegFailure } from "../connection/connection.js";

/** `mismatch`: why its structured content is not what the server said that it would be. The work is done, whatever it is. */
export function resultOf(answer: CallToolResult, mismatch?: string, app?: AppResult): ToolResultData {
  const { content = [], structuredContent, isError } = answer;
  const texts = content.map((block) => (block.type === "text" ? block.text : undefined));
  const onlyTexts = texts.every((text) => text !== undefined);
  const text = texts.filter((part) => part !== undefined).join("\n\n");
  const structured = structuredContent !== undefined;
  // Servers say what is structured once more, as a text, for older clients.
  const saidTwice = structured && texts.some((part) => part !== undefined && isSame(part, structuredContent));
  const rest = { content: content.map(withoutMeta), ...(structured && !saidTwice && { structuredContent }) };
  const plain = onlyTexts && (!structured || saidTwice);
  const data = plain ? text : onlyTexts && !content.length ? structuredContent : rest;
  const note = mismatch === undefined ? {} : { message: mismatch };
  if (isError) return { status: "error", data: plain ? null : rest, message: text || "The server says that it failed." };
  return {
    status: "success",
    data: mismatch === undefined ? data : { note: mismatch, result: data },
    ...note,
    ...shown(answer, app),
  };
}

/** What an app needs besides: which one was drawn. */
export interface AppResult {
  readonly hash?: string | undefined;
}

function shown({ content, structuredContent: structured, _meta }: CallToolResult, app: AppResult | undefined) {
  if (app) return { renderData: { structured, app: { ...app, content, ...(_meta && { meta: _meta }) } } };
  return structured === undefined ? {} : { renderData: { structured } };
}

function isSame(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

/** What is for programs and no model is left out. */
function withoutMeta(block: CallToolResult["content"][number]): object {
  const { _meta: _, annotations: __, ...rest } = block;
  return rest;
}

const mayHaveRun = "What came of the call is not known: it may have run.";

/** A call without an answer. */
export function failureResult({ message, ran }: LegFailure): ToolResultData {
  const result: ToolResultData = { status: "error", data: null, message };
  if (ran === "no") return { ...result, message: `${message} The tool did not run.` };
  return ran === "yes" ? result : { ...result, message: `${message} ${mayHaveRun}`, outcome: "interrupted" };
}
