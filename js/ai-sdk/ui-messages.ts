// A conversation as messages of the AI SDK.
import type { UIMessage } from "ai";
import {
  createMessages,
  type UIMessage as OurMessage,
  type UIMessagePart as OurPart,
  type ToolPart,
} from "../react/hooks/messages.js";
import type { GloveSession } from "../src/session/session.js";
import type { GloveSnapshot } from "../src/snapshot/snapshot.js";

type Part = UIMessage["parts"][number];

/** What of a conversation its messages are made of: a session, or a snapshot of one. */
export type Conversation = Pick<GloveSession, "getSnapshot"> | GloveSnapshot;

/** A conversation as messages of the AI SDK, for `useChat({ messages })` and components that draw those. Of a session that is open, as it is shown now. */
export function toUIMessages(conversation: Conversation): UIMessage[] {
  return ourMessages(conversation).map(({ id, role, parts }) => ({ id, role, parts: parts.map(partOf) }));
}

export function ourMessages(conversation: Conversation): readonly OurMessage[] {
  return createMessages()("getSnapshot" in conversation ? conversation.getSnapshot() : conversation);
}

function partOf(part: OurPart): Part {
  if (!isCall(part)) return part as Part;
  const { type, toolCallId, input, title } = part;
  const base = { type, toolCallId, ...(title !== undefined && { title }) };
  switch (part.state) {
    case "output-available":
      return { ...base, state: "output-available", input, output: outputOf(part.output) };
    case "output-denied":
      return { ...base, state: "output-denied", input, approval: { id: toolCallId, approved: false, reason: part.errorText } };
    case "output-error":
    case "output-aborted":
      return { ...base, state: "output-error", input, errorText: part.errorText };
    case "approval-requested":
      return { ...base, state: "approval-requested", input, approval: { id: part.approval.id } };
    default:
      return { ...base, state: part.state, input } as Part;
  }
}

export const isCall = (part: OurPart): part is ToolPart => part.type.startsWith("tool-");

/** What a tool gave, as it gave it: JSON where it is that. */
export function outputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
