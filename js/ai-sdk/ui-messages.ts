// A conversation as messages of the AI SDK.
import type { UIMessage } from "ai";
import {
  createMessages,
  type UIMessage as OurMessage,
  type UIMessagePart as OurPart,
  type TextPart,
  type ToolPart,
} from "../react/hooks/messages.js";
import type { GloveSession } from "../src/session/session.js";
import type { GloveSnapshot } from "../src/snapshot/snapshot.js";

type Part = UIMessage["parts"][number];
type SourcePart = Extract<Part, { readonly type: "source-url" }>;

/** What of a conversation its messages are made of: a session, or a snapshot of one. */
export type Conversation = Pick<GloveSession, "getSnapshot"> | GloveSnapshot;

/** A conversation as messages of the AI SDK, for `useChat({ messages })` and components that draw those. Of a session that is open, as it is shown now. */
export function toUIMessages(conversation: Conversation): UIMessage[] {
  const messages = ourMessages(conversation);
  for (const { id } of messages) givenTo(conversation).add(id);
  return messages.map(({ id, role, parts }) => ({ id, role, parts: parts.flatMap(partsOf) }));
}

const given = new WeakMap<Conversation, Set<string>>();

/** The ids of what a chat was given of a conversation. */
export function givenTo(conversation: Conversation): Set<string> {
  const ids = given.get(conversation) ?? new Set();
  given.set(conversation, ids);
  return ids;
}

export function ourMessages(conversation: Conversation): readonly OurMessage[] {
  return createMessages()("getSnapshot" in conversation ? conversation.getSnapshot() : conversation);
}

function partsOf(part: OurPart, at: number): Part[] {
  if (isCall(part)) return [callOf(part)];
  if (part.type !== "text") return [part as Part];
  const { type, text, state } = part;
  return [{ type, text, state }, ...sourcesOf(part, at)];
}

/** The links of a text, as parts and as chunks alike. What no page should lead to is left out. */
export function sourcesOf({ sources = [] }: TextPart, at: number): SourcePart[] {
  return sources.flatMap((source, nth): SourcePart[] => {
    // A store may hold anything.
    if (!/^https?:/i.test(source?.url)) return [];
    const { url, title } = source;
    return [{ type: "source-url", sourceId: `source-${at}-${nth}`, url, ...(typeof title === "string" && { title }) }];
  });
}

function callOf(part: ToolPart): Part {
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
