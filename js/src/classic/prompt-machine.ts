// Asking a model, with subscribers and without storing anything.

import { Subscribers } from "../core/subscribers.js";
import type { ModelAdapter, ModelPromptResult, ModelTool } from "../ports/model.js";
import type { SubscriberAdapter } from "../ports/subscriber.js";
import { stoppable } from "../relay/model-call.js";
import { toolSchema } from "../tools/spec.js";
import { stoppedBy } from "../values/error.js";
import { check } from "../values/validate-options.js";
import type { Message } from "../wire/record.js";
import type { Context } from "./context.js";
import type { Tool } from "./tool.js";

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
    if (signal?.aborted) throw stoppedBy(signal);
    check("`messages`", messages, "list");
    check("`tools`", tools ?? [], "list");
    this.model.setSystemPrompt(this.systemPrompt);
    const described: ModelTool[] = await Promise.all((tools ?? []).map(describe));
    const emitted = new Set<string>();
    const notify = async (type: string, data: unknown) => {
      emitted.add(type);
      this.#subscribers.tell(type, data);
    };
    const request = { messages, ...(described.length ? { tools: described } : {}) };
    // One that heeds no signal is not waited for.
    const result = await stoppable(this.model.prompt(request, notify, signal), signal);
    this.#tellTurn(result, emitted);
    return result;
  }

  /** The events of a whole answer, as a session tells them. A model that told of it itself is believed. */
  #tellTurn(result: ModelPromptResult, emitted: ReadonlySet<string>): void {
    const { messages, stop_reason, tokens_in, tokens_out } = result;
    const text = messages.map((message) => message.text).join("");
    const tool_calls = messages.flatMap((message) => message.tool_calls ?? []);
    if (!emitted.has("tool_use")) {
      for (const { id, tool_name: name, input_args: input } of tool_calls)
        this.#subscribers.tell("tool_use", { id, name, input });
    }
    if (emitted.has("model_response") || emitted.has("model_response_complete")) return;
    const response = { text, tool_calls, ...(stop_reason !== undefined && { stop_reason }), tokens_in, tokens_out };
    this.#subscribers.tell(emitted.has("text_delta") ? "model_response_complete" : "model_response", response);
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
