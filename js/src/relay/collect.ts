// The answer of a model of the application, whole or from the events of its stream.

import type { ModelNotice, ModelPromptResult, NotifySubscribersFunction } from "../ports/model.js";
import { failureOf, GloveError, type ToldFailure } from "../values/error.js";
import type { Message, ToolCall, Usage } from "../wire/record.js";
import { stoppable, tell } from "./model-call.js";

/** The answer of a remote model that does not stream. */
export interface RemotePromptResponse extends Partial<Usage> {
  readonly message: Message;
  readonly tokens_in: number;
  readonly tokens_out: number;
}

/** A part of a streamed answer. Exactly one `done` ends it. */
export type RemoteStreamEvent =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "reasoning_delta"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  | ({ readonly type: "model_notice" } & ModelNotice)
  | ({ readonly type: "done" } & RemotePromptResponse)
  | ({ readonly type: "error"; readonly code?: string; readonly message: string; readonly retryable?: boolean } & ToldFailure);

/** Reads a stream to its `done`, or until it is stopped, and tells of its text on the way. */
export async function collect(
  stream: AsyncIterable<RemoteStreamEvent>,
  notify: NotifySubscribersFunction,
  missing: string,
  signal: AbortSignal | undefined,
): Promise<ModelPromptResult> {
  const events = stream?.[Symbol.asyncIterator]?.();
  if (!events) throw noAnswer();
  const calls: ToolCall[] = [];
  let over = false;
  const read = async () => {
    for (;;) {
      const { done, value: event } = await events.next();
      if (done || over) throw new GloveError("MODEL_STREAM_CUT", missing);
      // Anything may have been given.
      switch (event?.type) {
        case "text_delta":
        case "reasoning_delta":
          tell(notify, event.type, { text: event.text });
          break;
        case "model_notice":
          tell(notify, event.type, { code: event.code, message: event.message });
          break;
        case "tool_use":
          calls.push({ tool_name: event.name, input_args: event.input, id: event.id });
          break;
        case "error":
          throw new GloveError(event.code ?? "MODEL_SERVER", event.message, failureOf(event));
        case "done":
          return withCalls(resultOf(event), calls);
      }
    }
  };
  try {
    return await stoppable(read(), signal);
  } finally {
    over = true;
    // Not waited for: one that heeds no signal may never return.
    (async () => events.return?.())().catch(() => {});
  }
}

export function resultOf(given: RemotePromptResponse & { readonly type?: string }): ModelPromptResult {
  if (typeof (given?.message ?? 0) !== "object") throw noAnswer();
  const { type: _, message, ...counted } = given;
  return { messages: [message], ...counted };
}

/** Some streams tell of a call in an event of its own only. */
function withCalls(result: ModelPromptResult, calls: readonly ToolCall[]): ModelPromptResult {
  const [message] = result.messages;
  if (!message || message.tool_calls?.length || calls.length === 0) return result;
  return { ...result, messages: [{ ...message, tool_calls: [...calls] }] };
}

function noAnswer(): GloveError {
  const message = "The model must return {message, tokens_in, tokens_out}, or a stream whose `done` event has them.";
  return new GloveError("MODEL_BAD_RESPONSE", message);
}
