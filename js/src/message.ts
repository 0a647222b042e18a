// The record's types, as they are stored and as models, stores and subscribers see them.

/** One message of the record. Fields that this version does not know are kept. */
export interface Message {
  sender: "user" | "agent";
  id?: string;
  text: string;
  content?: ContentPart[];
  tool_results?: ToolResult[];
  tool_calls?: ToolCall[];
  /** A summary of everything before it. */
  is_compaction?: boolean;
  is_compaction_request?: boolean;
  is_skill_injection?: boolean;
  pre_modified_text?: string;
  reasoning_content?: string;
  /** Written by the framework for the model (`inbox`, `undo`, …), and not shown in a chat. */
  framework_context?: string;
  /** Calls that were taken back since the message before. */
  undone?: string[];
  /** The request that it belongs to. */
  prompt_id?: string;
  /** The request that was being served when this message came into it, and that ended with this one's. */
  joins?: string;
  /** The text of an answer that was cut off. */
  partial?: boolean;
  /** On a summary: the earlier messages that stay word for word behind it, counted backwards. */
  compaction_keeps?: { readonly back: number; readonly count: number };
  /** So many messages before this one, and this one, have given their place to another answer. */
  replaces?: number;
  usage?: Usage;
  at?: number;
  [unknown: string]: unknown;
}

/** A part of a message that holds more than text. */
export interface ContentPart {
  type: "text" | "image" | "video" | "document" | (string & {});
  text?: string;
  source?: { type: "base64" | "url" | (string & {}); media_type: string; data?: string; url?: string };
}

/** A call that a model asked for. */
export interface ToolCall {
  tool_name: string;
  /** The model's own text where that was no JSON (`unparsed_args`). */
  input_args: unknown;
  id?: string;
  unparsed_args?: boolean;
}

/** The one result of a call. */
export interface ToolResult {
  tool_name: string;
  call_id?: string;
  result: ToolResultData;
  duration_ms?: number;
  outputs?: SideOutput[];
  /** The arguments that the tool got, as JSON, where they are not those that the model sent. Never sent to a model. */
  input?: unknown;
  /** What it left on the display. Never sent to a model. */
  slots?: unknown[];
}

/** What a tool gave: `data` for the model, `renderData` for the screen. */
export interface ToolResultData {
  data: unknown;
  status: "success" | "error" | "aborted";
  message?: string;
  /** Set where the result is not the tool's own. */
  outcome?: CallOutcome;
  /** For the screen only; it never reaches a model or an endpoint. */
  renderData?: unknown;
  summary?: string;
  generateSummaryArgs?: unknown;
}

/**
 * Why a call has no result of its tool: no permission (`denied`), turned down by a person (`rejected`), arguments that do not fit
 * (`invalid`), no such tool, a tool or a check that threw (`failed`), a page that died in the middle of it (`interrupted`), or a
 * rule that stopped all calls (`not_run`). A call that the user stopped has the status `aborted`.
 */
export type CallOutcome =
  | "denied"
  | "rejected"
  | "invalid"
  | "unknown_tool"
  | "failed"
  | "interrupted"
  /** It was stopped after its time limit; whether it took effect is not known. */
  | "timed_out"
  | "not_run"
  | (string & {});

/** What a tool showed beside its result: a `file` (told to the model as its summary), a `widget`, or a type of yours. */
export interface SideOutput {
  type: string;
  summary?: string;
  data?: unknown;
}

/** A task of the list that the model keeps. */
export interface Task {
  id: string;
  content: string;
  activeForm: string;
  status: TaskStatus;
}

/** How far a task is. */
export type TaskStatus = "pending" | "in_progress" | "completed";

/** What model calls used; costs in US dollars, where the provider tells them. */
export interface Usage {
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly cost?: number;
}

/** What a person decided about a tool; `unset` when nobody was asked yet. */
export type PermissionStatus = "granted" | "denied" | "unset";
