// What a tool may have. Anything else is refused.

import type { NamedElsewhere, ToolConfig } from "../ports/tool.js";
import { GloveError } from "../values/error.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";

const toolOptions = {
  name: "any",
  description: "text",
  title: "any",
  confirm: "any",
  danger: "flag",
  inputSchema: "any",
  jsonSchema: "any",
  displayPropsSchema: "any",
  resolveSchema: "any",
  do: "any",
  undo: "work",
  render: "any",
  renderResult: "any",
  frame: "card|none",
  requiresPermission: "permission",
  requireApproval: "approval",
  parallel: "flag",
  idempotent: "flag",
  maxRetries: "whole",
  timeoutMs: "large",
  unAbortable: "flag",
  onInterrupted: "rerun|ask|fail",
  displayStrategy: "stay|hide-on-complete|hide-on-new",
  generateToolSummary: "work",
} as const satisfies Options<Omit<ToolConfig, keyof NamedElsewhere>>;

const moved = {
  execute: "Use `do`.",
  handler: "Use `do`.",
  run: "Use `do`.",
  parameters: "Use `inputSchema`.",
  needsApproval: "Use `requireApproval`.",
  maxRetry: "Use `maxRetries`.",
  outputSchema: "A result needs no schema.",
} satisfies Record<keyof NamedElsewhere | "handler" | "run" | "maxRetry" | "outputSchema", string>;

/** Refuses what a tool cannot have: a rule that is misspelt would let it run unasked. */
export function checkTool(tool: object): void {
  check("A tool", tool, "object", "TOOL_INVALID");
  const { name, description, do: work } = tool as Partial<ToolConfig>;
  const called = (option: string) => `\`${option}\` of the tool "${name}"`;
  checkOptions(tool, toolOptions, { called, code: "TOOL_INVALID", moved });
  // What all providers together take.
  if (!/^[\w.:-]{1,128}$/.test(name ?? "")) {
    throw invalid(`No provider takes a tool with the name "${name}": use letters, digits, "_" and "-".`);
  }
  const missing =
    typeof work !== "function"
      ? "`do`: give it the function that does its work"
      : description === undefined && "`description`: say what it does";
  if (missing) throw invalid(`The tool "${name}" has no ${missing}.`);
}

const invalid = (message: string) => new GloveError("TOOL_INVALID", message);
