// What calls of a model have in common, whoever answers.

import type { ModelNotice, ModelTool, NotifySubscribersFunction, PromptRequest, SerializedTool } from "../ports/model.js";
import { stoppedBy } from "../values/error.js";
import { check } from "../values/validate-options.js";

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

export function serialized(tools: readonly ModelTool[] | undefined): SerializedTool[] {
  return (tools ?? []).map(({ name, description, jsonSchema }) => ({ name, description, parameters: jsonSchema }));
}
