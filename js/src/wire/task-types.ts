// What a task is given, what stands in its files, and what comes of it.
import type { ModelOptions, PageTool } from "./core-types.js";
import type { Message, Usage } from "./record.js";
// Written by tests/it/typescript.rs from the types of Rust; do not edit.

/** A task: what is to be reached, and within which bounds. */
export interface TaskSpec {
  readonly goal: string;
  /** Names the task; made where it is missing. */
  readonly id?: string;
  readonly user_id?: string;
  readonly budgets?: TaskBudgets;
  /** Instead of the agent's own. `"strict"`, `"permissive"` and `"automatic"` are read too. */
  readonly approvals?: TaskApprovals;
  /** The plan is approved, whatever else is. */
  readonly require_plan_approval?: boolean;
  /** A conversation that came before. */
  readonly seed_messages?: readonly Message[];
  /** Stored sessions whose conversations came before, by their ids. They are read when the task begins, and kept with it. */
  readonly seed_from_sessions?: readonly string[];
  /** How much of what was said before each step reads, unless the step says so itself. */
  readonly history?: HistoryPolicy;
  /** For the application alone; it stands in the state and in the result. */
  readonly ext?: unknown;
}

/** What a task may use. At most the call in flight goes over it. */
export interface TaskBudgets {
  /** Working time in milliseconds; waiting for a person does not count. */
  readonly max_wall_clock_ms?: number;
  /** Steps of the loop: a phase, or one step of the plan. */
  readonly max_steps?: number;
  /** Answers in one step that only call tools. */
  readonly max_consecutive_tool_steps?: number;
  /** Steps one after another that failed. */
  readonly max_steps_without_progress?: number;
  /** How long one call of a tool may take. */
  readonly step_tool_timeout_ms?: number;
  /** How much of the time and the steps only the verification may use, in percent. */
  readonly verify_percent?: number;
  /** How often the plan is refined after a verification that failed. */
  readonly refinements?: number;
}

/** What a person approves before it happens. */
export interface ApprovalPolicy {
  readonly require_plan?: boolean;
  /** The names of tools of which each call is approved. */
  readonly require_tools?: readonly string[];
  /** How long a request waits for its decision. */
  readonly expires_after_ms?: number;
  /** Everything is approved at once, and still written down: for development. */
  readonly automatic?: boolean;
}

/** What a person approves: a policy, or the name of one. */
export type TaskApprovals = ApprovalPolicy | "strict" | "permissive" | "automatic";

/** What a step reads of what was said before. */
export interface HistoryPolicy {
  readonly mode?: "none" | "seed_only" | "last_n" | "summary";
  /** For `last_n`: how many messages. */
  readonly n?: number;
  /** For `summary`: about how many tokens. */
  readonly max_tokens?: number;
  /** Whether the calls of tools and their results are kept. */
  readonly include_tools?: boolean;
}

