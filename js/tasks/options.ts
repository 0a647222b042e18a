// What an application may say about tasks, checked before anything is made of it.
import { check, type Options } from "../src/values/validate-options.js";
import type { ApprovalPolicy, HistoryPolicy, TaskApprovals, TaskBudgets, TaskSpec } from "../src/wire/task-types.js";

export const budgetOptions = {
  max_wall_clock_ms: "large",
  max_steps: "count",
  max_consecutive_tool_steps: "count",
  max_steps_without_progress: "count",
  step_tool_timeout_ms: "large",
  verify_percent: "whole",
  refinements: "count",
} as const satisfies Options<TaskBudgets>;

const policyOptions = {
  require_plan: "flag",
  require_tools: "list",
  expires_after_ms: "large",
  automatic: "flag",
} as const satisfies Options<ApprovalPolicy>;

const historyOptions = {
  mode: "none|seed_only|last_n|summary",
  n: "whole",
  max_tokens: "whole",
  include_tools: "flag",
} as const satisfies Options<HistoryPolicy>;

export const specOptions = {
  goal: "text",
  id: "text",
  user_id: "text",
  budgets: budgetOptions,
  approvals: "any",
  require_plan_approval: "flag",
  seed_messages: "list",
  seed_from_sessions: "list",
  history: historyOptions,
  ext: "any",
} as const satisfies Options<TaskSpec>;

export function checkApprovals(approvals: TaskApprovals | undefined): void {
  if (approvals === undefined) return;
  if (typeof approvals === "string") check("`approvals`", approvals, "strict|permissive|automatic");
  else check("`approvals`", approvals, policyOptions);
}
