// The machine alone: what happened goes in, what is to be done comes out. It does nothing itself, so it runs anywhere.
import { GloveError } from "../error.js";
import type { Message, SideOutput, Task, ToolResultData, Usage } from "../message.js";
import type { InboxItem } from "../store/adapter.js";
import type { Issue } from "../tools/schema-types.js";
import type { CoreQuestion, CoreSlot, SessionOptions, ToolSpec } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import { CoreRun } from "../wasm/generated/glove_wasm.js";
import type { Core } from "../wasm/sessions.js";
import type { Budgets, Limits } from "./budgets.js";
import type { WhenBusy } from "./request.js";

/** What the rules of a run are. */
export interface RunSettings {
  readonly tools?: readonly Omit<ToolSpec, "description" | "schema">[];
  readonly compaction?: SessionOptions["compaction"];
  readonly limits?: Limits;
  readonly budgets?: Budgets;
}

/** A model's whole answer. */
export interface RunReply {
  readonly messages: readonly Message[];
  readonly usage?: Usage;
  readonly stop_reason?: string;
  readonly streamed?: boolean;
}

/** What can happen to a run. */
export type RunInput =
  /** `id` is one that was never used before. */
  | {
      readonly type: "request";
      readonly id: string;
      readonly message: Message;
      readonly when_busy?: WhenBusy;
      /** The last message of a person is answered again, and `message` counts for nothing. */
      readonly regenerate?: boolean;
      readonly inbox?: readonly InboxItem[];
    }
  | { readonly type: "model_finished"; readonly call: number; readonly reply: RunReply }
  | {
      readonly type: "model_failed";
      readonly call: number;
      readonly error: Pick<RunModelError, "kind" | "message"> & Partial<RunModelError>;
      readonly partial: string;
    }
  | { readonly type: "model_partial"; readonly call: number; readonly text: string }
  | {
      readonly type: "compacted";
      readonly call: number;
      readonly reply: RunReply;
      readonly carry: { readonly tasks?: readonly Task[]; readonly inbox?: readonly InboxItem[] };
    }
  | {
      readonly type: "permission_checked";
      readonly call_id: string;
      readonly verdict:
        | "not_needed"
        | "granted"
        | "denied"
        | "unset"
        | { readonly invalid: readonly Issue[] }
        | { readonly failed: string };
    }
  | {
      readonly type: "approval_checked";
      readonly call_id: string;
      readonly verdict:
        | "not_needed"
        | { readonly needed: { readonly reason?: string } }
        | "changed"
        | { readonly invalid: readonly Issue[] }
        | { readonly failed: string };
    }
  /** What a tool's schema made of a call's arguments, where that is something else than the model sent. */
  | {
      readonly type: "validated";
      readonly call_id: string;
      readonly validated: { readonly input: unknown; readonly exact?: boolean };
    }
  | {
      readonly type: "answered";
      readonly question: string;
      readonly answer:
        | { readonly allow: { readonly remember: boolean } }
        | { readonly deny: { readonly remember: boolean; readonly reason?: string } };
    }
  | {
      readonly type: "tool_finished";
      readonly call_id: string;
      readonly outcome:
        | { readonly returned: { readonly result: ToolResultData; readonly outputs: readonly SideOutput[] } }
        /** The result is there, and its summary comes with another `tool_finished`: `summed`. */
        | { readonly summing: { readonly result: ToolResultData; readonly outputs: readonly SideOutput[] } }
        | { readonly summed: string | null }
        | { readonly invalid: readonly Issue[] }
        /** The arguments cannot be made again as they were allowed; the tool did not run. */
        | "changed"
        /** It was stopped after its time limit. */
        | "timed_out"
        | { readonly threw: string }
        | { readonly rejected: string | null };
    }
  /**
   * A running tool shows something: `at` counts what it has shown before, and `clean` says that it did nothing else since it was last
   * told something.
   */
  | {
      readonly type: "slot_pushed";
      readonly call_id: string;
      readonly at: number;
      readonly slot: CoreSlot;
      readonly clean: boolean;
    }
  | {
      readonly type: "slot_settled";
      readonly slot: string;
      readonly answer: { readonly value: unknown } | "withheld" | { readonly rejected: string | null } | "removed" | "cleared";
    }
  | { readonly type: "slots_removed"; readonly slots: readonly string[] }
  | { readonly type: "step_begun"; readonly call_id: string; readonly key: string; readonly clean: boolean }
  | {
      readonly type: "step_done";
      readonly call_id: string;
      readonly key: string;
      readonly result: { readonly returned: unknown } | { readonly threw: string };
    }
  /** A tool works, while all that is known of it is that it waits. */
  | { readonly type: "unseen_work"; readonly call_id: string }
  /** A tool that was entered again does not ask what it asked before. */
  | { readonly type: "went_astray"; readonly call_id: string }
  | { readonly type: "undo"; readonly request: string; readonly steps: number }
  | { readonly type: "undo_finished"; readonly call_id: string; readonly error?: string }
  | { readonly type: "queued_cancelled"; readonly request: string }
  | { readonly type: "timer_fired"; readonly timer: number }
  | { readonly type: "store_failed"; readonly error: { readonly kind: string; readonly message: string } }
  | { readonly type: "configured"; readonly settings: RunSettings }
  /** The process that ran this is gone, and this one has taken it over. */
  | { readonly type: "recovered" }
  /** Go on after a pause or a failure. */
  | { readonly type: "resumed" }
  | { readonly type: "aborted"; readonly why: "user" | "host_gone" };

