// The parts of an agent, usable alone: context, prompt machine, executor, observer, task tool, and the loop over them.
import { AbortError, reasonOf } from "./error.js";
import type { Maybe } from "./maybe.js";
import type { Message, Task, ToolCall, ToolResult, ToolResultData } from "./message.js";
import type { ModelAdapter, ModelPromptResult, ModelTool } from "./models/model.js";
import { answerOf } from "./runnable.js";
import { check, type JsonSchema, jsonSchema, type Schema } from "./schema.js";
import { GloveSession } from "./session.js";
import { generateId } from "./session-id.js";
import type { StoreAdapter, TokenCount } from "./store/adapter.js";
import { type SubscriberAdapter, Subscribers } from "./subscriber.js";
import { resultOf, type ToolConfig, toolSchema } from "./tool.js";
import { duplicate } from "./toolbox.js";
import type { Core } from "./wasm/core.js";

/** Hands something over to a person, and gives the answer. */
export type HandOverFunction = (input: unknown) => Promise<unknown>;

/** A tool as the executor runs it. */
// biome-ignore lint/suspicious/noExplicitAny: what applications were written for.
export interface Tool<I = any> {
  readonly name: string;
  readonly description: string;
  readonly input_schema?: Schema<unknown, I>;
  readonly jsonSchema?: JsonSchema;
  readonly requiresPermission?: boolean | ((input: I) => Maybe<boolean>);
  readonly unAbortable?: boolean;
  readonly idempotent?: boolean;
  run(input: I, handOver?: HandOverFunction, signal?: AbortSignal): unknown;
}

/** A session's messages and tasks, over a store. */
export class Context {
  constructor(readonly store: StoreAdapter) {}

  /** From the last summary on. */
  async getMessages(): Promise<Message[]> {
    const messages = await this.store.getMessages();
    const last = messages.findLastIndex((message) => message.is_compaction);
    return last > 0 ? messages.slice(last) : messages;
  }

  async appendMessages(msgs: Message[]): Promise<void> {
    await this.store.appendMessages(msgs);
  }

  async getTasks(): Promise<Task[]> {
    return (await this.store.getTasks?.()) ?? [];
  }

  async addTasks(tasks: Task[]): Promise<void> {
    await this.store.addTasks?.(tasks);
  }

  async updateTask(taskId: string, updates: Partial<Omit<Task, "id">>): Promise<void> {
    await this.store.updateTask?.(taskId, updates);
  }
}

/** Asks a model and tells subscribers of it; nothing is stored. */
export class PromptMachine {
  readonly #subscribers = new Subscribers();

  constructor(
    public model: ModelAdapter,
    readonly ctx: Context,
    public systemPrompt: string,
  ) {}

  addSubscriber(subscriber: SubscriberAdapter): void {
    this.#subscribers.add(subscriber);
  }

  removeSubscriber(subscriber: SubscriberAdapter): void {
    this.#subscribers.remove(subscriber);
  }

  /** Nobody is waited for. */
  notifySubscribers = async (event_name: string, event_data: unknown): Promise<void> => {
    this.#subscribers.tell(event_name, event_data);
  };

  async run(messages: Message[], tools?: readonly Tool[], signal?: AbortSignal): Promise<ModelPromptResult> {
    if (signal?.aborted) throw new AbortError();
    this.model.setSystemPrompt(this.systemPrompt);
    const described: ModelTool[] = await Promise.all((tools ?? []).map(describe));
    return this.model.prompt({ messages, ...(described.length ? { tools: described } : {}) }, this.notifySubscribers, signal);
  }
}

async function describe({ name, description, input_schema, jsonSchema: given }: Tool): Promise<ModelTool> {
  const schema = await toolSchema({
    name,
    ...(input_schema && { inputSchema: input_schema }),
    ...(given && { jsonSchema: given }),
  });
  return { name, description, jsonSchema: schema, ...(input_schema && { input_schema }) };
}

/** Runs calls one after another, each with exactly one result, in their order. */
export class Executor {
  readonly tools: Tool[] = [];
  toolCallStack: ToolCall[] = [];
  readonly #subscribers = new Subscribers();

  /** `MAX_RETRIES` holds for tools that are `idempotent`; a tool that may have done something is not run twice. */
  constructor(
    readonly MAX_RETRIES = 3,
    readonly store?: StoreAdapter,
  ) {}

  registerTool(tool: Tool): void {
    if (this.tools.some(({ name }) => name.toLowerCase() === tool.name.toLowerCase())) throw duplicate(tool.name);
    this.tools.push(tool);
  }

  addSubscriber(subscriber: SubscriberAdapter): void {
    this.#subscribers.add(subscriber);
  }

  removeSubscriber(subscriber: SubscriberAdapter): void {
    this.#subscribers.remove(subscriber);
  }

  addToolCallToStack(call: ToolCall): void {
    this.toolCallStack.push(call);
  }

  async executeToolStack(handOver?: HandOverFunction, signal?: AbortSignal): Promise<ToolResult[]> {
    const calls = this.toolCallStack;
    // Whatever happens below, the next stack is another one.
    this.toolCallStack = [];
    const results: ToolResult[] = [];
    for (const call of calls) {
      const since = Date.now();
      const result = await this.#one(call, handOver, signal);
      const { tool_name, id } = call;
      const told: ToolResult = { tool_name, ...(id !== undefined && { call_id: id }), result, duration_ms: Date.now() - since };
      results.push(told);
      this.#subscribers.tell("tool_use_result", { ...told, name: tool_name, id });
    }
    return results;
  }

