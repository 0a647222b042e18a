// A model of the AI SDK (`@ai-sdk/openai`, `@ai-sdk/anthropic` and their like) as one of ours, for `createModel` of a chat handler.

import type { ModelAdapter, ModelPromptResult, NotifySubscribersFunction, PromptRequest } from "../../src/ports/model.js";
import { GloveError, reasonOf, stoppedBy } from "../../src/values/error.js";
import { check } from "../../src/values/validate-options.js";
import type { ContentPart, Message, ToolCall, ToolResult } from "../../src/wire/record.js";

/** A language model of the AI SDK: what a function of `@ai-sdk/openai`, `@ai-sdk/anthropic` and their like gives. Of ai 5 to 7. */
export interface AiSdkModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  // biome-ignore lint/suspicious/noExplicitAny: each version of the AI SDK has other types, and none of them is needed here.
  doStream(options: any): PromiseLike<{ readonly stream: ReadableStream<any> }>;
}

/** What the model is called with beside the conversation, in the words of the AI SDK. */
export interface AiSdkCallOptions {
  /** The most tokens of an answer. */
  readonly maxOutputTokens?: number;
  /** How much chance there is in an answer. */
  readonly temperature?: number;
  /** Takes only the likeliest tokens whose chances add up to this. */
  readonly topP?: number;
  /** Takes only this many of the likeliest tokens. */
  readonly topK?: number;
  /** Makes answers repeatable, where the provider can. */
  readonly seed?: number;
  /** An answer ends where it would say one of these. */
  readonly stopSequences?: readonly string[];
  /** Whether the model must call a tool, and which one. */
  readonly toolChoice?: { readonly type: "auto" | "none" | "required" } | { readonly type: "tool"; readonly toolName: string };
  /** Headers of each request to the provider. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Settings of the provider alone, as `{ anthropic: { thinking: { type: "enabled", budgetTokens: 2000 } } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

type Metadata = Readonly<Record<string, object>>;

/** Of the parts of all versions, what is read here. */
interface Part {
  readonly type: string;
  readonly id: string;
  readonly delta: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
  readonly providerExecuted?: boolean;
  readonly providerMetadata?: Metadata;
  readonly finishReason: string | { readonly unified: string };
  readonly usage: Usage;
  readonly error: unknown;
}

type Count = number | undefined;

interface Usage {
  readonly inputTokens?: Count | { readonly total?: Count; readonly cacheRead?: Count; readonly cacheWrite?: Count };
  readonly outputTokens?: Count | { readonly total?: Count; readonly reasoning?: Count };
  readonly cachedInputTokens?: Count;
  readonly reasoningTokens?: Count;
}

/** Kept on an answer that calls tools: providers want the thoughts before a call back as they gave them. */
interface Thought {
  readonly type: "reasoning";
  text: string;
  providerOptions?: Metadata;
}

/** A message with what the core keeps of a provider and gives back to an endpoint. */
type Kept = Message & { reasoning_details?: readonly Thought[]; wanted_back?: boolean };
type KeptCall = ToolCall & { extra_content?: Metadata };

/**
 * Lets a chat handler ask a model of the AI SDK: `createChatHandler({ createModel: () => fromAiSdkModel(openai("gpt-5.1")) })`. Text,
 * reasoning, tools, images and documents, usage and errors go through. Tools that the provider runs itself are left to it.
 */
export function fromAiSdkModel(model: AiSdkModel, options: AiSdkCallOptions = {}): ModelAdapter {
  if (!/^v[2-4]$/.test(model?.specificationVersion) || typeof model.doStream !== "function") {
    const message = '`fromAiSdkModel` takes a model of the AI SDK, of ai 5, 6 or 7, such as `openai("gpt-5.1")` gives.';
    throw new GloveError("MODEL_CONFIG", message);
  }
  check("The options", options, "object");
  let systemPrompt = "";
  return {
    name: `${model.provider}/${model.modelId}`,
    setSystemPrompt(text) {
      systemPrompt = text;
    },
    async prompt(request, notify, signal) {
      try {
        const prompt = promptOf(systemPrompt, request.messages, model.specificationVersion);
        const { stream } = await model.doStream({ ...options, prompt, ...toolsOf(request, options), abortSignal: signal });
        return await answerOf(stream, notify);
      } catch (error) {
        if (signal?.aborted) throw stoppedBy(signal);
        throw error instanceof GloveError ? error : failureOf(error);
      }
    },
  };
}

function toolsOf({ tools = [] }: PromptRequest, { toolChoice = { type: "auto" } }: AiSdkCallOptions): object {
  if (tools.length === 0) return { toolChoice: undefined };
  const told = tools.map(({ name, description, jsonSchema }) => ({
    ...{ type: "function", name, description },
    inputSchema: jsonSchema,
    // What is left out may be left out: the core checks the arguments.
    strict: false,
  }));
  return { tools: told, toolChoice };
}

// ---- what the model is asked -----------------------------------------------------------------------------------------

function promptOf(systemPrompt: string, messages: readonly Kept[], version: AiSdkModel["specificationVersion"]): object[] {
  const prompt: object[] = systemPrompt ? [{ role: "system", content: systemPrompt }] : [];
  for (const message of messages) {
    const { sender, text, tool_results, content } = message;
    if (tool_results?.length) prompt.push({ role: "tool", content: tool_results.map(resultOf) });
    else if (sender === "agent") {
      const parts = [...(message.reasoning_details ?? []), ...texts(text), ...(message.tool_calls ?? []).map(callOf)];
      if (parts.length > 0) prompt.push({ role: "assistant", content: parts });
    } else {
      const parts = content ? content.flatMap((part) => partOf(part, version)) : texts(text);
      prompt.push({ role: "user", content: parts.length > 0 ? parts : [{ type: "text", text }] });
    }
  }
  return prompt;
}

const texts = (text: string) => (text ? [{ type: "text", text }] : []);

function callOf({ id, tool_name, input_args, extra_content }: KeptCall): object {
  const isObject = typeof input_args === "object" && input_args !== null && !Array.isArray(input_args);
  const input = isObject ? input_args : { value: input_args };
  return {
    type: "tool-call",
    toolCallId: id,
    toolName: tool_name,
    input,
    ...(extra_content && { providerOptions: extra_content }),
  };
}

function resultOf({ call_id, tool_name, result }: ToolResult): object {
  const { data, status, message } = result;
  const told = typeof data === "string" ? data : JSON.stringify(data ?? null);
  const output =
    status === "success"
      ? { type: "text", value: told }
      : { type: "error-text", value: `Error: ${message ?? "Unknown error"}${data == null ? "" : `\n${told}`}` };
  return { type: "tool-result", toolCallId: call_id, toolName: tool_name, output };
}

function partOf({ type, text, source }: ContentPart, version: AiSdkModel["specificationVersion"]): object[] {
  if (type === "text" || !source) return texts(text ?? "");
  const { media_type: mediaType, data, url } = source;
  const address = url === undefined ? undefined : new URL(url);
  const plain = address ?? data;
  const tagged = address ? { type: "url", url: address } : { type: "data", data };
  return [{ type: "file", mediaType, data: version === "v4" ? tagged : plain }];
}

// ---- what it answers -------------------------------------------------------------------------------------------------

async function answerOf(stream: ReadableStream<Part>, notify: NotifySubscribersFunction): Promise<ModelPromptResult> {
  const thoughts = new Map<string, Thought>();
  const calls: KeptCall[] = [];
  let text = "";
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) throw new GloveError("MODEL_STREAM_CUT", "The model's stream ended before its answer did.");
      if (part.type === "text-delta") {
        text += part.delta;
        await notify("text_delta", { text: part.delta });
      } else if (part.type.startsWith("reasoning-") && part.id !== undefined) {
        const thought = thoughts.get(part.id) ?? { type: "reasoning", text: "" };
        thoughts.set(part.id, thought);
        if (part.providerMetadata) thought.providerOptions = merged(thought.providerOptions, part.providerMetadata);
        if (!part.delta) continue;
        thought.text += part.delta;
        await notify("reasoning_delta", { text: part.delta });
      } else if (part.type === "tool-call" && !part.providerExecuted) calls.push(called(part));
      else if (part.type === "error") throw part.error;
      else if (part.type === "finish") return answered(text, [...thoughts.values()], calls, part);
    }
  } finally {
    // What comes behind the end is read by nobody.
    reader.cancel().catch(() => {});
  }
}

