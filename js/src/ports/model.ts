// What a model of the application offers.

import type { JsonSchema, Schema } from "../schema/types.js";
import type { Message, Usage } from "../wire/record.js";

/** Tells of an event while a model answers. Nothing needs to be awaited. */
export type NotifySubscribersFunction = (event_name: string, event_data: unknown) => Promise<void>;

/** What the model is asked without, or in another form, because its provider does not take it. */
export interface ModelNotice {
  /** Stays the same between versions, as `MEDIA_LEFT_OUT`. */
  readonly code: string;
  /** What was done, and what the application can do about it. */
  readonly message: string;
}

/** A tool as a model sees it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly jsonSchema: JsonSchema;
  /** The schema that the application gave, where it gave one. */
  readonly input_schema?: Schema;
}

/** What a model is asked: the conversation, and the tools that it may call. */
export interface PromptRequest {
  readonly messages: Message[];
  readonly tools?: ModelTool[];
}

/** The answer of a model. */
export interface ModelPromptResult extends Partial<Usage> {
  readonly messages: Message[];
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly stop_reason?: string;
}

/**
 * Answers a conversation. Text that `notify("text_delta", {text})` tells is shown as it comes (`reasoning_delta` the same), and
 * `model_notice` reaches subscribers as it is; all other events come from the answer itself. A rejection ends the request with its message.
 *
 * When `signal` fires, the request ends at once, and `prompt` may be called again before its last call has settled.
 */
export interface ModelAdapter {
  readonly name: string;
  prompt(request: PromptRequest, notify: NotifySubscribersFunction, signal?: AbortSignal): Promise<ModelPromptResult>;
  setSystemPrompt(systemPrompt: string): void;
}

/** A tool as it is sent to an endpoint. */
export interface SerializedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}
