// What a session shows, as messages of AG-UI: under the ids that its events had when it was said.

import type { GloveSnapshot, ShownEntry, ToolEntry } from "../../src/snapshot/snapshot.js";
import type { RunInput } from "./run-input.js";

type Timeline = GloveSnapshot["timeline"];

/** What a client calls a message of a person that it has sent: entries are named after the request. */
export const sentId = (entry: string) => entry.replace(/\.m\d+$/, "");

/** The id of the answer that is written behind this: the same before and after it is stored. */
export function nextAnswerId(timeline: Timeline): string {
  const asked = timeline.findLastIndex(({ kind }) => kind === "user");
  const user = timeline[asked]?.id;
  return answerId(
    user === undefined ? user : sentId(user),
    timeline.slice(asked + 1).filter(({ kind }) => kind === "agent_text").length,
  );
}

const answerId = (user: string | undefined, nth: number) => `${user ?? "start"}:answer-${nth + 1}`;

type Known = Pick<RunInput, "answers" | "own" | "users"> & {
  /** The names of tools that the client runs. */
  readonly theirs: ReadonlySet<string>;
};

/** `input`: what the client has of it already is given back as it is. */
export function shownMessages(timeline: Timeline, input: Known): { readonly id: string }[] {
  let user: string | undefined;
  let answers = 0;
  const messages = timeline.flatMap((entry): object[] => {
    if (entry.kind === "user") {
      [user, answers] = [sentId(entry.id), 0];
      return [input.users.get(user) ?? userMessage(entry)];
    }
    if (entry.kind === "tool") return toolMessages(entry, input);
    if (entry.kind !== "agent_text") return [];
    const id = answerId(user, answers++);
    return entry.text ? [{ id, role: "assistant", content: entry.text }] : [];
  });
  return [...input.own, ...messages] as { readonly id: string }[];
}

function userMessage({ id, text, images = [] }: Extract<ShownEntry, { kind: "user" }>): object {
  const parts = images.map((url): object => {
    const [, mimeType, value] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
    const source = mimeType ? { type: "data", value, mimeType } : { type: "url", value: url };
    return { type: "image", source };
  });
  return {
    id: sentId(id),
    role: "user",
    content: parts.length > 0 ? [...parts, ...(text ? [{ type: "text", text }] : [])] : text,
  };
}

const open: readonly ToolEntry["status"][] = ["running", "pending"];

function toolMessages({ id, name, input, status, output = "" }: ToolEntry, { answers, theirs }: Known): object[] {
  const called = { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
  const call = { id, role: "assistant", toolCalls: [called] };
  // CopilotKit notes its approval of a call as if that were the result.
  const given = theirs.has(name) ? answers.get(id)?.message : undefined;
  if (given) return [call, given];
  return open.includes(status) ? [call] : [call, resultMessage(id, output, status === "success" ? undefined : output || status)];
}

/** What a call gave. */
export function resultMessage(call: string, content: string, error?: string): object {
  return { id: resultId(call), role: "tool", toolCallId: call, content, ...(error !== undefined && { error }) };
}

export const resultId = (call: string) => `${call}:result`;
