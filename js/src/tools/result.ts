// Turns a tool's return value into the result of its call.

import { reasonOf } from "../values/error.js";
import { mostKept, toJson } from "../values/json.js";
import type { ToolResultData } from "../wire/record.js";

/** What a tool gave, as a result: a `ToolResultData` is taken as it is, everything else is the data of a success. */
export function resultOf(given: unknown): ToolResultData {
  return isResult(given) ? given : { status: "success", data: given ?? null };
}

const statuses: readonly unknown[] = ["success", "error", "aborted"];

function isResult(given: unknown): given is ToolResultData {
  if (typeof given !== "object" || given === null || !("status" in given)) return false;
  return statuses.includes(given.status) && ("data" in given || (given.status !== "success" && "message" in given));
}

/**
 * A result as JSON text; what cannot be JSON is named by its place. What should be a text and is none is told as one: the work is
 * done, and must not be taken for failed.
 */
export function resultJson(tool: string, { data, renderData, ...told }: ToolResultData): string {
  const rest: Record<string, unknown> = told;
  for (const key of ["message", "summary", "outcome"]) if (rest[key] != null) rest[key] = reasonOf(rest[key]);
  const parts = [`"data":${toJson(data, `The result of ${tool}: data`, mostKept)}`];
  if (renderData !== undefined) parts.push(`"renderData":${toJson(renderData, `The result of ${tool}: renderData`, mostKept)}`);
  const others = toJson(rest, `The result of ${tool}`, mostKept).slice(1, -1);
  return `{${others ? `${others},` : ""}${parts.join(",")}}`;
}
