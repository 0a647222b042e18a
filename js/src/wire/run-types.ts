// What a run is given and what it gives.
import type { ToldFailure } from "../values/error.js";
import type { CallOutcome, Message, SideOutput, Source, Task, ToolResultData, Usage, WireInboxItem } from "./record.js";
// Written by tests/it/typescript.rs from the types of Rust; do not edit.

/** The rules of a run. */
export interface RunSettings {
  readonly tools?: readonly ToolSpec[];
  readonly compaction?: {
    readonly instructions?: string;
    /** Summarise before a model call once the last prompt had this many tokens. */
    readonly context_limit?: number;
    /** Summarise also after this many model calls since the last summary. */
    readonly every_turns?: number;
  };
  readonly limits?: Limits;
  readonly budgets?: Budgets;
}

/** What the machine needs to know of a tool to decide about its calls. */
export interface ToolSpec {
  readonly name: string;
  readonly permission?: "never" | "always" | "by_input";
  readonly approval?: "never" | "always" | "by_input";
  /** May run at the same time as its neighbours that say so too. */
  readonly parallel?: boolean;
  /** Running it again does no harm. */
  readonly idempotent?: boolean;
  /** How often a failed run is repeated; heeded only where `idempotent`. */
  readonly retries?: number;
  /** Runs to its end also when the user stops the run. */
  readonly un_abortable?: boolean;
  /** Working time after which a run is stopped, 0 for any time; waiting for a person does not count. */
  readonly timeout_ms?: number;
  /** A successful run can be taken back. */
  readonly undo?: boolean;
  /** The host adds it before a model call; in a session that is opened again it is there until then. */
  readonly added?: boolean;
  /** A part of the page brings it and takes it away: a call of it waits while it is not there. */
  readonly comes_and_goes?: boolean;
  /** It is one of those, and is not there: it stands here for its calls. */
  readonly away?: boolean;
  /** Unless given: `rerun` where `idempotent`, else `ask`. */
  readonly on_interrupted?: "rerun" | "ask" | "fail";
}

/** What no request may exceed. */
export interface Limits {
  /** Model calls in one request; 120 unless given. */
  readonly turns?: number;
  /** Calls that one answer may hold, 128 unless given; those beyond are answered with an error. */
  readonly calls_per_turn?: number;
  /** A longer tool result is cut, with a notice; 256 kB (262,144) unless given. */
  readonly result_bytes?: number;
  /** Rounds with nothing but errors, after which the model is told to stop and explain; 3 unless given, 0 for never. */
  readonly error_rounds?: number;
  /** Rounds with the same calls and results, after which the model is told to stop and explain; 3 unless given, 0 for never. */
  readonly same_rounds?: number;
  /** Actions that can be taken back; 100 unless given. With 0 none can, and the model has no `undo_last_action`. */
  readonly undo_steps?: number;
}

/** What one request may use before it is paused, or (with `ask`) a person is asked. At most the work in flight goes over it. */
export interface Budgets {
  /** Model calls. */
  readonly turns?: number;
  /** Calls of tools. */
  readonly tool_calls?: number;
  /** Tokens in and out. */
  readonly tokens?: number;
  /** US dollars, where the model tells what it costs. */
  readonly cost?: number;
  /**
   * Working time in milliseconds; waiting for a person does not count. A tool that runs longer is stopped, unless it is
   * `unAbortable`.
   */
  readonly wall_clock_ms?: number;
  /** Ask a person whether to go on, instead of pausing. */
  readonly ask?: boolean;
}

/** What becomes of a request that comes while another one runs. */
export type WhenBusy =
  | "queue"
  | "drop"
  | "interrupt"
  /** Read by the request that runs before its next model call; begun next where there is none. */
  | "steer";