/** What is told later of one provider stands beside what was told before. */
function merged(before: Metadata = {}, now: Metadata): Metadata {
  return { ...before, ...Object.fromEntries(Object.entries(now).map(([name, told]) => [name, { ...before[name], ...told }])) };
}

function called({ toolCallId, toolName, input, providerMetadata }: Part): KeptCall {
  const call = { id: toolCallId, tool_name: toolName, ...(providerMetadata && { extra_content: providerMetadata }) };
  try {
    return { ...call, input_args: JSON.parse(input || "{}") };
  } catch {
    return { ...call, input_args: input, unparsed_args: true };
  }
}

function answered(text: string, thoughts: readonly Thought[], calls: readonly KeptCall[], part: Part): ModelPromptResult {
  const reason = typeof part.finishReason === "string" ? part.finishReason : part.finishReason?.unified;
  if (reason === "error") throw new GloveError("MODEL_SERVER", "The model's provider broke the answer off.", { retryable: true });
  const reasoning = thoughts
    .map((thought) => thought.text)
    .join("\n")
    .trim();
  const message: Kept = {
    ...{ sender: "agent", text },
    ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: [...calls] }),
    ...(calls.length > 0 && thoughts.length > 0 && { reasoning_details: thoughts, wanted_back: true }),
  };
  return { messages: [message], ...usageOf(part.usage), stop_reason: reason === "tool-calls" ? "tool_use" : (reason ?? "stop") };
}

