// Messages with parts, typed by the tools of a client.

import {
  type CompactionPart,
  createMessages as createShown,
  type FilePart,
  type MessageSource,
  type OutputPart,
  type ReasoningPart,
  type TextPart,
  type TypedToolPart,
} from "../../src/messages/messages.js";
import type { GloveClient } from "../../src/session/client.js";
import type { MessageBranches } from "../../src/wire/run-types.js";
import type { CallsOf, CallTypes } from "../timeline/typed-calls.js";

export type { CompactionPart, FilePart, OutputPart, ReasoningPart, TextPart, TypedToolPart };

/** One message of the conversation: what a person sent, or all of an answer. */
export interface UIMessage<C = GloveClient> {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly parts: readonly UIMessagePart<C>[];
  /** What stands in its place on other branches of the conversation, where there is anything. */
  readonly branches?: MessageBranches;
}

/** A piece of a message, told apart by its `type`. */
export type UIMessagePart<C = GloveClient> = TextPart | ReasoningPart | FilePart | ToolPart<C> | OutputPart | CompactionPart;

/**
 * A call of a tool, its type being `tool-` and the name. What else it has depends on its `state`. With a client it is a call of one of that
 * client's tools; `input` is then what the tool gets, as far as it is written, and of a call that failed whatever the model wrote.
 */
export type ToolPart<C = GloveClient> = PartOf<CallsOf<C>>;
type PartOf<T> = T extends CallTypes ? TypedToolPart<T["name"], T["input"], T["renderData"]> : never;

/** Follows one session: each call builds anew only the messages whose entries or approvals changed. */
export const createMessages: () => (source: MessageSource) => UIMessage[] = createShown;
