// What becomes of the state of a session with what its page does: messages are sent and wait, and each of them ends. All that a page
// needs before it hears of a core.

import type { Reducers, SnapshotEvent } from "./events.js";
import type { QueuedMessage } from "./snapshot.js";
import { type SentMessage, type SessionState, type SlotContext, withBase } from "./state.js";

const without = <T extends { readonly id: string }>(messages: readonly T[], id: string) =>
  messages.filter((message) => message.id !== id);

export const isServed = ({ core }: SessionState, id: string) =>
  core.request === id || core.queue.some((message) => message.id === id);

/** The state with one of the messages that were sent as it is now. */
export const sentAs = (state: SessionState, id: string, changes: Partial<SentMessage>): SessionState => ({
  ...state,
  sent: state.sent.map((message) => (message.id === id ? { ...message, ...changes } : message)),
});

export const pageReducers: Reducers<
  "page" | "model" | "sent" | "safe" | "undelivered" | "dropped" | "early" | "settled" | "lost"
> = {
  page: (state, { changes }) => withBase(state, changes),
  model: (state, { before, now }) => {
    const unreadBy = new Map(state.unreadBy).set(before, state.unread);
    return { ...state, unreadBy, unread: unreadBy.get(now) ?? new Set() };
  },
  sent: (state, { kind, ...message }) => ({
    ...withBase(state, { error: undefined }),
    undelivered: without(state.undelivered, message.id),
    // After a reload, one that is sent again under its id may be there already.
    sent: isServed(state, message.id) ? state.sent : [...without(state.sent, message.id), message],
  }),
  safe: (state, { id, unkept }) => sentAs(state, id, { unsafe: false, unkept }),
  undelivered: (state, { kind, ...message }) => ({ ...state, undelivered: [...without(state.undelivered, message.id), message] }),
  dropped: (state, { id }) => ({ ...state, undelivered: without(state.undelivered, id) }),
  early: (state, { early }) => ({ ...state, early }),
  settled: (state, { id, error }) => ({ ...(error ? withBase(state, { error }) : state), sent: without(state.sent, id) }),
  // Nothing of a run is shown yet.
  lost: (state, { error }) => withBase(state, { error }),
};

/**
 * The state after an event. Nothing of the one before is changed, but for the timeline and arguments of calls that are being written:
 * what of them is in `unseen` is in no snapshot yet, and grows in place.
 */
export type Reduce = (
  before: SessionState,
  event: SnapshotEvent,
  context: SlotContext | undefined,
  unseen?: WeakSet<object>,
) => SessionState;

type Reducer = Reducers<SnapshotEvent["kind"]>[SnapshotEvent["kind"]];

/** For the kinds of events that these know. */
export const reduceBy =
  (reducers: Partial<Reducers<SnapshotEvent["kind"]>>): Reduce =>
  (before, event, context, unseen = new WeakSet()) => {
    const reducer = reducers[event.kind] as Reducer;
    const state = reducer(before, event as never, context as SlotContext, unseen);
    const { core, sent, undelivered: kept, early } = state;
    if (core === before.core && sent === before.sent && kept === before.undelivered && early?.id === before.early?.id)
      return state;
    const queue = queueOf(state);
    return queue === state.base.queue ? state : withBase(state, { queue });
  };

/** What waits for its turn; the same object as before where that is so. */
function queueOf({ base, undelivered: kept, core, sent, early }: SessionState): readonly QueuedMessage[] {
  const waits = sent.filter(({ waits, unsafe }) => waits && !unsafe).map(({ waits, unsafe, unkept, ...message }) => message);
  const seen = [...kept, ...core.queue, ...waits].filter(({ hidden, id }) => !hidden && id !== early?.id);
  const now = seen.map(({ hidden, ...message }) => message);
  const isAsBefore = ({ id, steers }: QueuedMessage, at: number) => base.queue[at]?.id === id && base.queue[at].steers === steers;
  return now.length === base.queue.length && now.every(isAsBefore) ? base.queue : now;
}
