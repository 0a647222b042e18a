// What has changed of an answer, as chunks of the AI SDK's message stream.
import type { UIMessageChunk } from "ai";
import type { ToolPart, UIMessagePart } from "../react/hooks/messages.js";
import { isCall, outputOf, sourcesOf } from "./ui-messages.js";

/** The chunks that make `before` to `after`, which are the parts of one answer at two times. */
export function chunksOf(before: readonly UIMessagePart[], after: readonly UIMessagePart[]): UIMessageChunk[] {
  const known = new Map<string, ToolPart>();
  for (const part of before) if (isCall(part)) known.set(part.toolCallId, part);
  return after.flatMap((part, at): UIMessageChunk[] => {
    if (isCall(part)) return ofCall(known.get(part.toolCallId), part);
    const old = before[at];
    if (part.type === "text" || part.type === "reasoning") {
      const told = old?.type === part.type ? old : undefined;
      const chunks = ofText(told, part, `${part.type}-${at}`);
      if (part.type === "reasoning" || (told && "sources" in told)) return chunks;
      return [...chunks, ...sourcesOf(part, at)];
    }
    if (old?.type === part.type) return [];
    return part.type === "file" ? [part] : [{ type: part.type, data: part.data }];
  });
}

type TextPart = Extract<UIMessagePart, { readonly type: "text" | "reasoning" }>;

function ofText(old: TextPart | undefined, { type, text, state }: TextPart, id: string): UIMessageChunk[] {
  const told = old?.text ?? "";
  const begins: UIMessageChunk[] = old ? [] : [{ type: `${type}-start`, id }];
  const goesOn: UIMessageChunk[] =
    text.length > told.length && text.startsWith(told) ? [{ type: `${type}-delta`, id, delta: text.slice(told.length) }] : [];
  const ends: UIMessageChunk[] = state === "done" && old?.state !== "done" ? [{ type: `${type}-end`, id }] : [];
  return [...begins, ...goesOn, ...ends];
}

function ofCall(old: ToolPart | undefined, part: ToolPart): UIMessageChunk[] {
  if (old?.state === part.state) return [];
  const { toolCallId, input, title } = part;
  const called = { toolCallId, toolName: part.type.slice("tool-".length), ...(title !== undefined && { title }) };
  if (part.state === "input-streaming") return [{ type: "tool-input-start", ...called }];
  const isNew = old === undefined || old.state === "input-streaming";
  const chunks: UIMessageChunk[] = isNew ? [{ type: "tool-input-available", ...called, input }] : [];
  switch (part.state) {
    case "approval-requested":
      return [...chunks, { type: "tool-approval-request", approvalId: part.approval.id, toolCallId }];
    case "output-available":
      return [...chunks, { type: "tool-output-available", toolCallId, output: outputOf(part.output) }];
    case "output-denied":
      return [...chunks, { type: "tool-output-denied", toolCallId }];
    case "output-error":
    case "output-aborted":
      return [...chunks, { type: "tool-output-error", toolCallId, errorText: part.errorText }];
    default:
      return chunks;
  }
}
