// Our record as an agent reads it: its own calls under their names, ours with their results, and what it asked as answers.

import type { ContentPart, Message, ToolResult } from "../../src/wire/record.js";
import type { AgentCall, AgentQuestion } from "./agent-run.js";
import { type QuestionAnswer, questionName, type StepInput, stepName } from "./agent-tools.js";

/** What is kept of an agent on the messages of its answers. */
export interface AgentMark {
  /** What it calls its message. */
  readonly id?: string;
  readonly state?: { readonly value: unknown };
}

/** The name under which it stands there. */
export const markName = "ag_ui";

const markOf = (message: Message): AgentMark => (message[markName] ?? {}) as AgentMark;

/** The state that the agent has left behind. */
export function stateOf(messages: readonly Message[]): unknown {
  const last = messages.findLast((message) => markOf(message).state !== undefined);
  return last ? markOf(last).state?.value : {};
}

/** What the agent asked last, if it has not been told the answer: what nobody answered is given up. */
export function openQuestions(messages: readonly Message[]): readonly (AgentQuestion & { readonly answer: QuestionAnswer })[] {
  const at = messages.findLastIndex(({ sender, partial }) => sender === "agent" && !partial);
  const calls = messages[at]?.tool_calls?.filter(({ tool_name }) => tool_name === questionName) ?? [];
  const results = messages.slice(at + 1).flatMap(({ tool_results = [] }) => tool_results);
  return calls.map(({ id, input_args }) => {
    const question = input_args as AgentQuestion;
    const result = results.find(({ call_id }) => call_id === id)?.result;
    const given = result?.status === "success" ? (result.data as QuestionAnswer) : undefined;
    return { ...question, answer: given ?? { interruptId: question.id, status: "cancelled" } };
  });
}

/** The messages of AG-UI. */
export function agentMessages(messages: readonly Message[]): object[] {
  const ids = new Set<string>();
  const fresh = (wanted: string) => {
    let id = wanted;
    for (let count = 2; ids.has(id); count++) id = `${wanted}.${count}`;
    ids.add(id);
    return id;
  };
  const called = new Set<string>();
  return messages.flatMap((message, at): object[] => {
    const id = markOf(message).id ?? message.id ?? `message-${at}`;
    if (message.sender === "agent") {
      const toolCalls = callsOf(message).filter((call) => !called.has(call.id));
      for (const call of toolCalls) called.add(call.id);
      if (!message.text && toolCalls.length === 0) return [];
      const content = message.text ? { content: message.text } : {};
      return [
        { id: fresh(id), role: "assistant", ...content, ...(toolCalls.length > 0 && { toolCalls: toolCalls.map(inWords) }) },
      ];
    }
    const results = (message.tool_results ?? []).filter(({ tool_name }) => tool_name !== questionName);
    const tools = results.map((result) => resultMessage(result, fresh));
    const content = contentOf(message);
    const role = message.framework_context ? "system" : "user";
    return content.length > 0 ? [...tools, { id: fresh(id), role, content }] : tools;
  });
}

const inWords = ({ id, name, args }: AgentCall) => ({ id, type: "function", function: { name, arguments: args } });

function callsOf({ tool_calls = [] }: Message): AgentCall[] {
  return tool_calls.flatMap(({ id = "", tool_name, input_args }) => {
    if (tool_name === questionName) return (input_args as AgentQuestion).call ?? [];
    const { name, args } = tool_name === stepName ? (input_args as StepInput) : { name: tool_name, args: input_args };
    return { id, name, args: typeof args === "string" ? args : JSON.stringify(args ?? {}) };
  });
}

function resultMessage({ call_id = "", result }: ToolResult, fresh: (id: string) => string): object {
  const { data, status, message } = result;
  const content = typeof data === "string" ? data : JSON.stringify(data ?? null);
  const error = status === "success" ? undefined : (message ?? status);
  return {
    id: fresh(`${call_id}:result`),
    role: "tool",
    toolCallId: call_id,
    content: error !== undefined && data == null ? error : content,
    ...(error !== undefined && { error }),
  };
}

/** Plain text where there is nothing else; empty where there is nothing. */
function contentOf({ text: said, content = [], tool_results }: Message): string | object[] {
  // What stands there in the place of results says nothing.
  const text = tool_results?.length ? "" : said;
  if (!content.some(({ source }) => source)) return text || content.map((part) => part.text ?? "").join("\n");
  const parts = content.flatMap(partOf);
  return text && !content.some((part) => part.type === "text") ? [...parts, { type: "text", text }] : parts;
}

function partOf({ type, text, source, file }: ContentPart): object[] {
  if (type === "text") return text ? [{ type, text }] : [];
  const { url, data, media_type: mimeType } = source ?? { media_type: "" };
  const value = url ?? data;
  if (value === undefined || !/^(image|video|document)$/.test(type)) return [];
  const name = file?.name ? { metadata: { filename: file.name } } : {};
  return [{ type, source: { type: url === undefined ? "data" : "url", value, mimeType }, ...name }];
}
