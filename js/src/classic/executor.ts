// Running a stack of calls, usable without a session.

import { reasonOf } from "../error.js";
import { type SubscriberAdapter, Subscribers } from "../session/subscriber.js";
import type { StoreAdapter } from "../store/adapter.js";
import { resultOf } from "../tools/result.js";
import { permissionRule } from "../tools/rules.js";
import { checkWithSchema, jsonSchema } from "../tools/schema.js";
import { duplicateName } from "../tools/toolbox.js";
import { independentCopy } from "../values/copy.js";
import { checkOptions, type Options } from "../values/validate-options.js";
import type { ToolCall, ToolResult, ToolResultData } from "../wire/record.js";
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

  /** `MAX_RETRIES` holds for tools that are `idempotent`; a tool that may have done something is not run twice. */
  constructor(
    readonly MAX_RETRIES = 3,
    readonly store?: StoreAdapter,
  ) {}

  registerTool(tool: Tool): void {
    checkOptions(tool, toolOptions, { called: called(tool), code: "TOOL_INVALID", moved });
    if (this.tools.some(({ name }) => name.toLowerCase() === tool.name.toLowerCase())) throw duplicateName(tool.name);
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
    const schema = tool.input_schema ?? (tool.jsonSchema && jsonSchema(tool.jsonSchema));
    const input = schema ? await checkWithSchema(schema, call.input_args) : { value: call.input_args };
    if ("issues" in input) {
      const data = `Failed to validate the input args provided for the tool: ${JSON.stringify(input.issues)}`;
      return { status: "error", message: "TOOL_INPUT_INVALID", data };
    }
    const again = async () => {
      const other = schema && (await checkWithSchema(schema, call.input_args));
      return other && "value" in other ? other.value : undefined;
    };
    const copy = () => independentCopy(input.value, again);
    try {
      if (!(await this.#allowed(tool, copy, handOver))) {
        return error(`Permission denied for tool "${tool.name}". The user has not granted permission to run this tool.`);
      }
    } catch (thrown) {
      return error(`Could not ask permission for tool "${tool.name}": ${reasonOf(thrown)}`);
    }
    return this.#run(tool, input.value, copy, handOver, signal);
  }

  async #run(
    tool: Tool,
    input: unknown,
    copy: () => Promise<unknown>,
    handOver?: HandOverFunction,
    signal?: AbortSignal,
  ): Promise<ToolResultData> {
    const attempts = tool.idempotent ? this.MAX_RETRIES + 1 : 1;
    let failure: unknown;
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (signal?.aborted && !tool.unAbortable) return aborted();
      try {
        // What one run makes of its arguments, the next one must not see.
        const own = attempts > 1 ? await copy().catch(() => input) : input;
        return resultOf(await tool.run(own, handOver, signal));
      } catch (thrown) {
        failure = thrown;
      }
    }
    return signal?.aborted ? aborted() : error(`The tool failed: ${reasonOf(failure)}`);
  }

  async #allowed(tool: Tool, copy: () => Promise<unknown>, handOver?: HandOverFunction): Promise<boolean> {
    if (!(await permissionRule(tool, copy))) return true;
    const status = (await this.store?.getPermission?.(tool.name, await copy())) ?? "unset";
    if (status !== "unset" || !handOver) return status === "granted";
    const granted = Boolean(await handOver({ renderer: "permission_request", toolName: tool.name, toolInput: await copy() }));
    await this.store?.setPermission?.(tool.name, granted ? "granted" : "denied", await copy());
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
