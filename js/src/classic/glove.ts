// The builder of agents: fold tools in, build, ask.

import { DisplayManager } from "../display/manager.js";
import type { Core } from "../ports/core.js";
import type { DisplayManagerAdapter } from "../ports/display.js";
import type { ModelAdapter, ModelPromptResult } from "../ports/model.js";
import type { ModelPrices } from "../ports/model-options.js";
import type { CompactionConfig } from "../ports/session-config.js";
import { checkParts, counterStyle, sessionOptions } from "../ports/session-config.js";
import type { StoreAdapter } from "../ports/store.js";
import type { SubscriberAdapter } from "../ports/subscriber.js";
import type { IGloveRunnable, ToolConfig, ToolDisplay } from "../ports/tool.js";
import { replaceTools, runnableOf } from "../session/runnable.js";
import { GloveSession } from "../session/session.js";
import { MemoryStore } from "../store/memory.js";
import { duplicateName } from "../tools/combined-tools.js";
import { checkTool } from "../tools/options.js";
import { GloveError } from "../values/error.js";
import { generateSessionId } from "../values/ids.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { ContentPart } from "../wire/record.js";
import type { Budgets, Limits } from "../wire/run-types.js";

/** What an agent is built from. */
export interface GloveConfig {
  /** Kept in memory unless given. */
  readonly store?: StoreAdapter;
  /** The model that is asked. */
  readonly model: ModelAdapter;
  /** Holds what tools show; default: one of its own. */
  readonly displayManager?: DisplayManagerAdapter;
  /** What the model is told before the conversation. */
  readonly systemPrompt: string;
  /** When older messages are summarised. */
  readonly compaction_config?: CompactionConfig;
  /** How often a failed run of an idempotent tool is repeated, for tools that do not say it themselves. */
  readonly maxRetries?: number;
  /** Rounds with nothing but errors, after which the model is told to stop; 3 unless given. */
  readonly maxConsecutiveErrors?: number;
  /** What one request may use. */
  readonly budgets?: Budgets;
  /** Limits of one request. */
  readonly limits?: Limits;
  /** What models cost, by their names, for the `cost` of prompts and budgets: it counts before what a provider says. */
  readonly prices?: ModelPrices;
  /** Whether the model gets `glove_update_tasks`: `true` even without other tools, `false` never; by default, only together with other tools. */
  readonly tasks?: boolean;
  /** Whether the store's `addTokens` takes a number or an object. */
  readonly tokenCounterStyle?: "object" | "number";
}

const agentOptions = {
  store: "store",
  model: sessionOptions.model,
  displayManager: "any",
  systemPrompt: sessionOptions.systemPrompt,
  compaction_config: sessionOptions.compaction,
  maxRetries: "whole",
  maxConsecutiveErrors: "count",
  budgets: sessionOptions.budgets,
  limits: sessionOptions.limits,
  prices: sessionOptions.prices,
  tasks: "flag",
  tokenCounterStyle: counterStyle,
} as const satisfies Options<GloveConfig>;

const moved = {
  serverMode: "Leave it out: the same agent runs on a server.",
  enableToolResultSummary: "Leave it out: a tool's `generateToolSummary` is enough.",
  compaction: "Use `compaction_config`.",
  subscribers: "Pass them to `addSubscriber`.",
  tools: "Pass them to `fold`.",
};

/** A tool as it is folded in; see `ToolConfig`. */
export interface GloveFoldArgs<I = unknown> extends Omit<ToolConfig<I>, "do"> {
  do(input: I, display: DisplayManagerAdapter & ToolDisplay, glove?: IGloveRunnable, signal?: AbortSignal): unknown;
}

/** Takes tools and settings, and builds an agent. */
export interface IGloveBuilder {
  /** Adds a tool; before or after `build`. Refuses a name that is taken. */
  fold<I>(args: GloveFoldArgs<I>): this;
  addSubscriber(subscriber: SubscriberAdapter): this;
  removeSubscriber(subscriber: SubscriberAdapter): this;
  /** Makes the agent ready. The store is used when none was given before. */
  build(store?: StoreAdapter): this & IGloveRunnable;
}

/** An agent: a model, tools and a store, folded into one. Nothing starts before it is asked. */
export class Glove implements IGloveBuilder, IGloveRunnable {
  readonly #core: Core;
  #config: GloveConfig;
  #tools: readonly ToolConfig[] = [];
  #subscribers: readonly SubscriberAdapter[] = [];
  #session: GloveSession | undefined;
  readonly #display: DisplayManagerAdapter;