function usageOf({
  inputTokens,
  outputTokens,
  cachedInputTokens,
  reasoningTokens,
}: Usage = {}): Pick<ModelPromptResult, "tokens_in" | "tokens_out"> {
  // As one number in ai 5.
  const into = typeof inputTokens === "object" ? inputTokens : { total: inputTokens, cacheRead: cachedInputTokens };
  const out = typeof outputTokens === "object" ? outputTokens : { total: outputTokens, reasoning: reasoningTokens };
  const more = {
    cache_read_input_tokens: into?.cacheRead,
    cache_creation_input_tokens: into && "cacheWrite" in into ? into.cacheWrite : undefined,
    reasoning_tokens: out?.reasoning,
  };
  const known = Object.fromEntries(Object.entries(more).filter(([, count]) => count));
  return { tokens_in: into?.total ?? 0, tokens_out: out?.total ?? 0, ...known };
}

// ---- why it gave none ------------------------------------------------------------------------------------------------

const codes: Readonly<Record<number, string>> = {
  401: "MODEL_AUTHENTICATION",
  403: "MODEL_AUTHENTICATION",
  404: "MODEL_NOT_FOUND",
  413: "BODY_TOO_LARGE",
  429: "MODEL_RATE_LIMIT",
  503: "MODEL_OVERLOADED",
  529: "MODEL_OVERLOADED",
};

/** An `APICallError` of the AI SDK, or what a provider said in the middle of its stream. */
function failureOf(thrown: unknown): GloveError {
  const {
    statusCode: status,
    isRetryable,
    responseHeaders = {},
  } = (thrown ?? {}) as {
    readonly statusCode?: number;
    readonly isRetryable?: boolean;
    readonly responseHeaders?: Readonly<Record<string, string>>;
  };
  const said = reasonOf(thrown) || "the provider did not say why";
  const isTooLong = status === 400 && /context.{0,10}(length|window)|too (long|many tokens)/i.test(said);
  const other =
    status === undefined ? (isRetryable ? "MODEL_NETWORK" : "MODEL_SERVER") : status < 500 ? "MODEL_BAD_REQUEST" : "MODEL_SERVER";
  const seconds = Number(responseHeaders["retry-after"]);
  return new GloveError(isTooLong ? "MODEL_CONTEXT_LENGTH" : (codes[status ?? 0] ?? other), said, {
    cause: thrown,
    ...(status !== undefined && { status }),
    ...(isRetryable !== undefined && { retryable: isRetryable }),
    ...(seconds > 0 && { retryAfter: seconds * 1000 }),
  });
}