  async #one(call: ToolCall, handOver?: HandOverFunction, signal?: AbortSignal): Promise<ToolResultData> {
    const exact = this.tools.find(({ name }) => name === call.tool_name);
    const tool = exact ?? this.tools.find(({ name }) => name.toLowerCase() === call.tool_name.toLowerCase());
    if (!tool) return error(`No tool called ${call.tool_name} exists. ${this.#known()}`);
    if (signal?.aborted && !tool.unAbortable) return aborted();
    try {
      if (!(await this.#allowed(tool, call.input_args, handOver))) {
        return error(`Permission denied for tool "${tool.name}". The user has not granted permission to run this tool.`);
      }
    } catch (thrown) {
      return error(`Permission for tool "${tool.name}" could not be asked: ${reasonOf(thrown)}`);
    }
    const schema = tool.input_schema ?? (tool.jsonSchema && jsonSchema(tool.jsonSchema));
    const input = schema ? await check(schema, call.input_args) : { value: call.input_args };
    if ("issues" in input) {
      const data = `Failed to validate the input args provided for the tool:: ${JSON.stringify(input.issues)}`;
      return { status: "error", message: "TOOL_INPUT_INVALID", data };
    }
    return this.#run(tool, input.value, handOver, signal);
  }

  async #run(tool: Tool, input: unknown, handOver?: HandOverFunction, signal?: AbortSignal): Promise<ToolResultData> {
    const attempts = tool.idempotent ? this.MAX_RETRIES + 1 : 1;
    let failure: unknown;
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (signal?.aborted && !tool.unAbortable) return aborted();
      try {
        return resultOf(await tool.run(input, handOver, signal));
      } catch (thrown) {
        failure = thrown;
      }
    }
    return signal?.aborted ? aborted() : error(`The tool failed: ${reasonOf(failure)}`);
  }

  async #allowed(tool: Tool, input: unknown, handOver?: HandOverFunction): Promise<boolean> {
    const { requiresPermission: rule } = tool;
    const asks = typeof rule === "function" ? await rule(input) : rule;
    if (!asks || !this.store?.getPermission || !this.store.setPermission) return true;
    const status = await this.store.getPermission(tool.name, input);
    if (status !== "unset" || !handOver) return status === "granted";
    const granted = Boolean(await handOver({ renderer: "permission_request", toolName: tool.name, toolInput: input }));
    await this.store.setPermission(tool.name, granted ? "granted" : "denied", input);
    return granted;
  }

  #known(): string {
    const names = this.tools.map(({ name }) => name).join(", ");
    return names ? `Available tools: ${names}.` : "No tools are registered.";
  }
}

function error(message: string): ToolResultData {
  return { status: "error", data: null, message };
}

function aborted(): ToolResultData {
  return { status: "aborted", data: null, message: "Tool execution was aborted by the user." };
}

/** Counts turns and tokens, and summarises older messages once there are too many. */
export class Observer {
  readonly #subscribers = new Subscribers();

  constructor(
    readonly store: StoreAdapter,
    readonly ctx: Context,
    readonly prompt: PromptMachine,
    public compactionInstructions: string,
    public MAX_TURNS = 120,
    public CONTEXT_COMPACTION_LIMIT = 100_000,
  ) {}

  addSubscriber(subscriber: SubscriberAdapter): void {
    this.#subscribers.add(subscriber);
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
    await this.store.incrementTurn();
  }

  async getCurrentTurns(): Promise<number> {
    return this.store.getTurnCount();
  }

  async addTokensConsumed(count: number | TokenCount): Promise<void> {
    await this.store.addTokens(typeof count === "number" ? { tokens_in: count, tokens_out: 0 } : count);
  }

  async getCurrentTokenConsumption(): Promise<number> {
    return this.store.getTokenCount();
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
    this.#subscribers.tell("compaction_start", { current_token_consumption: before });
    const request: Message = { sender: "user", text: this.compactionInstructions, is_compaction_request: true };
    const { messages, tokens_out } = await this.prompt.run([...(await this.ctx.getMessages()), request], [], signal);
    const told = messages.flatMap(({ sender, text }) => (sender === "agent" && text ? [text] : []));
    const summary = told.join("\n") || "No summary was generated";
    const text = `[Conversation summary from compaction]\n\n${summary}\n\n[End of summary - the conversation continues from here]`;
    const summary_message: Message = { sender: "user", text, is_compaction: true };
    await this.ctx.appendMessages([summary_message]);
    await this.store.resetCounters?.();
    await this.addTokensConsumed({ tokens_in: 0, tokens_out });
    const after = await this.getCurrentTokenConsumption();
    this.#subscribers.tell("compaction_end", { current_token_consumption: after, summary_message });
  }
}

interface Todos {
  readonly todos: readonly Omit<Task, "id">[];
}

const text = { type: "string", minLength: 1 } as const;
const todos: JsonSchema = {
  type: "object",
  properties: {
    todos: {
      type: "array",
      items: {
        type: "object",
        properties: { content: text, activeForm: text, status: { enum: ["pending", "in_progress", "completed"] } },
        required: ["content", "activeForm", "status"],
      },
    },
  },
  required: ["todos"],
};

/** The task list as a tool. Sessions have it by themselves where the store keeps tasks. */
export function createTaskTool(context: Context): Tool<Todos> {
  return {
    name: "glove_update_tasks",
    description: "Create or update your task list for the current work. Always send the whole list: it replaces the one before.",
    jsonSchema: todos,
    idempotent: true,
    async run({ todos }) {
      const left = [...(await context.getTasks())];
      const tasks = todos.map((todo): Task => {
        const at = left.findIndex(({ content }) => content === todo.content);
        const [known] = at < 0 ? [] : left.splice(at, 1);
        return { id: known?.id ?? `task_${generateId()}`, ...todo };
      });
      await context.addTasks(tasks);
      return { tasks };
    },
  };
}

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