/** Everything that is known of a task. What stands in files of its own is not repeated here. */
export interface TaskState {
  readonly version: number;
  readonly task_id: string;
  readonly agent_id: string;
  readonly status: TaskStanding;
  /** The name of the last step that began. */
  readonly phase: string;
  readonly finish_reason?: TaskFinishReason;
  /** Why it does not go on by itself. */
  readonly error?: { readonly code: string; readonly message: string };
  readonly started_at: number;
  readonly updated_at: number;
  readonly completed_at?: number;
  readonly used: { readonly wall_clock_ms: number; readonly steps: number; readonly steps_without_progress: number; readonly usage: Usage };
  /** The plan before a verification failed is round 1. */
  readonly round: number;
  readonly plan?: {
    /** The number of its copy. */
    readonly version: number;
    /** Of the file. */
    readonly sha256: string;
    readonly plan: TaskPlan;
  };
  /** The plan is not approved yet. */
  readonly plan_waits: boolean;
  readonly verdict?: TaskVerdict;
  readonly verifications: number;
  /** A budget was reached before the work was done: what is left of it is kept for the verification, and the task pauses after that. */
  readonly only_verify?: TaskFinishReason;
  /** The verdict is about what was there when a budget was reached. */
  readonly verified_part?: boolean;
  readonly current?: TaskStep;
  readonly current_since: number;
  readonly steps: readonly TaskStepSummary[];
  /** The path of the answer of the last step that acted. */
  readonly output_ref?: string;
  readonly pending: readonly ApprovalRequest[];
  /** Decisions that the run of the current step is told, also again. */
  readonly decided: readonly {
    readonly question: string;
    readonly allowed: boolean;
    readonly reason?: string;
    /** The id of the request. */
    readonly request: string;
    /** The call that it is about. */
    readonly call_id?: string;
  }[];
  /** What was decided about channels of the memory. */
  readonly consents?: readonly { readonly channel: string; readonly access: "read" | "write"; readonly allowed: boolean; readonly entries_sha256?: string }[];
  /** How many requests for approval there were. */
  readonly requests: number;
  /** Decisions that decided nothing, by id and hash, each told once. */
  readonly ignored: readonly string[];
  /** How many files were added by `push_context`. */
  readonly pushed: number;
  readonly warnings: readonly string[];
  /** The number of the last event. */
  readonly last_event: number;
  /** Requests and decisions that may not be in their files yet. */
  readonly outgoing: readonly {
    readonly path: string;
    readonly content: string;
    /** A decision, which stays unwritten where another one stands that counts: the first one wins. */
    readonly unless_decided: boolean;
  }[];
  /** Events that may not be in the journal yet. */
  readonly outbox: readonly TaskEvent[];
  readonly approvals: ApprovalPolicy;
  readonly loop_name: string;
  readonly loop_version: string;
  readonly loop_signature: string;
  /** What it was begun with, and goes on with. */
  readonly skills?: readonly TaskSkillUse[];
  readonly spec: TaskSpec;
}

/** A skill that a task works with, as its state says it: going on needs the same one. */
export interface TaskSkillUse {
  readonly name: string;
  /** Of the bundle. */
  readonly sha256: string;
}

/** Where a task of a server stands. */
export interface RemoteTaskState {
  readonly task_id: string;
  readonly status: TaskStanding;
  /** Whether somebody works on it right now, or waits for a person. Where nobody does, it goes on with `resume`. */
  readonly running: boolean;
  /** Nobody works on it, and it is not at its end: `resume` goes on with it. */
  readonly can_resume: boolean;
  readonly phase: string;
  readonly finish_reason?: TaskFinishReason;
  readonly error?: { readonly code: string; readonly message: string };
  readonly started_at: number;
  readonly updated_at: number;
  readonly completed_at?: number;
  readonly used: { readonly wall_clock_ms: number; readonly steps: number; readonly steps_without_progress: number; readonly usage: Usage };
  readonly loop_name: string;
  readonly plan?: {
    /** The number of its copy. */
    readonly version: number;
    /** Of the file. */
    readonly sha256: string;
    readonly plan: TaskPlan;
  };
  /** The plan is not approved yet. */
  readonly plan_waits: boolean;
  readonly verdict?: TaskVerdict;
  readonly current?: { readonly id: string; readonly name: string; readonly plan_step?: string };
  readonly steps: readonly TaskStepSummary[];
  /** The path of the answer of the last step that acted. */
  readonly output_ref?: string;
  readonly pending: readonly ApprovalRequest[];
  readonly warnings: readonly string[];
  /** The number of the last event. */
  readonly last_event: number;
  /** What it was begun with, and goes on with. */
  readonly skills?: readonly TaskSkillUse[];
  readonly spec: { readonly goal: string; readonly budgets?: TaskBudgets };
}

