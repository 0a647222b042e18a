// The loop over parts of the application's own: a session of the core with an executor's tools and a prompt machine's model.
import { reasonOf } from "../error.js";
import type { ModelPromptResult } from "../models/model.js";
import { GloveSession } from "../session/session.js";
import type { StoreAdapter } from "../store/adapter.js";
import type { ToolConfig } from "../tools/tool.js";
import type { Core } from "../wasm/sessions.js";
import type { Message } from "../wire/record.js";
import type { Context } from "./context.js";
import type { Executor } from "./executor.js";
import type { Observer } from "./observer.js";
import type { PromptMachine } from "./prompt-machine.js";
import { answerOf } from "./runnable.js";
import type { HandOverFunction, Tool } from "./tool.js";

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

  constructor(core: Core, ...parts: AgentParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** One request. `handOver` is asked for permissions. */
  async ask(message: Message, handOver?: HandOverFunction, signal?: AbortSignal): Promise<ModelPromptResult> {
    const [store, executor, , observer, prompt] = this.#parts;
    const config = {
      model: prompt.model,
      systemPrompt: prompt.systemPrompt,
      tools: executor.tools.map((tool) => asConfig(tool, handOver, executor.MAX_RETRIES)),
      compaction: {
        compaction_instructions: observer.compactionInstructions,
        max_turns: observer.MAX_TURNS,
        compaction_context_limit: observer.CONTEXT_COMPACTION_LIMIT,
      },
    };
    if (this.#session) this.#session.configure(config);
    else {
      const tell = { record: (type: string, data: unknown) => prompt.notifySubscribers(type, data) };
      this.#session = new GloveSession({ ...config, sessionId: store.identifier, store, subscribers: [tell] }, this.#core);
      const session = this.#session;
      // Permissions are slots of the session; here whoever handed over answers them.
      session.displayManager.subscribe((stack) => {
        for (const { id, renderer, input } of stack) {
          if (renderer === "permission_request") void answer(session, id, input, handOver);
        }
      });
    }
    return answerOf(await this.#session.request(message.content ?? message.text, signal));
  }
}

const asked = new WeakMap<GloveSession, Set<string>>();

async function answer(session: GloveSession, id: string, input: unknown, handOver?: HandOverFunction): Promise<void> {
  const known = asked.get(session) ?? new Set();
  asked.set(session, known);
  if (known.has(id)) return;
  known.add(id);
  try {
    session.resolveSlot(id, Boolean(await handOver?.(input)));
  } catch (thrown) {
    session.rejectSlot(id, reasonOf(thrown));
  }
}

function asConfig(tool: Tool, handOver: HandOverFunction | undefined, maxRetries: number): ToolConfig {
  const { name, description, input_schema, jsonSchema: schema, requiresPermission, unAbortable, idempotent } = tool;
  return {
    name,
    description,
    maxRetries,
    ...(input_schema && { inputSchema: input_schema }),
    ...(schema && { jsonSchema: schema }),
    ...(requiresPermission !== undefined && { requiresPermission }),
    ...(unAbortable !== undefined && { unAbortable }),
    ...(idempotent !== undefined && { idempotent }),
    do: (input, _display, _agent, signal) => tool.run(input, handOver, signal),
  };
}
