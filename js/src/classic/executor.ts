// A stack of calls, run as a session runs those of a model.

import { Subscribers } from "../core/subscribers.js";
import type { Core } from "../ports/core.js";
import type { ModelAdapter } from "../ports/model.js";
import type { StoreAdapter } from "../ports/store.js";
import type { SubscriberAdapter } from "../ports/subscriber.js";
import { MemoryStore } from "../store/memory.js";
import { duplicateName } from "../tools/combined-tools.js";
import { reasonOf } from "../values/error.js";
import { generateSessionId } from "../values/ids.js";
import { toJson } from "../values/json.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { ToolCall, ToolResult } from "../wire/record.js";
import { loopSession, toolConfig } from "./loop-session.js";
import type { HandOverFunction, Tool } from "./tool.js";

const toolOptions = {
  name: "any",
  description: "text",
  input_schema: "any",
  jsonSchema: "any",
  requiresPermission: "permission",
  unAbortable: "flag",
  idempotent: "flag",
  run: "any",
} as const satisfies Options<Tool>;

const code = "TOOL_INVALID";
const called = (tool: Tool) => (option: string) => `\`${option}\` of the tool "${tool.name}"`;
const moved = {
  generateSummary: "Tools of `Glove` and `GloveClient` support `generateToolSummary`.",
  requireApproval: "Tools of `Glove` and `GloveClient` support it.",
};

/** Runs calls one after another, each with exactly one result, in their order. */
export class Executor {
  readonly tools: Tool[] = [];
  toolCallStack: ToolCall[] = [];
  readonly #subscribers = new Subscribers();
  readonly #core: Core;

  /** `MAX_RETRIES` holds for tools that are `idempotent`; a tool that may have done something is not run twice. */
  constructor(
    core: Core,
    readonly MAX_RETRIES = 3,
    readonly store?: StoreAdapter,
  ) {
    this.#core = core;
  }

  registerTool(tool: Tool): void {
    check("A tool", tool, "object", code);
    checkOptions(tool, toolOptions, { called: called(tool), code, moved });
    check("`name` of a tool", tool.name, "text", code);
    check("`run` of a tool", tool.run, "work", code);
    if (this.tools.some(({ name }) => name.toLowerCase() === tool.name.toLowerCase())) throw duplicateName(tool.name);
    this.tools.push(tool);
  }

  addSubscriber(subscriber: SubscriberAdapter): void {
    this.#subscribers.add(subscriber);
  }

  removeSubscriber(subscriber: SubscriberAdapter): void {
    this.#subscribers.remove(subscriber);
  }

  /** @internal Tells subscribers what is about tools. */
  tell(type: string, data: unknown): void {
    if (type === "tool_use" || type === "tool_use_result") this.#subscribers.tell(type, data);
  }

  addToolCallToStack(call: ToolCall): void {
    this.toolCallStack.push(call);
  }

  async executeToolStack(handOver?: HandOverFunction, signal?: AbortSignal): Promise<ToolResult[]> {
    const calls = this.toolCallStack;
    // Whatever happens below, the next stack is another one.
    this.toolCallStack = [];
    if (!signal?.aborted) return this.#run(calls, handOver, signal);
    // Stopped before it began: what cannot be stopped runs.
    const unstoppable = calls.filter((call) => !faultOf(call) && this.#find(call)?.unAbortable);
    const results = await this.#run(unstoppable, handOver);
    return calls.map((call) => results[unstoppable.indexOf(call)] ?? faultOf(call) ?? aborted(call));
  }

  #find({ tool_name }: ToolCall): Tool | undefined {
    const { tools } = this;
    return (
      tools.find(({ name }) => name === tool_name) ?? tools.find(({ name }) => name.toLowerCase() === tool_name.toLowerCase())
    );
  }

  async #run(all: readonly ToolCall[], handOver?: HandOverFunction, signal?: AbortSignal): Promise<ToolResult[]> {
    const unusable = all.map(faultOf);
    const calls = all.filter((_, at) => !unusable[at]);
    const results = calls.length > 0 ? await this.#runAll(calls, handOver, signal) : [];
    return unusable.map((fault) => fault ?? (results.shift() as ToolResult));
  }

  async #runAll(calls: readonly ToolCall[], handOver?: HandOverFunction, signal?: AbortSignal): Promise<ToolResult[]> {
    const ids = new Set(calls.map(({ id }) => id));
    const session = loopSession(
      {
        model: calling(calls),
        systemPrompt: "",
        store: new StackStore(this.store),
        tools: this.tools.map((tool) => toolConfig(tool, () => handOver, this.MAX_RETRIES)),
        // Limits are for models; this is a program's own list.
        limits: { calls_per_turn: calls.length, result_bytes: mostBytes },
        handOver: () => handOver,
        record: (type, data) => this.tell(type, withoutOwnId(data, ids)),
      },
      this.#core,
    );
    const stop = () => session.abort();
    signal?.addEventListener("abort", stop);
    try {
      await session.request("Run the calls.").catch((error: unknown) => {
        if (!signal?.aborted) throw error;
      });
      const results = (await session.messages()).flatMap((message) => message.tool_results ?? []);
      // A call that came without an id has none in its result either; one that was stopped before it was there has been aborted.
      return calls.map((call, at) => {
        const { call_id: _, ...result } = results[at] ?? aborted(call);
        return call.id === undefined ? result : { ...result, call_id: call.id };
      });
    } finally {
      signal?.removeEventListener("abort", stop);
      session.dispose();
    }
  }
}

const mostBytes = 2 ** 31 - 1;

function aborted({ tool_name, id }: ToolCall): ToolResult {
  const result = { status: "aborted" as const, data: null, message: "Tool execution was aborted by the user." };
  return { tool_name, ...(id !== undefined && { call_id: id }), result };
}

/** The result of a call that cannot be made; nothing for one that can. */
function faultOf(call: ToolCall): ToolResult | undefined {
  const { tool_name, id, input_args } = call ?? {};
  try {
    check("`tool_name`", tool_name, "text");
    if (id !== undefined) check("`id`", id, "text");
    toJson(input_args, "`input_args`");
  } catch (error) {
    const result = { status: "error" as const, data: null, message: reasonOf(error) };
    return { tool_name: String(tool_name), ...(id !== undefined && { call_id: id }), result };
  }
  return undefined;
}

/** A call that came without an id is told of without one. */
function withoutOwnId(data: unknown, ids: ReadonlySet<string | undefined>): unknown {
  const { id, call_id, ...rest } = data as { readonly id?: string; readonly call_id?: string };
  return ids.has(id ?? call_id) ? data : rest;
}

/** A model that has these calls, and nothing to say of their results. */
function calling(calls: readonly ToolCall[]): ModelAdapter {
  let asked = false;
  return {
    name: "calls",
    setSystemPrompt() {},
    async prompt() {
      const answer = asked ? { text: "Done." } : { text: "", tool_calls: [...calls] };
      asked = true;
      return { messages: [{ sender: "agent", ...answer }], tokens_in: 0, tokens_out: 0 };
    },
  };
}

/** Keeps the calls in memory, and permissions where the application keeps them, if anywhere. */
class StackStore extends MemoryStore {
  constructor(store: StoreAdapter | undefined) {
    super(generateSessionId());
    const { getPermission, setPermission } = store ?? {};
    Object.assign(this, { getPermission: getPermission?.bind(store), setPermission: setPermission?.bind(store) });
  }
}
