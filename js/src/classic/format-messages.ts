// Messages in the form of OpenAI's chat completions, for models that an application asks by itself, as it did with glove.
import { check } from "../values/validate-options.js";
import type { ContentPart, Message, ToolResultData } from "../wire/record.js";

/** A part of what a person sent. */
export type OpenAIContentPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "video_url"; video_url: { url: string } };

/** One message of a chat completion. */
export type OpenAIMessage =
  | { role: "user"; content: string | OpenAIContentPart[] }
  | { role: "tool"; tool_call_id: string; content: string }
  | {
      role: "assistant";
      content: string | null;
      tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string }; extra_content?: unknown }[];
      reasoning_content?: string;
      extra_content?: unknown;
    };

/**
 * The conversation as chat completions take it: neighbouring messages of a person are one, each call has one result. `echoReasoning`
 * sends the model's thoughts back; `provider` chooses what is sent back of `provider_options`, and how videos are named.
 */
export function formatMessages(messages: readonly Message[], echoReasoning = false, provider = "openai-compat"): OpenAIMessage[] {
  check("`messages`", messages, "list");
  const merged: OpenAIMessage[] = [];
  for (const next of messages.flatMap((message) => formatted(message, echoReasoning, provider))) {
    const last = merged.at(-1);
    if (last?.role === "user" && next.role === "user") last.content = joined(last.content, next.content);
    else merged.push(next);
  }
  const answered = new Set<string>();
  const all = merged.filter((message) => {
    if (message.role !== "tool") return true;
    const isNew = !answered.has(message.tool_call_id);
    answered.add(message.tool_call_id);
    return isNew;
  });
  return all.flatMap((message, at) => [message, ...unanswered(message, all.slice(at + 1))]);
}

/** What stands in for results that are missing: a provider refuses a call without one. */
function unanswered(message: OpenAIMessage, rest: readonly OpenAIMessage[]): OpenAIMessage[] {
  if (message.role !== "assistant" || !message.tool_calls) return [];
  const end = rest.findIndex(({ role }) => role !== "tool");
  const results = end < 0 ? rest : rest.slice(0, end);
  const missing = new Set(message.tool_calls.map(({ id }) => id));
  for (const result of results) if (result.role === "tool") missing.delete(result.tool_call_id);
  return [...missing].map((tool_call_id) => ({ role: "tool", tool_call_id, content: "No result available" }));
}

function formatted(message: Message, echoReasoning: boolean, provider: string): OpenAIMessage[] {
  const { sender, text, content, tool_calls, tool_results, reasoning_content, provider_options } = message;
  if (sender !== "agent") {
    if (tool_results?.length) {
      return tool_results.map(({ call_id, result }) => ({
        role: "tool",
        tool_call_id: call_id ?? "_unknown",
        content: resultText(result),
      }));
    }
    return [{ role: "user", content: content?.length ? content.flatMap((part) => formattedPart(part, provider)) : text }];
  }
  const calls = tool_calls?.map(({ id, tool_name, input_args, ...call }) => ({
    id: id ?? `call_${crypto.randomUUID()}`,
    type: "function" as const,
    function: { name: tool_name, arguments: typeof input_args === "string" ? input_args : JSON.stringify(input_args ?? {}) },
    ...extra((call as { provider_options?: unknown }).provider_options, provider),
  }));
  return [
    {
      role: "assistant",
      content: calls?.length ? text || null : text,
      ...(calls?.length && { tool_calls: calls }),
      ...(echoReasoning && reasoning_content && { reasoning_content }),
      ...extra(provider_options, provider),
    },
  ];
}

/** What a provider gave along, and wants to have back. */
function extra(options: unknown, provider: string): { extra_content?: unknown } {
  const { extra_content } = (options as Record<string, { extra_content?: unknown }> | undefined)?.[provider] ?? {};
  return extra_content && typeof extra_content === "object" && !Array.isArray(extra_content) ? { extra_content } : {};
}

function resultText({ status, data, message }: ToolResultData): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  if (status !== "error") return text;
  return `Error: ${message ?? "Unknown error"}\n${data ? text : ""}`.trim();
}

function formattedPart({ type, text, source }: ContentPart, provider: string): OpenAIContentPart[] {
  if (type === "text") return text ? [{ type: "text", text }] : [];
  if (type === "document") return [{ type: "text", text: `[Document attachment: ${source?.media_type ?? "document"}]` }];
  if (!source || (type !== "image" && type !== "video")) return [];
  const url = source.type === "url" ? (source.url ?? "") : `data:${source.media_type};base64,${source.data}`;
  return [
    type === "video" && provider === "openrouter"
      ? { type: "video_url", video_url: { url } }
      : { type: "image_url", image_url: { url } },
  ];
}

function joined(before: string | OpenAIContentPart[], next: string | OpenAIContentPart[]): string | OpenAIContentPart[] {
  if (typeof before === "string" && typeof next === "string") return `${before}\n${next}`;
  return [...parts(before), ...parts(next)];
}

function parts(content: string | OpenAIContentPart[]): OpenAIContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
