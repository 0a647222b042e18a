// Turns a tool's return value into the result of its call.

import { reasonOf } from "../values/error.js";
import { maxKept, toJson } from "../values/json.js";
import type { ToolResultData } from "../wire/record.js";

/** What a tool gave, as a result: a `ToolResultData` is taken as it is, everything else is the data of a success. */
export function resultOf(returned: unknown): ToolResultData {
  return isResult(returned) ? returned : { status: "success", data: returned ?? null };
}

const statuses: readonly unknown[] = ["success", "error", "aborted"];

function isResult(returned: unknown): returned is ToolResultData {
  if (typeof returned !== "object" || returned === null || !("status" in returned)) return false;
  return statuses.includes(returned.status) && ("data" in returned || (returned.status !== "success" && "message" in returned));
}

/**
 * A result as JSON text; what cannot be JSON is named by its place. What should be a text and is none is told as one: the work is
 * done, and must not be taken for failed.
 */
export function resultJson(tool: string, { data, renderData, ...told }: ToolResultData): string {
  const rest: Record<string, unknown> = told;
  for (const key of ["message", "summary", "outcome"]) if (rest[key] != null) rest[key] = reasonOf(rest[key]);
  const parts = [`"data":${toJson(data, `The result of ${tool}: data`, maxKept)}`];
  if (renderData !== undefined) parts.push(`"renderData":${toJson(renderData, `The result of ${tool}: renderData`, maxKept)}`);
  const others = toJson(rest, `The result of ${tool}`, maxKept).slice(1, -1);
  return `{${others ? `${others},` : ""}${parts.join(",")}}`;
}
