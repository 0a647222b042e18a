// All that a conversation shows and offers, whichever framework draws it.

import type { Command } from "../react/commands/list.js";
import type { UIMessage } from "../react/hooks/messages.js";
import type { ClientEntry, ClientStreamingCall } from "../react/timeline/typed-calls.js";
import type { RunOutcome, SendMessage } from "../src/messages/outcome.js";
import type { MessageInput } from "../src/messages/request.js";
import type { InboxItem } from "../src/ports/store.js";
import type { GloveClient } from "../src/session/client.js";
import type { UndoOptions } from "../src/session/outgoing-message.js";
import type { GloveSession } from "../src/session/session.js";
import type { SessionRunnable } from "../src/session/session-runnable.js";
import type { GloveSnapshot, ShownSlot } from "../src/snapshot/snapshot.js";
import type { Task } from "../src/wire/record.js";

/** What can be asked of a conversation. Each is the same function as long as the component lives. */
export interface GloveActions {
  /** Settles with the run: with its outcome, or with the error that `error` shows. Nobody needs to catch it. */
  sendMessage: SendMessage;
  /** Stops the run; what was shown of the answer stays. */
  abort: () => void;
  stop: () => void;
  /** Takes back a message that waits in `queue`. False when none with this id waits. */
  cancelQueued: (id: string) => boolean;
  /** Brings a message of `queue` in front of another one there. False when one of them does not wait. */
  moveQueued: (id: string, before: string) => boolean;
  /** Lets the run that goes on read a message of `queue` after its current step. */
  sendNow: (id: string) => boolean;
  regenerate: () => Promise<RunOutcome>;
  /** Replaces a message of the user and answers the new one. Both versions stay, as branches. */
  edit: (messageId: string, message: string | MessageInput) => Promise<RunOutcome>;
  /** The ids of what stands in the place of a message on all branches, the oldest first. */
  branches: (messageId: string) => readonly string[];
  /** Shows the branch with this message. */
  switchBranch: (messageId: string) => Promise<void>;
  /** Starts another conversation with the messages up to this one. Gives its id. */
  fork: (messageId: string) => Promise<string>;
  /** Goes on after a pause or a failure. */
  resume: () => Promise<RunOutcome>;
  /** Takes the session over from another tab, for when that one does not answer (`tab` is `blocked`). */
  takeOver: () => Promise<void>;
  /** Takes the last actions back. */
  undo: (steps?: number, options?: UndoOptions) => Promise<RunOutcome>;
  /**
   * Allows what waits in `approvals`. False when it waits for nobody any more: it was decided before, here or in another tab, or its call
   * was stopped. A promise of that where another tab, a worker or a server runs the session.
   */
  approve: (id: string, options?: { readonly remember?: boolean }) => boolean | Promise<boolean>;
  reject: (id: string, reason?: string, options?: { readonly remember?: boolean }) => boolean | Promise<boolean>;
  /** False when no such slot is open, or when this cannot be its answer. */
  resolveSlot: (slotId: string, value?: unknown) => boolean | Promise<boolean>;
  rejectSlot: (slotId: string, reason?: string) => boolean | Promise<boolean>;
  /** Dismisses the error, and retries a conversation that could not be opened. */
  clearError: () => void;
  /** Begins another conversation, under this id or a new one. Gives its id. */
  newConversation: (id?: string) => Promise<string>;
  switchConversation: (id: string) => void;
}

// The original's arrays may be written to, and what was written for it says so in its types.
interface Lists<C = GloveClient> {
  timeline: ClientEntry<C>[];
  slots: ShownSlot[];
  tasks: Task[];
  inbox: InboxItem[];
}

/** A conversation without what draws it. With a client its calls are those of the client's tools. */
export interface ChatState<C = GloveClient> extends Omit<GloveSnapshot, keyof Lists | "streamingCalls">, Lists<C>, GloveActions {
  /** The calls whose arguments are being written. Nothing of them runs yet. */
  readonly streamingCalls: readonly ClientStreamingCall<C>[];
  /** The timeline as messages with parts. */
  messages: UIMessage<C>[];
  /** What a message can call by `/name`: the hooks and skills of the session. */
  readonly commands: readonly Command[];
  /** The session as an agent; null before there is one. */
  runnable: SessionRunnable | null;
  /** The session itself; null before there is one. */
  session: GloveSession | null;
}
