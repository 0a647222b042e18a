// An agent as programs see it: ask, get the answer, change what it is made of.

import type { RunOutcome } from "../messages/outcome.js";
import type { ModelPromptResult } from "../ports/model.js";
import type { SessionConfig } from "../ports/session-config.js";
import type { IGloveRunnable, ToolConfig } from "../ports/tool.js";
import { GloveError } from "../values/error.js";
import { check } from "../values/validate-options.js";
import type { Agent, SessionRunnable } from "./session-runnable.js";

/** What an agent needs of the session that it is. */
export interface AgentSession extends Pick<IGloveRunnable, "addSubscriber" | "removeSubscriber" | "displayManager" | "store"> {
  readonly config: SessionConfig;
  request(input: Parameters<IGloveRunnable["processRequest"]>[0], signal?: AbortSignal): Promise<RunOutcome>;
  undo(steps?: number): Promise<RunOutcome>;
  configure(changes: Partial<SessionConfig>): void;
}

/** The agent that a session is. */
export function runnableOf(session: AgentSession): SessionRunnable {
  const tools = (next: readonly ToolConfig[]) => {
    session.configure({ tools: next });
    return agent as SessionRunnable;
  };
  const agent: Agent = {
    processRequest: async (request, signal) => answerOf(await session.request(request, signal)),
    setModel: (model) => session.configure({ model }),
    setSystemPrompt: (systemPrompt) => session.configure({ systemPrompt }),
    getSystemPrompt: () => session.config.systemPrompt,
    addSubscriber: session.addSubscriber,
    removeSubscriber: session.removeSubscriber,
    fold: (tool) => tools([...agent.tools, tool]),
    replaceTools: (previous, next) => tools(replaceTools(agent.tools, previous, next)),
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
    serverMode: false,
    getRuntimeContext: async () => [],
    addContextProvider: absent("addContextProvider"),
    setDisplayManager: absent("setDisplayManager"),
    defineHook: absent("defineHook"),
    defineSkill: absent("defineSkill"),
    defineSubAgent: absent("defineSubAgent"),
    rebuild: absent("rebuild"),
  };
  return agent as SessionRunnable;
}

function absent(name: string): () => never {
  return () => {
    throw new GloveError("CONFIG_INVALID", `\`${name}\` is not supported on this agent; see docs/moving-from-glove.md.`);
  };
}

export function answerOf(outcome: RunOutcome): ModelPromptResult {
  switch (outcome.type) {
    case "completed":
      return { messages: [...outcome.messages], ...outcome.usage };
    case "paused":
      return textAnswer(outcome.message);
    case "dropped":
      throw new GloveError("REQUEST_DROPPED", "The request was dropped because another one was running.");
    default:
      return textAnswer("");
  }
}

function textAnswer(text: string): ModelPromptResult {
  return { messages: text ? [{ sender: "agent", text }] : [], tokens_in: 0, tokens_out: 0 };
}

export function replaceTools(
  tools: readonly ToolConfig[],
  previous: Iterable<string>,
  next: readonly ToolConfig[],
): ToolConfig[] {
  check("The tools to add", next, "list");
  check("The names to remove", previous, "names");
  const gone = new Set(Array.from(previous, (name) => String(name).toLowerCase()));
  return [...tools.filter(({ name }) => !gone.has(name.toLowerCase())), ...next];
}
