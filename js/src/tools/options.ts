// What a tool may have. Anything else is refused.
import { GloveError } from "../error.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { ToolConfig } from "./tool.js";

const toolOptions = {
  name: "any",
  description: "text",
  title: "any",
  inputSchema: "any",
  jsonSchema: "any",
  displayPropsSchema: "any",
  resolveSchema: "any",
  do: "any",
  undo: "work",
  render: "any",
  renderResult: "any",
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
} as const satisfies Options<ToolConfig>;

const moved = {
  execute: "Use `do`.",
  parameters: "Use `inputSchema`.",
  needsApproval: "Use `requireApproval`.",
  maxRetry: "Use `maxRetries`.",
};

/** Refuses what a tool cannot have: a rule that is misspelt would let it run unasked. */
export function checkTool(tool: { readonly name: string }): void {
  check("A tool", tool, "object", "TOOL_INVALID");
  const called = (option: string) => `\`${option}\` of the tool "${tool.name}"`;
  checkOptions(tool, toolOptions, { called, code: "TOOL_INVALID", moved });
}

export function duplicateName(name: string): GloveError {
  return new GloveError("TOOL_NAME_TAKEN", `Two tools are called "${name}" (case is ignored); rename one of them.`);
}
