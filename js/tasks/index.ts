// Tasks in a page: a goal that an agent works through in phases, in a workspace of files.

export { GloveError } from "../src/error.js";
export type {
  ApprovalPolicy,
  ApprovalRequest,
  Deliverable,
  HistoryPolicy,
  TaskApprovals,
  TaskBudgets,
  TaskEvent,
  TaskFinishReason,
  TaskPlan,
  TaskPlanStep,
  TaskPrompt,
  TaskResult,
  TaskRunOptions,
  TaskSpec,
  TaskStanding,
  TaskState,
  TaskStep,
  TaskStepReport,
  TaskStepSummary,
  TaskToolCall,
  TaskVerdict,
} from "../src/wire/task-types.js";
export { TaskAgent, type TaskAgentConfig } from "./agent.js";
export { DirectoryTaskWorkspace } from "./directory.js";
export type { TaskStepContext, TaskStepFunction } from "./host.js";
export { IndexedDBTaskWorkspace } from "./indexeddb.js";
export { MemoryTaskWorkspace } from "./memory.js";
export { deleteTaskWorkspace, listTaskWorkspaces, openTaskWorkspace } from "./stored.js";
export { GloveTask, type TaskSnapshot } from "./task.js";
export { exportWorkspace, importWorkspace } from "./transfer.js";
export type { TaskWorkspace, WorkspaceEntry } from "./workspace.js";
