// An agent as programs see it: ask, get the answer, change what it is made of.
import type { DisplayManagerAdapter } from "../display/manager.js";
import { GloveError } from "../error.js";
import type { ContentPart } from "../message.js";
import type { ModelAdapter, ModelPromptResult } from "../models/model.js";
import type { RunOutcome } from "../session/outcome.js";
import type { GloveSession } from "../session/session.js";
import type { SubscriberAdapter } from "../session/subscriber.js";
import type { StoreAdapter } from "../store/adapter.js";
import type { ToolConfig } from "../tools/tool.js";

/** An agent that was built. */
export interface IGloveRunnable {
  /**
   * Asks, and gives the last answer of the model with its own usage. Rejects with an `AbortError` when it was stopped, and with
   * the error of the model or the store.
   */
  processRequest(request: string | readonly ContentPart[], signal?: AbortSignal): Promise<ModelPromptResult>;
  setModel(model: ModelAdapter): void;
  setSystemPrompt(systemPrompt: string): void;
  getSystemPrompt(): string;
  addSubscriber(subscriber: SubscriberAdapter): unknown;
  removeSubscriber(subscriber: SubscriberAdapter): void;
  /** The tools with these names give way to the others, at once or not at all. */
  replaceTools(previous: readonly string[], next: readonly ToolConfig[]): void;
  /** Takes the last actions back. Gives how many it were. */
  undo(steps?: number): Promise<number>;
  readonly displayManager: DisplayManagerAdapter;
  readonly model: ModelAdapter;
  readonly store: StoreAdapter | undefined;
  readonly tools: readonly ToolConfig[];
  readonly systemPrompt: string;
}

/** The agent that a session is. */
export function runnableOf(session: GloveSession): IGloveRunnable {
  return {
    processRequest: async (request, signal) => answerOf(await session.request(request, signal)),
    setModel: (model) => session.configure({ model }),
    setSystemPrompt: (systemPrompt) => session.configure({ systemPrompt }),
    getSystemPrompt: () => session.config.systemPrompt,
    addSubscriber: session.addSubscriber,
    removeSubscriber: session.removeSubscriber,
    replaceTools: (previous, next) => session.configure({ tools: replaced(session.config.tools ?? [], previous, next) }),
    async undo(steps) {
      const outcome = await session.undo(steps);
      return outcome.type === "undone" ? outcome.steps : 0;
    },
    get displayManager() {
      return session.displayManager;
    },
    get model() {
      return session.config.model;
    },
    get store() {
      return session.store;
    },
    get tools() {
      return session.config.tools ?? [];
    },
    get systemPrompt() {
      return session.config.systemPrompt;
    },
  };
}

export function answerOf(outcome: RunOutcome): ModelPromptResult {
  switch (outcome.type) {
    case "completed":
      return { messages: [...outcome.messages], ...outcome.usage };
    case "paused":
      return said(outcome.message);
    case "dropped":
      throw new GloveError("REQUEST_DROPPED", "Another request was running, and this one was to be dropped then.");
    default:
      return said("");
  }
}

function said(text: string): ModelPromptResult {
  return { messages: text ? [{ sender: "agent", text }] : [], tokens_in: 0, tokens_out: 0 };
}

export function replaced(tools: readonly ToolConfig[], previous: readonly string[], next: readonly ToolConfig[]): ToolConfig[] {
  const gone = new Set(previous.map((name) => name.toLowerCase()));
  return [...tools.filter(({ name }) => !gone.has(name.toLowerCase())), ...next];
}