interface OfCall {
  readonly call_id: string;
  readonly tool_name: string;
  readonly input: unknown;
}

/** What a run asks for. */
export type RunEffect =
  /** Store `snapshot()` before doing what comes after this. */
  | { readonly type: "persist"; readonly strict: boolean }
  /** Ask the model with `modelRequest()`: for an answer, or for a summary. */
  | { readonly type: "call_model" | "compact"; readonly call: number }
  | ({ readonly type: "check_permission" | "check_approval" | "run_undo" } & OfCall)
  | ({ readonly type: "run_tool"; readonly attempt: number } & OfCall)
  | { readonly type: "remember_permission"; readonly call_id: string; readonly granted: boolean }
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
  | RunFinish;

/** Why a model gave no answer. */
export interface RunModelError {
  readonly kind: string;
  /** What a chat endpoint calls the failure, where that is more than the kind says. */
  readonly code?: string;
  readonly message: string;
  /** The HTTP status, where there is one. */
  readonly status?: number;
  /** It is asked again by itself. */
  readonly retryable: boolean;
  /** It may pass: the same request may be answered later. */
  readonly transient?: boolean;
  readonly retry_after_ms?: number;
  /** The provider's name for the request. */
  readonly request_id?: string;
  /** What the provider calls the failure, in its own letters. */
  readonly provider_code?: string;
  /** It is a picture or a file that the provider refused. */
  readonly media?: boolean;
}

/** How a run ended. */
export type RunFinish = { readonly type: "finish"; readonly request: string } & (
  | { readonly outcome: "completed"; readonly reply: RunReply }
  | { readonly outcome: "undone"; readonly steps: number; readonly error: string | null }
  | { readonly outcome: "paused"; readonly rule: string; readonly message: string }
  | { readonly outcome: "model_failed"; readonly error: RunModelError }
  | { readonly outcome: "store_failed"; readonly error: { readonly kind: string; readonly message: string } }
  | { readonly outcome: "aborted" | "dropped" }
);

/**
 * One conversation's state machine, for programs that drive it themselves: in a worker, on a server, in a test. It reads no
 * clock, makes no ids and does no IO. Sessions are this with a driver around it.
 */
export class Run {
  readonly #run: CoreRun;

  /** A new run over messages that were there before, or one that `snapshot` gave. The core has to be started (`init()`). */
  constructor(core: Core, settings: RunSettings | undefined, messages: readonly Message[] | undefined, snapshot?: string) {
    core.now();
    const stored = snapshot === undefined ? undefined : readSnapshot(snapshot);
    this.#run = called(
      () => new CoreRun(JSON.stringify(settings ?? {}), JSON.stringify(stored?.messages ?? messages ?? []), stored?.checkpoint),
    );
  }

  /** Takes in one thing that happened. What does not fit changes nothing and throws `OUT_OF_PROTOCOL`. */
  step({ type, ...rest }: RunInput, at: number = Date.now()): RunEffect[] {
    const input = Object.keys(rest).length ? { [type]: rest } : type;
    return JSON.parse(called(() => this.#run.step(at, JSON.stringify(input)))) as RunEffect[];
  }

  /** What a run that was restored waits for, to be done again. */
  outstanding(): RunEffect[] {
    return JSON.parse(this.#run.outstanding()) as RunEffect[];
  }

  /** All of it as text. */
  snapshot(): string {
    return JSON.stringify({ checkpoint: this.#run.checkpoint(), messages: this.messages });
  }

  get messages(): Message[] {
    return JSON.parse(this.#run.messages()) as Message[];
  }

  /** What the model is to be sent for the call that is being made. */
  modelRequest(): Message[] {
    return JSON.parse(this.#run.modelRequest()) as Message[];
  }

  get phase(): "idle" | "model" | "compacting" | "tools" | "waiting" | "undoing" | "paused" {
    return this.#run.phase() as Run["phase"];
  }

  /** Lets go of its memory; it can be used no more. */
  dispose(): void {
    this.#run.free();
  }
}

function called<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw fromCore(thrown);
  }
}

function readSnapshot(text: string): { readonly checkpoint: string; readonly messages: readonly Message[] } {
  try {
    const { checkpoint, messages } = JSON.parse(text) as Record<string, unknown>;
    if (typeof checkpoint === "string" && Array.isArray(messages)) return { checkpoint, messages };
  } catch {
    // Told below.
  }
  throw new GloveError("STORE_CORRUPT", "This is no snapshot of a run; give what `snapshot()` gave.");
}
