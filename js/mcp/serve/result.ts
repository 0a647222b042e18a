// The result of a tool of ours, as an answer of the protocol.

import type { CallToolResult } from "@modelcontextprotocol/server";
import { checkWithSchema, issuesText } from "../../src/schema/check.js";
import type { Schema } from "../../src/schema/types.js";
import { GloveError } from "../../src/values/error.js";
import type { ToolResultData } from "../../src/wire/record.js";

/** How a result is told. */
export interface Telling {
  readonly name: string;
  readonly outputSchema?: Schema | undefined;
  readonly letters: number;
  report(error: GloveError): void;
}

export const failed = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });

export async function answerOf(result: ToolResultData, telling: Telling): Promise<CallToolResult> {
  const { name, letters, report } = telling;
  if (result.status === "aborted") return failed(result.message || "The call was stopped.");
  // What a tool throws may hold keys and addresses; what it returns is meant for others.
  if (result.outcome === "failed") {
    report(new GloveError("TOOL_FAILED", `The tool "${name}" threw: ${result.message || "unknown error"}`));
    return failed(`The tool "${name}" failed on the server.`);
  }
  if (result.status === "error") {
    const details = result.data == null ? "" : textOf(result.data);
    const text = [result.message || (details ? "" : `The tool "${name}" failed.`), details].filter(Boolean).join("\n");
    return text.length > letters ? tooLarge(text.length, telling) : failed(text);
  }
  return told(result.data, telling);
}

async function told(data: unknown, telling: Telling): Promise<CallToolResult> {
  const { name, outputSchema, letters, report } = telling;
  let value = data;
  if (outputSchema) {
    const checked = await checkWithSchema(outputSchema, data);
    if ("issues" in checked) {
      const issues = issuesText(checked.issues);
      report(
        new GloveError(
          "MCP_OUTPUT_INVALID",
          `The tool "${name}" gave a result that does not fit its \`outputSchema\`: ${issues}`,
        ),
      );
      return failed(`The tool "${name}" has run, but its result is not what the server says that it would be.`);
    }
    value = checked.value;
  }
  const text = textOf(value);
  if (text.length > letters) return tooLarge(text.length, telling);
  return { content: [{ type: "text", text }], ...(isObject(value) && { structuredContent: value }) };
}

function tooLarge(size: number, { name, letters, report }: Telling): CallToolResult {
  const result = tooLong(`The tool "${name}" has run, but its result`, size, letters);
  report(
    new GloveError("MCP_RESULT_TOO_LARGE", `A result of the tool "${name}" has ${size} letters, and ${letters} are the most.`),
  );
  return result;
}

export const tooLong = (what: string, size: number, letters: number): CallToolResult =>
  failed(`${what} has ${size} letters, and ${letters} are the most.`);

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "null"));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
