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
  const verdict: unknown = typeof rule === "function" ? await rule(await copy()) : (rule ?? false);
  if (typeof verdict === "boolean") return verdict;
  throw ruleAnswered(name, "requiresPermission", verdict, "true or false");
}

/** Whether a person must agree to this call. Rejects when its rule gives no answer. */
export async function approvalRule(
  { name, requireApproval: rule }: ToolConfig,
  copy: () => Maybe<unknown>,
): Promise<ApprovalRule> {
  const verdict: unknown = typeof rule === "function" ? await rule(await copy()) : (rule ?? false);
  if (!isApprovalRule(verdict))
    throw ruleAnswered(name, "requireApproval", verdict, "true, false or { required: true or false }");
  return typeof verdict === "boolean" ? { required: verdict } : verdict;
}

function ruleAnswered(tool: string, rule: string, answer: unknown, expected: string): GloveError {
  const message = `\`${rule}\` of the tool "${tool}" must return ${expected}, got ${describeValue(answer)}.`;
  return new GloveError("TOOL_RULE_FAILED", message);
}