/** What can happen to a run. */
export type RunInput =
  /** A person (or a program in their place) asks for something. */
  | {
      readonly type: "request";
      /** Unique over all sessions: ids of messages, calls and questions are made from it. */
      readonly id: string;
      readonly message: Message;
      readonly when_busy?: WhenBusy;
      /** Nothing new is asked: the last message of a person is answered again, and the message is ignored. */
      readonly regenerate?: boolean;
      /** The person's message in whose place this one is said. */
      readonly edits?: string;
      /** Inbox items that were resolved since the last request, and those that block until they are. */
      readonly inbox?: readonly WireInboxItem[];
    }
  | { readonly type: "model_finished"; readonly call: number; readonly reply: RunReply }
  /** No answer. `partial` is the text that had been shown. */
  | { readonly type: "model_failed"; readonly call: number; readonly error: Pick<RunModelError, "kind" | "message"> & Partial<RunModelError>; readonly partial: string }
  /** The text of an answer so far, when the page may be gone in a moment; of a long one what is new, behind the first `from` bytes. */
  | { readonly type: "model_partial"; readonly call: number; readonly text: string; readonly from?: number }
  | { readonly type: "compacted"; readonly call: number; readonly reply: RunReply; readonly carry: { readonly tasks?: readonly Task[]; readonly inbox?: readonly WireInboxItem[] } }
  | { readonly type: "permission_checked"; readonly call_id: string; readonly verdict: "not_needed" | "granted" | "denied" | "unset" | { readonly invalid: readonly Issue[] } | { readonly failed: string } }
  | { readonly type: "approval_checked"; readonly call_id: string; readonly verdict: "not_needed" | { readonly needed: { readonly reason?: string } } | "changed" | { readonly invalid: readonly Issue[] } | { readonly failed: string } }
  /**
   * What its tool's schema has made of a call's arguments, where that is something else than the model sent. From now on
   * it is what is shown, judged and run.
   */
  | { readonly type: "validated"; readonly call_id: string; readonly validated: Validated }
  /** What the decision about a call rests on: the host said this of it when it was looked at. */
  | { readonly type: "judged"; readonly call_id: string; readonly judged: unknown }
  | { readonly type: "answered"; readonly question: string; readonly answer: { readonly allow: { readonly remember: boolean } } | { readonly deny: { readonly remember: boolean; readonly reason?: string } } }
  | { readonly type: "tool_finished"; readonly call_id: string; readonly outcome: { readonly returned: { readonly result: ToolResultData; readonly outputs: readonly SideOutput[] } } | { readonly summing: { readonly result: ToolResultData; readonly outputs: readonly SideOutput[] } } | { readonly summed: string | null } | { readonly invalid: readonly Issue[] } | "changed" | "timed_out" | { readonly threw: string } | { readonly rejected: string | null } }
  /**
   * A running tool shows something, again or for the first time. `at` counts what it has shown before;
   * `deterministic` says that it did nothing else since it was last told something.
   */
  | { readonly type: "slot_pushed"; readonly call_id: string; readonly at: number; readonly slot: CoreSlot; readonly clean: boolean }
  /** A question of a running tool has an answer, or will have none. */
  | { readonly type: "slot_settled"; readonly slot: string; readonly answer: { readonly value: unknown } | "withheld" | { readonly rejected: string | null } | "removed" | "cleared" }
  /** These are not on the display any more. */
  | { readonly type: "slots_removed"; readonly slots: readonly string[] }
  | { readonly type: "step_begun"; readonly call_id: string; readonly key: string; readonly clean: boolean }
  | { readonly type: "step_done"; readonly call_id: string; readonly key: string; readonly result: { readonly returned: unknown } | { readonly threw: string } }
  /** A tool works, while all that is known of it is that it waits. */
  | { readonly type: "unseen_work"; readonly call_id: string }
  /** A tool that was entered again does not ask what it asked before. */
  | { readonly type: "went_astray"; readonly call_id: string }
  /** Take back the last `steps` actions. */
  | { readonly type: "undo"; readonly request: string; readonly steps: number }
  /** Show the branch that has this message, and go on from there. */
  | { readonly type: "switch"; readonly request: string; readonly message: string }
  /** A request that waits for its turn is not wanted any more. */
  | { readonly type: "queued_cancelled"; readonly request: string }
  /**
   * A request that waits comes in front of another that does. Without `before` the request that runs reads it before its next
   * model call.
   */
  | { readonly type: "queued_moved"; readonly request: string; readonly before?: string }
  | { readonly type: "undo_finished"; readonly call_id: string; readonly error?: string }
  | { readonly type: "timer_fired"; readonly timer: number }
  | { readonly type: "store_failed"; readonly error: { readonly kind: "unavailable" | "quota" | "newer" | "corrupt" | "lost" | "conflict" | "failed"; readonly message: string } }
  /** Tools, limits or the model changed; they hold from the next decision on. */
  | {
      readonly type: "configured";
      readonly settings: RunSettings;
      /** `Recovered` follows, which tells what was cut off from what never began: nothing begins before it. */
      readonly before_recovered?: boolean;
    }
  /** What plugins of the host keep from now on: all of it. */
  | { readonly type: "plugins_changed"; readonly states: unknown }
  /** What the page tells the model of itself, from now on and up to the end of the request. */
  | { readonly type: "context_set"; readonly text: string }
  /** The process that ran this is gone; another one has taken the run over. */
  | { readonly type: "recovered" }
  /** Go on after a pause. */
  | { readonly type: "resumed" }
  | { readonly type: "aborted"; readonly why: "user" | "host_gone" };

