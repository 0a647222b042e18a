// The loop over parts of the application's own: a session of the core with an executor's tools and a prompt machine's model.

import { forModel } from "../models/record.js";
import type { Core } from "../ports/core.js";
import type { ModelAdapter, ModelPromptResult } from "../ports/model.js";
import type { StoreAdapter } from "../ports/store.js";
import { answerOf } from "../session/runnable.js";
import type { GloveSession } from "../session/session.js";
import { GloveError } from "../values/error.js";
import { check } from "../values/validate-options.js";
import type { Message } from "../wire/record.js";
import { Context } from "./context.js";
import type { Executor } from "./executor.js";
import { loopSession, toolConfig } from "./loop-session.js";
import type { Observer } from "./observer.js";
import type { PromptMachine } from "./prompt-machine.js";
import type { HandOverFunction } from "./tool.js";

/** What an `Agent` is made of. */
export type AgentParts = [
  store: StoreAdapter,
  executor: Executor,
  context: Context,
  observer: Observer,
  prompt_machine: PromptMachine,
];

/** The loop over the parts: asks, runs the tools, asks again, until the model has no more calls. */
export class Agent {
  readonly #core: Core;
  readonly #parts: AgentParts;
  #session: GloveSession | undefined;
  #handOver: HandOverFunction | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #model: { readonly of: ModelAdapter; readonly model: ModelAdapter } | undefined;

  constructor(core: Core, ...parts: AgentParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** One request after the other. `handOver` is asked for permissions. */
  async ask(message: Message, handOver?: HandOverFunction, signal?: AbortSignal): Promise<ModelPromptResult> {
    check("`message`", message, "object");
    // Requests run one after another, so that the questions of each go to its own caller.
    const answer = this.#last.then(() => this.#ask(message, handOver, signal));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #ask(message: Message, handOver?: HandOverFunction, signal?: AbortSignal): Promise<ModelPromptResult> {
    const [store, executor, context, observer, prompt] = this.#parts;
    this.#handOver = handOver;
    const lender = () => this.#handOver;
    if (this.#model?.of !== prompt.model) this.#model = { of: prompt.model, model: reading(context, prompt.model) };
    const config = {
      model: this.#model.model,
      systemPrompt: prompt.systemPrompt,
      tools: executor.tools.map((tool) => toolConfig(tool, lender, executor.MAX_RETRIES)),
      compaction: {
        compaction_instructions: observer.compactionInstructions,
        max_turns: observer.MAX_TURNS,
        compaction_context_limit: observer.CONTEXT_COMPACTION_LIMIT,
      },
    };
    const record = (type: string, data: unknown) => {
      void prompt.notifySubscribers(type, data);
      executor.tell(type, data);
      observer.tell(type, data);
    };
    const input = message.content ?? message.text;
    const open = () => loopSession({ ...config, store: writing(context, store), handOver: lender, record }, this.#core);
    if (this.#session) this.#session.configure(config);
    else this.#session = open();
    try {
      return answerOf(await this.#session.request(input, signal));
    } catch (error) {
      if (!(error instanceof GloveError && error.code === "STORE_CONFLICT")) throw error;
      // Something else has written to the store, a summary for example. The request was not stored, so nothing of it was begun.
      this.#session.dispose();
      this.#session = open();
      return answerOf(await this.#session.request(input, signal));
    }
  }
}

/** What a class of the application's own makes of the messages is what the model reads. */
function reading(context: Context, model: ModelAdapter): ModelAdapter {
  if (!isOwn(context, "getMessages")) return model;
  return {
    name: model.name,
    setSystemPrompt: (text) => model.setSystemPrompt(text),
    async prompt(request, notify, signal) {
      // Reminders and the instructions for a summary are in no record.
      const transient = request.messages.slice(request.messages.findLastIndex(({ id }) => id !== undefined) + 1);
      const messages = [...(await forModel(await context.getMessages())), ...transient];
      return model.prompt({ ...request, messages }, notify, signal);
    },
  };
}

/** What such a class does to write takes the place of what the store does. */
function writing(context: Context, store: StoreAdapter): StoreAdapter {
  // It gets messages, and not the steps that a run can be continued from.
  const hidden = isOwn(context, "appendMessages") ? ["appendStep", "appendStepText", "readRun", "readRunText"] : [];
  return new Proxy(store, {
    get(_, name) {
      const key = name as keyof Context & keyof StoreAdapter;
      if (hidden.includes(key)) return undefined;
      const owner = name !== "getMessages" && isOwn(context, key) ? context : store;
      const value: unknown = owner[key as keyof typeof owner];
      return typeof value === "function" ? value.bind(owner) : value;
    },
  });
}

function isOwn(context: Context, name: keyof Context): boolean {
  return name in Context.prototype && context[name] !== Context.prototype[name];
}
