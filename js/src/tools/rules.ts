// What a tool's own rules say of a call: whether it needs a permission, or the consent of a person.

import type { ApprovalRule, ToolConfig } from "../ports/tool.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import { GloveError } from "../values/error.js";
import { describeValue, isApprovalRule } from "../values/validate-options.js";

/** Whether a tool needs a permission for this. Rejects when its rule gives no answer. The rule gets a copy of the arguments. */
export async function permissionRule(
  { name, requiresPermission: rule }: Pick<ToolConfig, "name" | "requiresPermission">,
  copy: () => Maybe<unknown>,
): Promise<boolean> {
  const asks: unknown = typeof rule === "function" ? await rule(await copy()) : (rule ?? false);
  if (typeof asks === "boolean") return asks;
  throw ruleAnswered(name, "requiresPermission", asks, "true or false");
}

/** Whether a person must agree to this call. Rejects when its rule gives no answer. */
export async function approvalRule(
  { name, requireApproval: rule }: ToolConfig,
  copy: () => Maybe<unknown>,
): Promise<ApprovalRule> {
  const asks: unknown = typeof rule === "function" ? await rule(await copy()) : (rule ?? false);
  if (!isApprovalRule(asks)) throw ruleAnswered(name, "requireApproval", asks, "true, false or { required: true or false }");
  return typeof asks === "boolean" ? { required: asks } : asks;
}

function ruleAnswered(tool: string, rule: string, answer: unknown, wanted: string): GloveError {
  const message = `\`${rule}\` of the tool "${tool}" must return ${wanted}, got ${describeValue(answer)}.`;
  return new GloveError("TOOL_RULE_FAILED", message);
}
