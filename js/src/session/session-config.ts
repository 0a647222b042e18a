// What a session is made of, and what of it the core is told.

import type { DisplayManagerAdapter } from "../display/manager.js";
import { transportOf } from "../models/endpoint.js";
import type { ModelAdapter } from "../models/model.js";
import type { StoreAdapter } from "../store/adapter.js";
import { after, type Maybe } from "../timing/sync-or-promise.js";
import type { ToolConfig } from "../tools/tool.js";
import type { Toolbox } from "../tools/toolbox.js";
import { counted } from "../values/validate-options.js";
import type { SessionOptions } from "../wasm/core-api.js";
import type { WhenBusy } from "./request.js";
import type { SubscriberAdapter } from "./subscriber.js";

/** When older messages give way to a summary. */
export interface CompactionConfig {
  readonly compaction_instructions?: string;
  /** Model calls in one request. */
  readonly max_turns?: number;
  /** Tokens of a prompt after which older messages are summarised. */
  readonly compaction_context_limit?: number;
  /** Summarise also after this many model calls. */
  readonly compaction_every_turns?: number;
}

/** What one request may use before it is paused, or (with `ask`) a person is asked. At most the work in flight goes over it. */
export interface Budgets {
  /** Model calls. */
  readonly turns?: number;
  readonly tool_calls?: number;
  /** Tokens in and out. */
  readonly tokens?: number;
  /** US dollars, where the model tells what it costs. */
  readonly cost?: number;
  /** Working time in milliseconds; waiting for a person does not count. A tool that runs longer is stopped, unless it is `unAbortable`. */
  readonly wall_clock_ms?: number;
  /** Ask a person whether to go on, instead of pausing. */
  readonly ask?: boolean;
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
  /** Rounds with the same calls and results, after which the run is stopped; 3 unless given, 0 for never. */
  readonly same_rounds?: number;
  /** Actions that can be taken back; 100 unless given. */
  readonly undo_steps?: number;
}

/** What may change while a session lives. */
export interface SessionConfig {
  readonly systemPrompt: string;
  readonly model: ModelAdapter;
  readonly tools?: readonly ToolConfig[] | undefined;
  readonly compaction?: CompactionConfig | undefined;
  readonly budgets?: Budgets | undefined;
  readonly limits?: Limits | undefined;
  readonly subscribers?: readonly SubscriberAdapter[] | undefined;
  /** What becomes of a message that comes while another one is answered; `queue` unless given. */
  readonly whenBusy?: WhenBusy | undefined;
}

export interface SessionParts extends SessionConfig {
  readonly sessionId: string;
  /** Without one the core keeps the session in memory, as long as the session lives. */
  readonly store: StoreAdapter;
  /** How the store's `addTokens` is called; `object` unless given. */
  readonly tokenCounterStyle?: "object" | "number" | undefined;
  /** Whether a run that was going on when its page died, or when the network was lost, goes on by itself; `auto` unless given. */
  readonly resume?: "auto" | "manual" | undefined;
  /** Whether the model gets `glove_update_tasks`: `true` also where it has no other tool, `false` never. Else it gets it beside others. */
  readonly tasks?: boolean | undefined;
  readonly displayManager?: DisplayManagerAdapter | undefined;
}

export type Told = Pick<SessionOptions, "systemPrompt" | "tools" | "compaction" | "limits" | "budgets" | "model">;

/** At once, unless a schema's converter has to be loaded. */
export function toldOf(config: SessionConfig, tools: Toolbox): Maybe<Told> {
  const { systemPrompt, model, compaction = {}, budgets, limits } = config;
  const { compaction_instructions, max_turns, compaction_context_limit, compaction_every_turns } = compaction;
  const turns = max_turns === undefined ? {} : { turns: max_turns };
  return after(tools.specs(), (specs) => ({
    systemPrompt,
    tools: specs,
    compaction: counted({
      ...(compaction_instructions !== undefined && { instructions: compaction_instructions }),
      ...(compaction_context_limit !== undefined && { context_limit: compaction_context_limit }),
      ...(compaction_every_turns !== undefined && { every_turns: compaction_every_turns }),
    }),
    limits: counted({ ...turns, ...limits }),
    budgets: budgets ?? {},
    model: transportOf(model)?.options ?? { kind: "host", name: model.name },
  }));
}
