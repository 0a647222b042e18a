// Asking a model, with subscribers and without storing anything.
import { AbortError } from "../error.js";
import type { ModelAdapter, ModelPromptResult, ModelTool } from "../models/model.js";
import { type SubscriberAdapter, Subscribers } from "../session/subscriber.js";
import { toolSchema } from "../tools/spec.js";
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