/** One of the tasks that a server has, as its list shows them. */
export interface RemoteTaskEntry {
  readonly id: string;
  readonly goal: string;
  readonly status: TaskStanding;
  readonly running: boolean;
  readonly can_resume: boolean;
  readonly finish_reason?: TaskFinishReason;
  /** How many requests wait for a person. */
  readonly pending: number;
  readonly started_at: number;
  readonly updated_at: number;
  /** Why nothing else is known of it: its state cannot be read. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** Where a task stands. */
export type TaskStanding =
  | "running"
  /** A person is to decide something. */
  | "waiting"
  /** It goes on when it is resumed. */
  | "paused"
  | "finished";

/** Why a task ended, or does not go on by itself. */
export type TaskFinishReason =
  /** The loop had nothing left to do, and no verification failed. */
  | "completed"
  | "verify_failed"
  | "plan_denied"
  | "budget_wall_clock"
  | "budget_steps"
  | "budget_no_progress"
  /** The STOP file, or `stop`. */
  | "stopped"
  | "approval_expired"
  /** A model or a store failed, or a person's edit cannot be read. */
  | "failed";

/** `progress/plan/current.json`. */
export interface TaskPlan {
  readonly objective: string;
  readonly steps: readonly TaskPlanStep[];
  readonly constraints?: readonly string[];
  /** What must hold at the end, and which steps see to it. */
  readonly acceptance?: readonly {
    readonly criterion: string;
    /** Ids of steps. */
    readonly steps?: readonly string[];
    readonly [unknown: string]: unknown;
  }[];
  readonly [unknown: string]: unknown;
}

/** One step of a plan. */
export interface TaskPlanStep {
  /** Unique in its plan. */
  readonly id: string;
  readonly title: string;
  readonly instructions?: string;
  /** The tools that it may use; all of its phase where there are none. */
  readonly tools?: readonly string[];
  readonly [unknown: string]: unknown;
}

/** What a verification found, in `progress/verify/0001-report.json`. */
export interface TaskVerdict {
  readonly pass: boolean;
  readonly reasons?: readonly string[];
  /** Paths of what was looked at. */
  readonly artifacts?: readonly string[];
  readonly [unknown: string]: unknown;
}

/** One step of a loop: a run of the agent, or a function of the application with the same name. */
export interface TaskStep {
  /** Unique in its task; made of the name and the iteration. */
  readonly id: string;
  /** `gather`, `plan`, `act`, `verify`, or one's own. */
  readonly name: string;
  /** `phase`, or one's own like `custom:triage`. */
  readonly kind: string;
  readonly iteration: number;
  /** What the model is asked, behind the goal. */
  readonly instructions: string;
  /** The tools that it may use; all that its phase has where it is missing. */
  readonly tools?: readonly string[];
  readonly output?: "text" | "findings" | "plan" | "verdict";
  /** Instead of the task's own. */
  readonly history?: HistoryPolicy;
  /** The step of the plan that this does. */
  readonly plan_step?: string;
  /** The answer is JSON, and this is what it is: a name with its version, or an address. */
  readonly schema_id?: string;
  /** For the application alone: it stands in the report of the step. */
  readonly ext?: unknown;
}

/** A step that ended, as the state of the task keeps it. */
export interface TaskStepSummary {
  readonly id: string;
  readonly name: string;
  readonly iteration: number;
  readonly status: "completed" | "failed" | "skipped";
  readonly output: "text" | "findings" | "plan" | "verdict";
  readonly plan_step?: string;
  readonly output_ref?: string;
  /** The first line of what came of it, or why it failed. */
  readonly summary: string;
  /** The time of the task was used up in the middle of it: with more time, what it was to do is done again. */
  readonly out_of_time?: boolean;
}

/** A prompt as it is sent, and as `progress/steps/<id>/prompt.json` keeps it: a step that is taken up reads the same again. */
export interface TaskPrompt {
  readonly system: string;
  /** Before the request: the task's context, then the history. */
  readonly messages: readonly Message[];
  readonly request: string;
  readonly tools: readonly string[];
  /** Paths that it holds the content of. */
  readonly context_read: readonly string[];
}

/** `progress/approvals/requests/<id>.json`. */
export interface ApprovalRequest {
  readonly id: string;
  readonly type: "plan" | "tool" | "memory";
  readonly plan_path?: string;
  readonly tool_name?: string;
  /** The channel of the memory, such as `org:acme`. */
  readonly channel?: string;
  /** What is wanted of it. */
  readonly access?: "read" | "write";
  readonly rationale: string;
  readonly expires_at: string;
  /** The step that asks. */
  readonly step?: string;
  /** The arguments of the call, or the entries for a channel, as they will be used. */
  readonly input?: unknown;
  /** The question of the step's run. */
  readonly question?: string;
  /** The call that it is about, in that run. */
  readonly call_id?: string;
  /** The call may have taken effect: nobody but a person may say that it runs again. */
  readonly interrupted?: boolean;
  readonly [unknown: string]: unknown;
}

/**
 * One event. Its kinds: `task.start`, `task.stop`, `task.resume`, `phase.start`, `phase.finish`, `plan.proposed`, `plan.edited`, `plan.approved`,
 * `plan.denied`, `approval.requested`, `approval.decided`, `approval.ignored`, `tool.call`, `tool.result`, `verify.pass`,
 * `verify.fail`, `context.pushed`, `memory.read`, `memory.write`, `budget.hit`, `output.missing`, `error`,
 * `finish`.
 */
export interface TaskEvent {
  /** `ev_000001`: numbered from 1 without a gap. */
  readonly id: string;
  readonly type: string;
  /** The step that it belongs to. */
  readonly step?: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly message?: string;
  readonly data?: unknown;
  readonly error?: string;
}

/** What a task came to, as far as the view says. */
export interface TaskResult {
  readonly agent_id: string;
  readonly task_id: string;
  readonly loop_name: string;
  readonly loop_version: string;
  readonly loop_signature: string;
  readonly progress_dir: string;
  readonly status: TaskStanding;
  readonly finish_reason?: TaskFinishReason;
  readonly usage: Usage;
  readonly started_at: number;
  readonly completed_at?: number;
  /** What a person is to decide before it goes on. */
  readonly approvals?: readonly ApprovalRequest[];
  /** Why it did not go on. */
  readonly error?: { readonly code: string; readonly message: string };
  /** The answer of the last step that acted. */
  readonly output_text?: string;
  readonly deliverables?: readonly Deliverable[];
  readonly verdict?: TaskVerdict;
  readonly warnings?: readonly string[];
  readonly steps?: readonly TaskStepReport[];
  readonly ext?: unknown;
}

/** A file that a task made. */
export interface Deliverable {
  /** Relative to the root of the task. */
  readonly path: string;
  readonly kind: string;
  readonly title: string;
  readonly mime: string;
  readonly size: number;
  readonly sha256: string;
}

/** `progress/steps/<id>/report.json`. */
export interface TaskStepReport {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly iteration: number;
  readonly status: "completed" | "failed" | "skipped";
  readonly started_at: number;
  readonly ended_at: number;
  readonly tools_allowed: readonly string[];
  readonly tools_used: readonly string[];
  readonly tool_calls: readonly TaskToolCall[];
  /** Paths whose content the step read in its prompt. */
  readonly context_read: readonly string[];
  readonly artifacts_written: readonly Deliverable[];
  readonly output_ref?: string;
  /** A plan or a verdict. */
  readonly output_json?: unknown;
  /** What that is: `glove-plan@1`, `glove-verdict@1`, or what the loop calls it. */
  readonly schema_id?: string;
  readonly usage: Usage;
  readonly error?: string;
  /** Of the loop, for the application alone. */
  readonly ext?: unknown;
}

/** A call of a tool, in numbers: what went in and came out is in the record of the step. */
export interface TaskToolCall {
  readonly call_id: string;
  readonly tool: string;
  /** `success`, `error` or another word of the record. */
  readonly status: string;
  readonly input_bytes: number;
  readonly output_bytes: number;
  readonly duration_ms?: number;
  /** What the tool said when it failed. */
  readonly error?: string;
}

/** Whose memory it is, in the order in which a prompt has them. */
export type MemoryKind = "agent" | "user" | "org" | "team" | "project" | "task";

/** One channel. In a binding, an empty id stands for the agent, the user or the task that is at work. */
export interface MemoryScope {
  readonly kind: MemoryKind;
  readonly id: string;
  /** The channel is this agent's alone: others have one of their own about the same subject. */
  readonly agent_id?: string;
}

/** Something that is remembered. */
export interface MemoryEntry {
  /** Names it in its channel: putting it again replaces it. */
  readonly id: string;
  readonly title?: string;
  readonly text: string;
  /** Of any shape, for the application. A prompt has the text alone. */
  readonly data?: unknown;
  /** `constraint` and `capability`: where channels differ, the agent counts before its organisation, and that before the user. */
  readonly tags?: readonly string[];
  /** Where it comes from, such as the paths of a task. */
  readonly source?: string;
  /** It is read with every step, as far as there is room. */
  readonly pinned?: boolean;
}

/** What is looked for in a channel. */
export interface MemoryQuery {
  /** What it is for: `pinned`, a phase, or the application's own. */
  readonly name: string;
  /** The words to look for; what is pinned is given without. */
  readonly text: string;
  readonly top_k: number;
  readonly pinned: boolean;
  /** About how many tokens are read of what is found; as many as there are with 0. */
  readonly max_tokens?: number;
  /** Only entries that have all of these. */
  readonly tags?: readonly string[];
  /** For a provider of one's own. */
  readonly filter?: unknown;
}

/** A channel that an agent reads. */
export interface MemoryBinding {
  readonly kind: MemoryKind;
  /** The agent, the user or the task at work where it is empty. */
  readonly id?: string;
  /** The channel is this agent's alone: others have one of their own about the same subject. */
  readonly agent_id?: string;
  /** Of two entries with one title, the one of the greater weight is read, before all precedence. 1 unless given. */
  readonly weight?: number;
  /** The task waits while this channel cannot be read, instead of going on without it. */
  readonly required?: boolean;
  /** What a task has learned is written here at its end. */
  readonly learns?: boolean;
  /** A person is asked before a task reads it. */
  readonly approveRead?: boolean;
  /** A person is asked before what was learned is written, and reads it word for word. */
  readonly approveWrite?: boolean;
  /** About how many tokens of pinned entries; none with 0. What is usual for the kind where it is missing, as the others below. */
  readonly pinnedTokens?: number;
  /** Addresses, numbers and the like are struck out of pinned entries; true unless given. */
  readonly redact?: boolean;
  /** How many entries each phase recalls. */
  readonly recall?: readonly { readonly phase: string; readonly most: number }[];
  /** About how many tokens a phase recalls. */
  readonly recallTokens?: number;
  /** Only entries that have all of these tags are read. */
  readonly tags?: readonly string[];
  /** Goes along with each query, for a provider of your own. */
  readonly filter?: unknown;
  /** What stands above pinned entries, with `{channel}` for the kind of the channel. */
  readonly template?: string;
  /** Of entries with one text, or with one title, one is read; both are true unless given. */
  readonly dedupe?: { readonly byHash?: boolean; readonly byTitle?: boolean };
}

/** What the agent remembers with. */
export interface TaskMemoryOptions {
  /** Its own channel and that of the task's user, where it is missing. */
  readonly view?: readonly MemoryBinding[];
  readonly patienceMs?: number;
}

/** A skill as its files. */
export interface TaskSkillFiles {
  /** The texts of the bundle by their paths, `skill.json` among them. */
  readonly files: Readonly<Record<string, string>>;
  /** The hash that the bundle is to have; another one is refused. */
  readonly sha256?: string;
}

/** A skill as the page runs it. */
export interface TaskSkillParts {
  readonly name: string;
  readonly sha256: string;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: unknown; readonly code: string; readonly phases?: readonly string[]; readonly reads: readonly string[]; readonly writes: readonly string[] }[];
  /** What its mounts show, by the path in the workspace. */
  readonly files: readonly (readonly [path: string, text: string])[];
}

