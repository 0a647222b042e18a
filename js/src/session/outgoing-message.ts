// What a session is asked to send: a message, an edit, the last answer again, or a trigger.

import type { RunOutcome } from "../messages/outcome.js";
import type { MessageInput } from "../messages/request.js";

/** Without `regenerate` it says something, and with `edits` in the place of another message. With `trigger` nobody says it, and with `byModel` no person. */
export type OutgoingMessage = MessageInput & {
  readonly regenerate?: true;
  readonly edits?: string;
  readonly trigger?: true;
  /** Only of a trigger. */
  readonly visible?: boolean;
  readonly byModel?: true;
};

/** A message on its way. */
export interface Sent {
  readonly id: string;
  input: OutgoingMessage;
  /** Of two, the later one has the larger number. */
  readonly at: number;
  /** Others before it are not given to the core yet. */
  readonly behind: boolean;
  /** It is the first of a session that has just been made. */
  readonly isFirst: boolean;
  /** It is written down where the core has it not at once. */
  readonly keeps: boolean;
  /** It was written down, or is on its way there. */
  noted: boolean;
  /** It could not be, and that was told. */
  unkept?: boolean;
  delivered: boolean;
  cancelled: boolean;
  /** The session could not be opened for it. */
  unopened: boolean;
  /** For who sends it again meanwhile. */
  outcome?: Promise<RunOutcome>;
  /** It is written down, or cannot be. */
  safe?: Promise<void>;
  /** Stops what is done with it before it is sent, if it is more than reading files. */
  stop?: AbortController;
  /** Waits no longer for its files, and for those before it. */
  leave?(): void;
}

/** Of `undo`. */
export interface UndoOptions {
  /** The id of the call that a person saw as the last: where another one is the last by then, nothing is undone. */
  readonly last?: string | undefined;
}

/** A prompt that nobody writes. */
export interface TriggerInput {
  /** Why it begins, for the model. */
  readonly reason: string;
  /** Names the occasion. Given again, by another tab or after a reload, it does not begin again: it resolves as the first one does. */
  readonly id?: string;
  /** The model that answers, by its name in `models`. */
  readonly model?: string;
  /** With `false` no person sees it: it is in the record and in `prompts()`, and the model reads it later on. What it asks a person is shown. */
  readonly visible?: boolean;
  /** Stops it, also while it waits for its turn. */
  readonly signal?: AbortSignal | undefined;
}