/** One thing that is wrong with a value, and where. */
export interface Issue {
  /** Object keys as strings, array indexes as numbers. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A model's finished answer. */
export interface RunReply {
  readonly messages: readonly Message[];
  readonly usage?: Usage;
  readonly stop_reason?: string;
  /** The text was shown as it came. */
  readonly streamed?: boolean;
}

/** Why a model call gave no answer. */
export interface RunModelError {
  readonly kind: "network" | "cut" | "timeout" | "authentication" | "rate_limit" | "overloaded" | "bad_request" | "too_large" | "context_length" | "server" | "bad_response" | "config" | "adapter" | "plugin";
  /** What an endpoint calls the failure, where that is more than the kind says. */
  readonly code?: string;
  readonly message: string;
  readonly status?: number;
  /** It is asked again by itself. */
  readonly retryable: boolean;
  /** It may pass: the same request may be answered later, whoever asks then. */
  readonly transient?: boolean;
  /** How long the server asks to wait. */
  readonly retry_after_ms?: number;
  readonly request_id?: string;
  /** What the provider calls it, in its own letters: `insufficient_quota`. */
  readonly provider_code?: string;
  /** It is a picture or a file that the provider refused. */
  readonly media?: boolean;
}

/** Arguments as a tool gets them. */
export interface Validated {
  readonly input: unknown;
  /**
   * JSON holds all of it. Else (a date, a map) it is made again from what the model sent when its process is gone, and is
   * the same if it looks the same.
   */
  readonly exact?: boolean;
}

/** One thing that is shown. */
export interface CoreSlot {
  readonly id: string;
  /** Which renderer draws it. */
  readonly renderer: string;
  readonly input: unknown;
  /** The call that pushed it. */
  readonly owner?: string;
  /** Somebody waits for an answer. */
  readonly waits: boolean;
  readonly created_at: number;
  readonly status: "pending" | "resolved" | "rejected";
  /** What was answered, unless it is a secret. */
  readonly answer?: unknown;
}

/** Something that only a person can decide. */
export interface CoreQuestion {
  readonly id: string;
  readonly kind: "permission" | "approval" | "interrupted" | "budget";
  readonly call_id?: string;
  readonly tool_name?: string;
  /** The call's arguments, as they will be used. */
  readonly input?: unknown;
  readonly reason?: string;
  /** What the host said of the call when it was looked at, and what a decision rests on. */
  readonly judged?: unknown;
  readonly asked_at: number;
}

/** What stopped or paused a run: a budget, or a rule against going in circles. */
export type RunRule = "turns" | "error_rounds" | "repetition" | "tool_calls" | "tokens" | "cost" | "wall_clock";

/** One entry, in the original's form with fields added. Its texts are those of the record. */
export type CoreEntry =
  | {
      readonly kind: "user";
      readonly id: string;
      readonly text: string;
      readonly images?: readonly string[];
      /** What else came with it; the size is in bytes. */
      readonly files?: readonly { readonly name: string; readonly type: string; readonly size: number }[];
      /** The model does not read what came with it. */
      readonly leftOut?: boolean;
      /** When it was written. */
      readonly at?: number;
      /** Its request ended here with this error, and another one was served then. */
      readonly error?: CoreEntryError;
      /** Others that stand in its place on other branches. */
      readonly branches?: MessageBranches;
    }
  | {
      readonly kind: "agent_text";
      readonly id: string;
      readonly text: string;
      /** The answer was cut off here. */
      readonly partial?: boolean;
      /** By the person, or by what they said next. */
      readonly stopped?: boolean;
      /** It ends where the model may write no more, and can be gone on with. */
      readonly atLimit?: boolean;
      /** What the model thought before it. */
      readonly reasoning?: string;
      /** When it was written. */
      readonly at?: number;
      /** Where it says that it comes from: what it has is the model's. */
      readonly sources?: readonly Source[];
      /** Its request ended here with this error, and another one was served then. */
      readonly error?: CoreEntryError;
      /** Other answers in its place. */
      readonly branches?: MessageBranches;
    }
  | {
      readonly kind: "tool";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly status: "running" | "pending" | "success" | "error" | "aborted";
      /** It has not begun: others of its answer come before it. */
      readonly queued?: boolean;
      /** Its tool is not in the page: it waits for the component that brings it, and Stop ends it. */
      readonly away?: boolean;
      /** What the tool gave, as text: the data as it is or as JSON, or the error. */
      readonly output?: string;
      /** Why there is no result of the tool's own. */
      readonly outcome?: CallOutcome;
      readonly renderData?: unknown;
      readonly durationMs?: number;
      /** What it showed beside its result: files, widgets and types of the application. */
      readonly outputs?: readonly SideOutput[];
      /** It was taken back. */
      readonly undone?: boolean;
      /** What the model thought before it, when it said nothing. */
      readonly reasoning?: string;
      /** Other answers in its place, where it begins one. */
      readonly branches?: MessageBranches;
    }
  /** Here older messages were summarised for the model. They are all still there. */
  | { readonly kind: "compaction"; readonly id: string; readonly text: string };

/** As the end of its request told it. */
export interface CoreEntryError {
  readonly code: string;
  readonly message: string;
  /** What is known of the call of the model; it lacks what is false. */
  readonly model: ToldFailure;
}

/** One request and everything that came of it. */
export interface PromptRecord {
  readonly id: string;
  /** What a person wrote; a prompt that nobody wrote has none. */
  readonly input?: string;
  /** Why a prompt without a person began. */
  readonly reason?: string;
  /** Whether a person sees it; what it asks a person is seen in any case. */
  readonly visible: boolean;
  readonly outputs: readonly PromptOutput[];
  readonly state: "running" | "waiting_for_approval" | "completed";
  /** Of all its model calls: summaries, and agents that it called, included. */
  readonly usage: Usage;
  /** When it began, in milliseconds since 1970. */
  readonly at?: number;
  /** What the record has of it, word for word: those of all prompts, one after the other, are the record. */
  readonly messages: readonly Message[];
  readonly [unknown: string]: unknown;
}

/** One thing that came of a prompt. What is no text and no call was shown by a tool. */
export type PromptOutput =
  | PromptText
  | PromptToolCall
  | SideOutput;

/** What the model said. */
export interface PromptText {
  readonly type: "text";
  readonly text: string;
  /** The answer was cut off here. */
  readonly partial?: boolean;
  /** When it was written, in milliseconds since 1970. */
  readonly at?: number;
}

/** A call of a tool, with its result in its place from the start. */
export interface PromptToolCall {
  readonly type: "tool";
  readonly call_id: string;
  readonly tool_name: string;
  readonly input: unknown;
  readonly result: { readonly type: "success"; readonly output: unknown } | { readonly type: "error"; readonly error: unknown } | { readonly type: "pending"; readonly reason: string };
  /** When the model called it, in milliseconds since 1970. */
  readonly at?: number;
  /** How long the tool ran. */
  readonly duration_ms?: number;
}

/** What stands in the same place on different branches, the oldest first. */
export interface MessageBranches {
  /** Which of them is read. */
  readonly index: number;
  /** The first message of each. */
  readonly ids: readonly string[];
}

/** What a run is doing, in one word. */
export type CorePhase =
  | "idle"
  | "model"
  | "compacting"
  | "tools"
  /** Nothing can go on before a person answers. */
  | "waiting"
  | "undoing"
  | "paused";

/** What a run asks for. */
export type RunEffect =
  /** Store `snapshot()` before doing what comes after this. */
  | { readonly type: "persist"; readonly strict: boolean }
  /** Ask the model with `modelRequest()` for an answer. */
  | { readonly type: "call_model"; readonly call: number }
  /** Ask the model with `modelRequest()` for a summary. */
  | { readonly type: "compact"; readonly call: number }
  | { readonly type: "check_permission"; readonly call_id: string; readonly tool_name: string; readonly input: unknown }
  | { readonly type: "check_approval"; readonly call_id: string; readonly tool_name: string; readonly input: unknown }
  | { readonly type: "remember_permission"; readonly call_id: string; readonly granted: boolean }
  | { readonly type: "run_tool"; readonly call_id: string; readonly tool_name: string; readonly input: unknown; readonly attempt: number }
  | { readonly type: "run_undo"; readonly call_id: string; readonly tool_name: string; readonly input: unknown }
  /** Show a question to a person. */
  | { readonly type: "ask"; readonly id: string; readonly question: CoreQuestion }
  | { readonly type: "withdraw"; readonly id: string }
  | { readonly type: "cancel_model"; readonly call: number }
  | { readonly type: "cancel_tool"; readonly call_id: string }
  | { readonly type: "go_on"; readonly call_id: string; readonly key: string }
  | { readonly type: "set_timer"; readonly timer: number; readonly after_ms: number }
  | { readonly type: "consume_inbox"; readonly ids: readonly string[] }
  /** What subscribers are told. */
  | { readonly type: "event"; readonly event: { readonly type: string; readonly data: unknown } }
  /** A request has come to its end or to a stop. */
  | ({ readonly type: "finish" } & RunFinish);

/** How a run ended. */
export type RunFinish =
  | { readonly outcome: "completed"; readonly request: string; readonly reply: RunReply }
  | { readonly outcome: "undone"; readonly request: string; readonly steps: number; readonly error: string | null }
  | { readonly outcome: "switched"; readonly request: string }
  | { readonly outcome: "aborted"; readonly request: string }
  | { readonly outcome: "dropped"; readonly request: string }
  | { readonly outcome: "paused"; readonly request: string; readonly rule: RunRule; readonly message: string }
  | { readonly outcome: "model_failed"; readonly request: string; readonly error: RunModelError }
  | { readonly outcome: "store_failed"; readonly request: string; readonly error: { readonly kind: "unavailable" | "quota" | "newer" | "corrupt" | "lost" | "conflict" | "failed"; readonly message: string } };
