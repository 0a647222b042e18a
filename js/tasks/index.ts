// Tasks in a page: a goal that an agent works through in phases, in a workspace of files.

export { GloveError } from "../src/values/error.js";
export type {
  ApprovalPolicy,
  ApprovalRequest,
  Deliverable,
  HistoryPolicy,
  MemoryBinding,
  MemoryEntry,
  MemoryKind,
  MemoryQuery,
  MemoryScope,
  TaskApprovals,
  TaskBudgets,
  TaskEvent,
  TaskFinishReason,
  TaskPlan,
  TaskPlanStep,
  TaskPrompt,
  TaskResult,
  TaskRunOptions,
  TaskSkillFiles,
  TaskSkillUse,
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
export type { CredentialBroker, CredentialRequest } from "./credentials.js";
export type { TaskStepContext, TaskStepFunction } from "./host.js";
export type { TaskLoop, TaskLoopView, TaskNextStep } from "./loop.js";
export { type EmbeddedMemoryOptions, VolatileMemory } from "./memory/in-memory.js";
export { IndexedDBMemory } from "./memory/indexeddb.js";
export type { MemoryChannel, MemoryProvider, NewMemory, RecallOptions } from "./memory/provider.js";
export type { Embed } from "./memory/vectors.js";
export { ZepMemory, type ZepOptions } from "./memory/zep.js";
export { type TaskOutput, taskOutput } from "./output.js";
export type { TaskSkill } from "./skills/check.js";
export { readSkill } from "./skills/read.js";
export { GloveTask, type TaskSnapshot } from "./task.js";
export { type TaskSight, TaskWatch, watchTask } from "./watch.js";
export { DirectoryTaskWorkspace } from "./workspaces/directory.js";
export { IndexedDBTaskWorkspace } from "./workspaces/indexeddb.js";
export { MemoryTaskWorkspace } from "./workspaces/memory.js";
export { deleteTaskWorkspace, listTaskWorkspaces, openTaskWorkspace } from "./workspaces/stored.js";
export { exportWorkspace, importWorkspace } from "./workspaces/transfer.js";
export type { TaskWorkspace, WorkspaceEntry } from "./workspaces/workspace.js";
