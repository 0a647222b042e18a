// A model behind callbacks of the application. Its events are objects, which the core would have to be given as text to read them, and
// it may be asked without a session: so they are read here.

import { failureOf, GloveError, type ToldFailure } from "../error.js";
import { checkMethods, type Options } from "../values/validate-options.js";
import type { Message, ToolCall, Usage } from "../wire/record.js";
import {
  type ModelAdapter,
  type ModelNotice,
  type ModelPromptResult,
  type NotifySubscribersFunction,
  type PromptRequest,
  type SerializedTool,
  serialized,
  stoppable,
  tell,
} from "./model.js";
import { forModel } from "./record.js";

/** The complete request, as plain data. */
export interface RemotePromptRequest {
  readonly systemPrompt: string;
  readonly messages: Message[];
  /** Left out when there are none. */
  readonly tools?: SerializedTool[];
}

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

/** At least one is required; `promptStream` takes precedence. */
export interface RemoteModelActions {
  prompt?(request: RemotePromptRequest, signal?: AbortSignal): Promise<RemotePromptResponse>;
  promptStream?(request: RemotePromptRequest, signal?: AbortSignal): AsyncIterable<RemoteStreamEvent>;
}

const actionOptions = { prompt: "work", promptStream: "work" } as const satisfies Options<RemoteModelActions>;

/** A model whose calls are the application's. */
export function createRemoteModel(name: string, actions: RemoteModelActions): ModelAdapter {
  checkMethods(actions, actionOptions);
  let systemPrompt = "";
  return {
    name,
    setSystemPrompt: (text) => {
      systemPrompt = text;
    },
    async prompt(request, notify, signal) {
      const asked = await remoteRequest(systemPrompt, request);
      if (actions.promptStream) {
        const missing = "Remote model stream ended without a 'done' event";
        return collect(actions.promptStream(asked, signal), notify, missing, signal);
      }
      if (actions.prompt) return resultOf(await actions.prompt(asked, signal));
      throw new GloveError("MODEL_CONFIG", `The remote model "${name}" has neither \`prompt\` nor \`promptStream\`.`);
    },
  };
}

async function remoteRequest(systemPrompt: string, { messages, tools }: PromptRequest): Promise<RemotePromptRequest> {
  const described = serialized(tools);
  return { systemPrompt, messages: await forModel(messages), ...(described.length ? { tools: described } : {}) };
}

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
  try {
    for (;;) {
      const { done, value: event } = await stoppable(events.next(), signal);
      if (done) throw new GloveError("MODEL_STREAM_CUT", missing);
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
  } finally {
    // Not waited for: one that heeds no signal may never return.
    (async () => events.return?.())().catch(() => {});
  }
}

function resultOf(given: RemotePromptResponse & { readonly type?: string }): ModelPromptResult {
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
