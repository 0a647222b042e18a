// Counting turns and tokens, and summarising, usable without a session.

import { Subscribers } from "../core/subscribers.js";
import { forModel, summaryOf } from "../models/record.js";
import type { StoreAdapter, TokenCount } from "../ports/store.js";
import type { SubscriberAdapter } from "../ports/subscriber.js";
import { limited } from "../store/limits.js";
import { countOf } from "../store/token-count.js";
import { GloveError, stoppedBy } from "../values/error.js";
import { check } from "../values/validate-options.js";
import type { Message } from "../wire/record.js";
import type { Context } from "./context.js";
import type { PromptMachine } from "./prompt-machine.js";

/** Counts turns and tokens, and summarises older messages once there are too many. */
export class Observer {
  readonly #subscribers = new Subscribers();
  readonly #store: StoreAdapter;

  constructor(
    readonly store: StoreAdapter,
    readonly ctx: Context,
    readonly prompt: PromptMachine,
    public compactionInstructions: string,
    public MAX_TURNS = 120,
    public CONTEXT_COMPACTION_LIMIT = 100_000,
  ) {
    this.#store = limited(store);
  }

  addSubscriber(subscriber: SubscriberAdapter): void {
    this.#subscribers.add(subscriber);
  }

  /** @internal Tells subscribers what is about summaries. */
  tell(type: string, data: unknown): void {
    if (type === "compaction_start" || type === "compaction_end") this.#subscribers.tell(type, data);
  }

  setCompactionInstructions(instruction: string): void {
    this.compactionInstructions = instruction;
  }

  setMaxTurns(new_max: number): void {
    this.MAX_TURNS = new_max;
  }

  setContextCompactionLimit(new_limit: number): void {
    this.CONTEXT_COMPACTION_LIMIT = new_limit;
  }

  async turnComplete(): Promise<void> {
    await this.#store.incrementTurn();
  }

  async getCurrentTurns(): Promise<number> {
    return this.#store.getTurnCount();
  }

  async addTokensConsumed(count: number | TokenCount): Promise<void> {
    await this.#store.addTokens(
      countOf(typeof count === "number" ? { tokens_in: count, tokens_out: 0 } : check("`count`", count, "object")),
    );
  }

  async getCurrentTokenConsumption(): Promise<number> {
    return this.#store.getTokenCount();
  }

  async isCompactionImminent(): Promise<boolean> {
    return (await this.getCurrentTokenConsumption()) >= this.CONTEXT_COMPACTION_LIMIT;
  }

  /** Summarises when it is time. True when it did. */
  async tryCompaction(signal?: AbortSignal): Promise<boolean> {
    if (!(await this.isCompactionImminent())) return false;
    await this.runCompactionNow(signal);
    return true;
  }

  /** A summary that fails changes nothing. */
  async runCompactionNow(signal?: AbortSignal): Promise<void> {
    const before = await this.getCurrentTokenConsumption();
    this.tell("compaction_start", { current_token_consumption: before });
    const request: Message = { sender: "user", text: this.compactionInstructions, is_compaction_request: true };
    const asked = [...(await forModel(await this.ctx.getMessages())), request];
    const { messages, tokens_out } = await this.prompt.run(asked, [], signal);
    const carry = { tasks: await this.ctx.getTasks(), inbox: await this.ctx.getInboxItems() };
    const summary_message = await summaryOf(messages, carry);
    if (!summary_message) {
      throw new GloveError("COMPACTION_FAILED", "The model wrote an empty summary; the conversation stays as it is.");
    }
    if (signal?.aborted) throw stoppedBy(signal);
    await this.ctx.appendMessages([summary_message]);
    await this.#store.resetCounters?.();
    await this.addTokensConsumed({ tokens_in: 0, tokens_out });
    const after = await this.getCurrentTokenConsumption();
    this.tell("compaction_end", { current_token_consumption: after, summary_message });
  }
}
