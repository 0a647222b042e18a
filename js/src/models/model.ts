// What a model of the application offers.

import { stoppedBy } from "../error.js";
import type { JsonSchema, Schema } from "../tools/schema-types.js";
import { check } from "../values/validate-options.js";
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

/** Whoever asks a model without a session may give anything. */
export function checkRequest({ messages, tools }: PromptRequest): void {
  check("`messages`", messages, "list");
  check("`tools`", tools ?? [], "list");
}

/** Tells of a piece of the answer. What a listener makes of it ends no answer. */
export function tell(notify: NotifySubscribersFunction, type: string, data: { readonly text: string } | ModelNotice): void {
  try {
    const told: unknown = notify(type, data);
    // Many listeners give one promise for all pieces, as a session does.
    if (told === ignored) return;
    ignored = told;
    Promise.resolve(told).catch(ignore);
  } catch {
    // The same.
  }
}

let ignored: unknown;
const ignore = () => {};

/** Work that is not waited for any more when the signal fires. */
export function stoppable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal == null) return work;
  check("`signal`", signal, "signal");
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(stoppedBy(signal));
  });
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return Promise.race([stopped, work]).finally(() => signal.removeEventListener("abort", stop));
}

/** A tool as it is sent to an endpoint. */
export interface SerializedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export function serialized(tools: readonly ModelTool[] | undefined): SerializedTool[] {
  return (tools ?? []).map(({ name, description, jsonSchema }) => ({ name, description, parameters: jsonSchema }));
}