/** Names a loop of the page; both are part of the signature of results. */
export interface TaskLoopName {
  readonly name: string;
  readonly version: string;
}

/** How a task is run. */
export interface TaskRunOptions {
  /** How much the result holds; `summary` by default. */
  readonly view?: "minimal" | "summary" | "full";
  /** Comes back as soon as a person is to decide, instead of waiting for them. */
  readonly leaveWhenWaiting?: boolean;
}

/** What an agent for tasks is made of, as JSON text for `new CoreTask(options, host, files)`. */
export interface TaskAgentOptions {
  readonly id?: string;
  readonly name?: string;
  readonly persona?: string;
  readonly capabilities?: readonly string[];
  /** Of tasks that say none. */
  readonly budgets?: TaskBudgets;
  readonly model: ModelOptions;
  readonly tools?: readonly PageTool[];
  /** The phases of tools that are not for all but planning. */
  readonly toolPhases?: readonly { readonly tool: string; readonly phases: readonly string[] }[];
  /** The names of steps that the page does itself. */
  readonly functions?: readonly string[];
  readonly seedMessages?: readonly Message[];
  readonly approvals?: TaskApprovals;
  /** A loop of the page instead of the usual one. */
  readonly loop?: TaskLoopName;
  readonly memory?: TaskMemoryOptions;
  /** The page is asked for what a call may prove itself with. */
  readonly credentials?: boolean;
  /** The page has sessions that a task may take its history from. */
  readonly sessions?: boolean;
  /** Their tools are among `tools`. */
  readonly skills?: readonly TaskSkillFiles[];
  readonly pollMs?: number;
  readonly stopGraceMs?: number;
}
