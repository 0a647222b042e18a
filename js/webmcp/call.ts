// A call of a tool of the page. What came of it is a step of the record, so it is not made twice unasked.

import { failureResult } from "../mcp/tools/result.js";
import type { McpToolInfo } from "../mcp/types.js";
import type { ToolDisplay } from "../src/ports/tool.js";
import { withinTime } from "../src/timing/time-limit.js";
import { reasonOf } from "../src/values/error.js";
import type { ToolResultData } from "../src/wire/record.js";
import { modelContext, type RegisteredTool } from "./model-context.js";

const resultLetters = 8_000_000;

export interface PageCall {
  /** Keeps that a person has allowed the tool; `false` where they were shown another one. */
  allow(): Promise<boolean>;
  /** What the page has by its name now. */
  now(): Promise<RegisteredTool | "changed" | undefined>;
  readonly timeoutMs: number;
}

type Leg = { readonly text: string } | { readonly failed: Parameters<typeof failureResult>[0] };

export async function callPageTool(
  { tool }: McpToolInfo,
  input: unknown,
  display: ToolDisplay,
  call: PageCall,
): Promise<ToolResultData> {
  const leg = await display.step("call", async (): Promise<Leg> => {
    const context = modelContext();
    const registered = await call.now();
    if (registered === "changed" || !(await call.allow())) {
      const message = `The page has changed "${tool}" since somebody was asked about this call.`;
      return { failed: { code: "MCP_TOOL_CHANGED", message, ran: "no" } };
    }
    if (!registered || !context?.executeTool) {
      return { failed: { code: "MCP_UNREACHABLE", message: `The page has no tool "${tool}" any more.`, ran: "no" } };
    }
    try {
      const answer = await withinTime(call.timeoutMs, display.signal, (signal) =>
        context.executeTool?.(registered, readable(input), { signal }),
      );
      const text = String(answer ?? "");
      if (text.length <= resultLetters) return { text };
      return { failed: { code: "MCP_RESULT_TOO_LARGE", message: `"${tool}" answered with ${text.length} letters.`, ran: "yes" } };
    } catch (error) {
      display.signal.throwIfAborted();
      return { failed: { code: "MCP_REFUSED", message: `"${tool}" failed: ${reasonOf(error)}`, ran: "perhaps" } };
    }
  });
  return "failed" in leg ? failureResult(leg.failed) : { status: "success", data: plain(leg.text) };
}

/** Browsers take an object; those before took its JSON, which is what becomes of it there. */
function readable(input: unknown): object {
  const copy: object = { ...(input as object) };
  return Object.defineProperty(copy, "toString", { value: () => JSON.stringify(input) });
}

/** Browsers give a text as it is, and anything else as its JSON. */
function plain(text: string): unknown {
  if (text === "" || text === "undefined") return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
