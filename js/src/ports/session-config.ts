// What a session is made of, and how that is checked.

import { checkOptions, type Options, type OptionType } from "../values/validate-options.js";
import type { Budgets, Limits, WhenBusy } from "../wire/run-types.js";
import type { DisplayManagerAdapter } from "./display.js";
import type { Hook } from "./hook.js";
import type { Middleware } from "./middleware/middleware.js";
import type { ModelAdapter } from "./model.js";
import type { ModelPrices } from "./model-options.js";
import type { AnyPlugin } from "./plugin.js";
import type { Skill } from "./skill.js";
import type { StoreAdapter } from "./store.js";
import type { SubscriberAdapter } from "./subscriber.js";
import type { ToolConfig } from "./tool.js";

/** When a summary replaces older messages. */
export interface CompactionConfig {
  /** What the model is told when it writes the summary. */
  readonly compaction_instructions?: string;
  /** The same as `turns` of `limits`, which wins: the maximum number of model calls in one request. */
  readonly max_turns?: number;
  /** The prompt size, in tokens, above which older messages are summarised. */
  readonly compaction_context_limit?: number;
  /** Summarise also after this many model calls. */
  readonly compaction_every_turns?: number;
}

/** What may change while a session lives. */
export interface SessionConfig {
  /** What the model is told before the conversation. */
  readonly systemPrompt: string;
  /** The model that is asked. */
  readonly model: ModelAdapter;
  /** What the model may call. */
  readonly tools?: readonly ToolConfig[] | undefined;
  /** When older messages are summarised. */
  readonly compaction?: CompactionConfig | undefined;
  /** What one request may use. */
  readonly budgets?: Budgets | undefined;
  /** Limits of one request. */
  readonly limits?: Limits | undefined;
  /** What models cost, by their names, for the `cost` of prompts and budgets: it counts before what a provider says. */
  readonly prices?: ModelPrices | undefined;
  /** Hear the events of the session. */
  readonly subscribers?: readonly SubscriberAdapter[] | undefined;
  /** What tools work with, such as an API client: `display.services` of each call. It is stored nowhere. */
  readonly services?: unknown;
  /** Whose session it is: `display.userId` of each call, and `userId` of the prompts. No model reads it. */
  readonly userId?: string | undefined;
  /** What happens to a message that arrives while another one is answered; default `queue`. */
  readonly whenBusy?: WhenBusy | undefined;
  /** Other models by name, such as `high`, for prompts, plugins and tools that ask for them; `model` answers everything else. */
  readonly models?: Readonly<Record<string, ModelAdapter>> | undefined;
  /** What adds tools and context before each call of the model. */
  readonly plugins?: readonly AnyPlugin[] | undefined;
  /** What the model, or a person with `/name` in a message, may take up: `defineSkill`. */
  readonly skills?: readonly Skill[] | undefined;
  /** What is done with a message that has `/name` in it, before it is sent: `defineHook`. */
  readonly hooks?: readonly Hook[] | undefined;
  /** What stands around each call of a model and of a tool, the first outermost: `defineMiddleware`. */
  readonly middleware?: readonly Middleware[] | undefined;
}

export interface SessionParts extends SessionConfig {
  readonly sessionId: string;
  /** Without one the core keeps the session in memory, as long as the session lives. */
  readonly store: StoreAdapter;
  /** How the store's `addTokens` is called; unless given, with an object that is a number for stores that add it. */
  readonly tokenCounterStyle?: "object" | "number" | undefined;
  /** Whether a run that was interrupted by a reload or a lost connection continues by itself; default `auto`. */
  readonly resume?: "auto" | "manual" | undefined;
  /** Whether the model gets `glove_update_tasks`: `true` even without other tools, `false` never; by default, only together with other tools. */
  readonly tasks?: boolean | undefined;
  /** Keeps in memory all that a run depends on, from the opening of a session on, for `exportRun()`; default `false`. */
  readonly record?: boolean | undefined;
  readonly displayManager?: DisplayManagerAdapter | undefined;
}

/** What may happen to a message that arrives while another one is answered. */
export const whenBusyOption = "queue|drop|interrupt|steer";

const compaction: OptionType = {
  compaction_instructions: "text",
  max_turns: "count",
  compaction_context_limit: "large",
  compaction_every_turns: "count",
};

/** The options of sessions, which mean the same wherever they are given. */
export const sessionOptions = {
  systemPrompt: "text",
  model: "model",
  tools: "list",
  subscribers: "list",
  services: "any",
  userId: "text",
  compaction,
  budgets: { turns: "count", tool_calls: "count", tokens: "large", cost: "amount", wall_clock_ms: "large", ask: "flag" },
  limits: {
    turns: "count",
    calls_per_turn: "count",
    result_bytes: "count",
    error_rounds: "count",
    same_rounds: "count",
    undo_steps: "count",
  },
  prices: "prices",
  whenBusy: whenBusyOption,
  models: "object",
  plugins: "list",
  skills: "list",
  hooks: "list",
  middleware: "list",
} as const satisfies Options<SessionConfig>;

export const counterStyle = "object|number";

/** For parts that no client has checked. */
export function checkParts(parts: SessionParts): SessionParts {
  const partOptions = {
    ...sessionOptions,
    sessionId: "text",
    store: "store",
    tokenCounterStyle: counterStyle,
    resume: "auto|manual",
    tasks: "flag",
    record: "flag",
    displayManager: "any",
  } as const satisfies Options<SessionParts>;
  checkOptions(parts, partOptions);
  return parts;
}