  constructor(config: GloveConfig, core: Core) {
    checkOptions(config, agentOptions, { moved });
    check("`model`", config?.model, "model");
    this.#config = config;
    this.#core = core;
    this.#display = config.displayManager ?? new DisplayManager();
  }

  fold<I>(args: GloveFoldArgs<I>): this {
    checkTool(args);
    if (!args.inputSchema && !args.jsonSchema) {
      throw new GloveError("TOOL_INVALID", `The tool "${args.name}" has no schema: give it \`inputSchema\` or \`jsonSchema\`.`);
    }
    check("`name` of a tool", args.name, "text", "TOOL_INVALID");
    if (this.tools.some(({ name }) => name.toLowerCase() === args.name.toLowerCase())) throw duplicateName(args.name);
    const { maxRetries } = this.#config;
    const tool = args as unknown as ToolConfig;
    this.#setTools([...this.tools, maxRetries === undefined ? tool : { maxRetries, ...tool }]);
    return this;
  }

  addSubscriber(subscriber: SubscriberAdapter): this {
    this.#subscribers = [...this.#subscribers, subscriber];
    this.#session?.addSubscriber(subscriber);
    return this;
  }

  removeSubscriber(subscriber: SubscriberAdapter): this {
    this.#subscribers = this.#subscribers.filter((other) => other !== subscriber);
    this.#session?.removeSubscriber(subscriber);
    return this;
  }

  build(store?: StoreAdapter): this & IGloveRunnable {
    const kept = this.#config.store ?? store ?? new MemoryStore(generateSessionId());
    this.#config = { ...this.#config, store: kept };
    this.#session ??= this.#make(kept);
    return this;
  }

  /** Builds anew, over another store when one is given. What ran in the agent before is let go. */
  rebuild(store?: StoreAdapter): this & IGloveRunnable {
    this.#session?.dispose();
    this.#session = undefined;
    if (store) this.#config = { ...this.#config, store };
    return this.build();
  }

  /** The session under the agent, for all that an agent does not have by itself. */
  get session(): GloveSession {
    if (!this.#session) throw new GloveError("NOT_BUILT", "Call build before processRequest");
    return this.#session;
  }

  async processRequest(request: string | readonly ContentPart[], signal?: AbortSignal): Promise<ModelPromptResult> {
    return runnableOf(this.session).processRequest(request, signal);
  }

  async undo(steps?: number): Promise<number> {
    return runnableOf(this.session).undo(steps);
  }

  setModel(model: ModelAdapter): void {
    this.#config = { ...this.#config, model: check("`model`", model, "model") };
    model.setSystemPrompt(this.systemPrompt);
    this.#session?.configure({ model });
  }

  setSystemPrompt(systemPrompt: string): void {
    this.#config = { ...this.#config, systemPrompt: check("`systemPrompt`", systemPrompt, "text") };
    this.#session?.configure({ systemPrompt });
  }

  getSystemPrompt(): string {
    return this.systemPrompt;
  }

  replaceTools(previous: readonly string[], next: readonly ToolConfig[]): void {
    this.#setTools(replaceTools(this.tools, previous, next));
  }

  /** Lets go of everything; what is stored stays. */
  dispose(): void {
    this.#session?.dispose();
  }

  get displayManager(): DisplayManagerAdapter {
    return this.#display;
  }

  get model(): ModelAdapter {
    return this.#config.model;
  }

  get store(): StoreAdapter | undefined {
    return this.#config.store;
  }

  get tools(): readonly ToolConfig[] {
    return this.#tools;
  }

  get systemPrompt(): string {
    return this.#config.systemPrompt;
  }

  #setTools(tools: readonly ToolConfig[]): void {
    this.#session?.configure({ tools });
    this.#tools = tools;
  }

  #make(store: StoreAdapter): GloveSession {
    const { model, systemPrompt, compaction_config, maxConsecutiveErrors, budgets, limits, prices, tokenCounterStyle } =
      this.#config;
    const rounds = maxConsecutiveErrors === undefined ? {} : { error_rounds: maxConsecutiveErrors };
    return new GloveSession(
      checkParts({
        sessionId: store.identifier,
        model,
        store,
        systemPrompt,
        tools: this.#tools,
        subscribers: this.#subscribers,
        compaction: compaction_config,
        budgets,
        limits: { ...rounds, ...limits },
        prices,
        tokenCounterStyle,
        displayManager: this.#display,
      }),
      this.#core,
    );
  }
}
