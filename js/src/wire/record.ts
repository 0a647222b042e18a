// The record's types, as they are stored and as models, stores and subscribers see them.
// Written by tests/it/typescript.rs from the types of Rust; do not edit.

/** One message of the record. Fields that this version does not know are kept. */
export interface Message {
  sender: "user" | "agent";
  id?: string;
  text: string;
  content?: ContentPart[];
  tool_results?: ToolResult[];
  tool_calls?: ToolCall[];
  /** A summary of everything before it; the model reads from the last of these. */
  is_compaction?: boolean;
  is_compaction_request?: boolean;
  is_skill_injection?: boolean;
  pre_modified_text?: string;
  reasoning_content?: string;
  /** Written by the framework for the model (`inbox`, `undo`, …), and not shown in a chat. */
  framework_context?: string;
  /** Calls that were taken back since the message before. */
  undone?: string[];
  /** The request that this message belongs to. */
  prompt_id?: string;
  /** The request that was being served when this message came into it, and that ends with this one's. */
  joins?: string;
  /** It belongs to a prompt that no person sees: models read it, and no screen shows it. */
  hidden?: boolean;
  /** Text of an answer that was cut off: shown, but no finished answer. */
  partial?: boolean;
  /** On an answer: it ends where the model may write no more, and not where it has said all. */
  at_limit?: boolean;
  /** On a message of the user: the answer before it had broken off, so nobody has stopped it. */
  broke_off?: boolean;
  /** On a summary: the earlier messages that stay word for word behind it. */
  compaction_keeps?: {
    /** The range starts this many messages before the summary. */
    readonly back: number;
    readonly count: number;
  };
  /** The messages before this one, counted backwards, whose place another answer takes. */
  replaces?: number;
  /** On an answer or a summary: what the model call cost. */
  usage?: Usage;
  /** When it was written, in milliseconds since 1970. */
  at?: number;
  /** On an answer: where it says that it comes from. Never sent to a model. Kept as it is, whatever an application stored here. */
  sources?: Source[];
  [unknown: string]: unknown;
}

/** One of the `sources` of an answer. */
export interface Source {
  readonly url: string;
  readonly title?: string;
}

/** A part of a message that is more than plain text. */
export interface ContentPart {
  /** Kinds that are not known are kept. */
  type: "text" | "image" | "video" | "document" | (string & {});
  text?: string;
  source?: { type: "base64" | "url" | (string & {}); media_type: string; data?: string; url?: string };
  /** What the file was that this is, for the screen. */
  file?: { readonly name: string; readonly type: string; readonly size: number };
}

/** A call that a model asked for. */
export interface ToolCall {
  tool_name: string;
  /** The model's own text; a string holding that text when it was no JSON (`unparsed_args`). */
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
  /** What the tool showed beside its result (files, widgets and types of the application). */
  outputs?: SideOutput[];
  /** The arguments that the tool got, where they are not those that the model sent. Never sent to a model. */
  input?: unknown;
  /** What it left on the display. Never sent to a model. */
  slots?: unknown[];
}

/** The result of a tool: `data` for the model, `renderData` for the screen. */
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
  /** What the tool used of models itself, as an agent does that is called as a tool. It counts into the budget of the request. */
  usage?: Usage;
}

/** Why a call has no result of its tool. A call that the user stopped has the status `aborted` instead. */
export type CallOutcome =
  /** Nobody allowed it. */
  | "denied"
  /** A person turned it down. */
  | "rejected"
  /** The arguments do not match the tool's schema. */
  | "invalid"
  /** There is no such tool. */
  | "unknown_tool"
  /** The tool threw, or a check before it did. */
  | "failed"
  /** The page or process ended in the middle of it. */
  | "interrupted"
  /** It was stopped after its time limit; whether it took effect is not known. */
  | "timed_out"
  /** A rule stopped all calls. */
  | "not_run"
  | (string & {});

/**
 * An output of a tool beside its result. A `file` reaches the model as its summary, a `widget` never; types
 * that an application adds do when they carry a summary.
 */
export interface SideOutput {
  type: string;
  /** Of a widget: which renderer draws it. */
  widget?: string;
  /** What the model is told of it. */
  summary?: string;
  data?: unknown;
  /** What a person reads where no renderer draws it. */
  fallback?: string;
  /** When its call ended, in milliseconds since 1970. */
  at?: number;
}

/** One task of the list that the model keeps. */
export interface Task {
  id: string;
  content: string;
  activeForm: string;
  status: TaskStatus;
}

/** How far a task is. */
export type TaskStatus = "pending" | "in_progress" | "completed";

/** Something the agent waits for from outside (an email, a build), answered by another program. */
export interface WireInboxItem {
  readonly id: string;
  readonly tag?: string;
  readonly request?: string;
  readonly response?: string | null;
  readonly status: "pending" | "resolved" | "consumed" | (string & {});
  readonly blocking?: boolean;
  readonly resolved_at?: string | number | null;
  readonly [unknown: string]: unknown;
}

/** The tokens that model calls used, and what they cost. */
export interface Usage {
  /** The whole prompt, cached parts included. */
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly reasoning_tokens?: number;
  /** In US dollars, where the provider or a price list tells it. */
  readonly cost?: number;
}

/** What a person decided about a tool; `unset` while nobody was asked. */
export type PermissionStatus = "granted" | "denied" | "unset";
