// What crosses between the core and the page.
import type { ToldFailure } from "../values/error.js";
import type { Usage } from "./record.js";
import type { Budgets, CoreEntry, CorePhase, CoreQuestion, CoreSlot, Limits, RunReply, RunRule } from "./run-types.js";
// Written by tests/it/typescript.rs from the types of Rust; do not edit.

/** What a session is made of, as JSON text for `new CoreSession(options, host)`. */
export interface SessionOptions {
  readonly sessionId: string;
  readonly systemPrompt: string;
  readonly tools: readonly PageTool[];
  readonly compaction?: {
    readonly instructions?: string;
    /** Summarise before a model call once the last prompt had this many tokens. */
    readonly context_limit?: number;
    /** Summarise also after this many model calls since the last summary. */
    readonly every_turns?: number;
  };
  readonly limits?: Limits;
  readonly budgets?: Budgets;
  /** What models cost. */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  readonly model: ModelOptions;
  readonly keeps?: { readonly tasks?: boolean; readonly inbox?: boolean; readonly permissions?: boolean };
  readonly resume?: "auto" | "manual";
  /** Whether the model gets a task list in any case, or in none; else it gets one beside other tools. */
  readonly tasks?: boolean;
  /** Keeps every input, for `recorded`. */
  readonly record?: boolean;
}

/** Where the model is. */
export type ModelOptions =
  /** In the page: `host.prompt`. */
  | { readonly host: { readonly name: string } }
  /** Behind HTTP: `host.fetch`. */
  | { readonly http: HttpModelOptions };

/** An endpoint. */
export interface HttpModelOptions {
  readonly name: string;
  readonly url: string;
  /** Earlier reasoning is sent back; without it none ever leaves. */
  readonly reasoning?: boolean;
  readonly policy?: {
    /** How often a call is repeated after a failure that may pass. */
    readonly maxRetries?: number;
    /** Until the first byte of a streamed answer. */
    readonly firstByteMs?: number;
    /**
     * Between two pieces of the answer or other events of its own; keep-alive pings of a provider do not count, those
     * of a chat handler do.
     */
    readonly idleMs?: number;
    /** For one attempt in all. */
    readonly totalMs?: number;
    /** How much text and arguments an answer may have. No model writes so much: what does is broken, and would fill the memory. */
    readonly answerBytes?: number;
  };
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  /** Of the prompt. */
  readonly input: number;
  /** Of the answer, thoughts included. */
  readonly output: number;
  /** Of what was read from a cache; like `input` unless given. */
  readonly cacheRead?: number;
  /** Of what was written into a cache; like `input` unless given. */
  readonly cacheWrite?: number;
}

/** A tool of the page: what the core needs to know of it, and what a model is told. */
export interface PageTool {
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
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly schema: unknown;
}

/** One entry of a batch of `events`. */
export type CoreEvent =
  /** An event for subscribers: `record(type, data)`. */
  | { readonly kind: "event"; readonly request: string | null; readonly type: string; readonly data: unknown }
  /** A change of the timeline. */
  | { readonly kind: "timeline"; readonly len: number; readonly set: readonly (readonly [number, readonly CoreEntry[]])[] }
  /** More of the arguments that a model writes. */
  | { readonly kind: "input"; readonly id: string; readonly name: string; readonly patches: readonly InputPatch[] }
  /** The display stack, whole. */
  | { readonly kind: "slots"; readonly slots: readonly CoreSlot[] }
  /** A request came to its end or to a stop, with the error that its promise has. Without a name, all that waited. */
  | { readonly kind: "ended"; readonly request: string | null; readonly error: CoreError | null }
  /** Where the run is; sent when any of it changed. */
  | {
      readonly kind: "state";
      readonly phase: CorePhase | "interrupted";
      readonly request: string | null;
      readonly queue: readonly {
        readonly id: string;
        readonly text: string;
        /** How many images and files it has. */
        readonly files: number;
        /** No person sees it. */
        readonly hidden?: boolean;
        /** The request that runs reads it before its next model call. */
        readonly steers?: boolean;
      }[];
      readonly questions: readonly CoreQuestion[];
      /** The next one first. */
      readonly undoable: readonly { readonly toolCallId: string; readonly toolName: string }[];
      readonly turns: number;
      readonly usage: Usage;
      readonly contextTokens: number;
      /** At so many older messages are summarised. */
      readonly contextLimit: number;
      /** The request is of a prompt that no person sees. */
      readonly hidden?: boolean;
    };

/** A change at a JSON Pointer: `=` begins there with an empty value, `+` adds text, `!` is a whole value, `.` an end. */
export type InputPatch = readonly [path: string, mark: "=" | "+" | "!" | ".", value: unknown];

/** How a request ended or stopped. What was refused is thrown. */
export type CoreOutcome =
  | { readonly outcome: "completed"; readonly reply: Required<Pick<RunReply, "messages" | "usage">> }
  | { readonly outcome: "undone"; readonly steps: number; readonly error?: string }
  | { readonly outcome: "switched" }
  | { readonly outcome: "dropped" }
  | { readonly outcome: "aborted" }
  | { readonly outcome: "failed"; readonly error: CoreError }
  | { readonly outcome: "paused"; readonly rule: RunRule; readonly message: string }
  | { readonly outcome: "waiting"; readonly questions: readonly CoreQuestion[] };

/** An error of the core; one that refuses what was asked is thrown in this form. */
export interface CoreError {
  readonly code: string;
  readonly message: string;
  /** What is known of a call of a model; it lacks what is false. */
  readonly model?: ToldFailure;
}

/** `begins`: the step is to be done now, under this key. Else what came of it before. */
export interface CoreStep {
  readonly begins?: string;
  readonly returned?: unknown;
  readonly threw?: string;
}
