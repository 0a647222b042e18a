// What can happen to what a session shows: the events of its core, and those of its page.

import type { CoreEvent } from "../wire/core-types.js";
import type { Issue } from "../wire/run-types.js";
import type { EarlyAnswer, MaybeHidden, PieceKind, SentMessage, SessionState, SlotContext, Written } from "./state.js";

/** What the page says of itself. */
export type PageChanges = Partial<
  Pick<SessionState["base"], "sessionReady" | "storage" | "warning" | "tasks" | "inbox" | "error" | "tab">
>;

export type PageEvent =
  | { readonly kind: "page"; readonly changes: PageChanges }
  /** Another model answers from now on. */
  | { readonly kind: "model"; readonly before: object; readonly now: object }
  /** A message; it `waits` where it cannot be given to the core at once. */
  | ({ readonly kind: "sent" } & SentMessage)
  /** It is written down. */
  | { readonly kind: "safe"; readonly id: string; readonly unkept?: Error | undefined }
  /** The core has been given the message. */
  | { readonly kind: "delivered"; readonly id: string }
  /** It still is on its way after a while. */
  | { readonly kind: "slow"; readonly id: string }
  /** The session could not be opened for the message. */
  | ({ readonly kind: "undelivered" } & MaybeHidden)
  /** There are other tools. */
  | { readonly kind: "tools" }
  | { readonly kind: "dropped"; readonly id: string }
  /** What is shown of a message that was sent to the model before the core was there. */
  | { readonly kind: "early"; readonly early: EarlyAnswer | undefined }
  /** The promise of a request has settled; with an error where the core has not taken the request. */
  | { readonly kind: "settled"; readonly id: string; readonly error: Error | undefined }
  | { readonly kind: "progress"; readonly progress: SessionState["progress"] }
  | { readonly kind: "refused"; readonly slot: string; readonly error: string; readonly issues: readonly Issue[] }
  /** Messages of the user with a file that nobody can read. */
  | { readonly kind: "broken"; readonly ids: readonly (string | undefined)[] }
  /** A model of the page is asked; what it shows comes ahead of what the core tells. */
  | { readonly kind: "modelCalled"; readonly call: number }
  | { readonly kind: "piece"; readonly of: PieceKind; readonly text: string; readonly call: number }
  /** It gives no answer. */
  | { readonly kind: "failed"; readonly call: number }
  /**
   * Another tab is the leader now, and sends its whole state. The answer on the screen stays until the leader sends it again, unless
   * `written` has it.
   */
  | { readonly kind: "renewed"; readonly written?: Written }
  /** The core is gone: what runs or waits there has to be taken up again, unless it is `over`. */
  | { readonly kind: "lost"; readonly error: Error; readonly over: boolean };

export type SnapshotEvent = CoreEvent | PageEvent;

/** An event of this kind. */
export type Of<Kind> = Extract<SnapshotEvent, { kind: Kind }>;

/** For each of these kinds: the state after such an event. */
export type Reducers<Kinds extends SnapshotEvent["kind"]> = {
  readonly [Kind in Kinds]: (
    state: SessionState,
    event: Of<Kind>,
    context: SlotContext,
    /** What of the timeline and of arguments that are being written is in no snapshot yet, and is changed in place. */
    unseen: WeakSet<object>,
  ) => SessionState;
};
