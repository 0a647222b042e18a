// What the page has sent, where the core's run is, and how both end.

import { fromCore } from "../wasm/core-errors.js";
import { nextRequest, silent } from "./answer.js";
import { isBusy } from "./busy.js";
import type { Reducers } from "./events.js";
import { approvalsOf, slotReducers } from "./slots.js";
import type { QueuedMessage } from "./snapshot.js";
import { noUsage, type SessionState, unlessSame, withShown } from "./state.js";
import { failAtEntry } from "./timeline.js";

const without = <T extends { readonly id: string }>(messages: readonly T[], id: string) =>
  messages.filter((message) => message.id !== id);

const waiting = (state: SessionState, id: string, waits: boolean): SessionState => ({
  ...state,
  sent: state.sent.map((message) => (message.id === id ? { ...message, waits } : message)),
});

const isServed = ({ core }: SessionState, id: string) => core.request === id || core.queue.some((message) => message.id === id);

type Kinds = "sent" | "given" | "slow" | "kept" | "dropped" | "settled" | "ended" | "state" | "lost";

export const requestReducers: Reducers<Kinds> = {
  sent: (state, { kind, ...message }) => ({
    ...withShown(state, { error: undefined }),
    kept: without(state.kept, message.id),
    // After a reload, one that is sent again under its id may be there already.
    sent: isServed(state, message.id) ? state.sent : [...without(state.sent, message.id), message],
  }),
  // Where nothing runs, the next that the core says is that it serves it; until then it stays on the screen.
  given: (state, { id }) => (state.core.request === null ? state : waiting(state, id, false)),
  slow: (state, { id }) => (state.sent.some((message) => message.id === id) ? waiting(state, id, true) : state),
  kept: (state, { kind, ...message }) => ({ ...state, kept: [...without(state.kept, message.id), message] }),
  dropped: (state, { id }) => ({ ...state, kept: without(state.kept, id) }),
  settled(before, { id, error }) {
    const state = { ...before, sent: without(before.sent, id) };
    // It may never have begun, so no end of another request says that it went well.
    return error ? { ...endedWith(state, id, error), failure: state.failure } : state;
  },
  ended: (state, { request, error }) => endedWith(state, request, error ? fromCore(error) : undefined),
  state(before, { phase, request, queue, questions, undoable, usage, turns, hidden = false }, context) {
    const { shown, core } = before;
    const served = new Set([request, ...queue.map(({ id }) => id)]);
    const same = shown.undoable.length === undoable.length && shown.undoable[0]?.toolCallId === undoable[0]?.toolCallId;
    return {
      ...before,
      ...(request !== core.request && nextRequest(before)),
      // An answer that breaks off leaves its text as an entry, if at all.
      ...(phase !== "model" && silent),
      core: { phase, request, queue, hidden },
      // What was sent shows up here as the request being served or in the queue.
      sent: before.sent.filter(({ id }) => !served.has(id)),
      shown: {
        ...shown,
        run: unlessSame(shown.run, { phase }),
        isCompacting: phase === "compacting",
        approvals: approvalsOf(shown.approvals, questions, context),
        undoable: same ? shown.undoable : undoable,
        stats: unlessSame(shown.stats, { ...noUsage, ...usage, turns }),
      },
    };
  },
  lost(before, { error, over }, context, unseen) {
    const busy = isBusy(before);
    const state = busy || over ? withShown(before, { error }) : before;
    const phase = over ? "idle" : busy ? "interrupted" : state.core.phase;
    const { stats, undoable } = state.shown;
    const none = { request: null, queue: [], questions: [], contextTokens: 0 };
    const run = { kind: "state", phase, ...none, undoable, turns: stats.turns, usage: stats } as const;
    const stopped = requestReducers.state(state, run, context, unseen);
    return slotReducers.slots(stopped, { kind: "slots", slots: [] }, context, unseen);
  },
};

/** An error is shown until a later request goes well; that of a request which another one follows, where it ended. */
function endedWith(state: SessionState, id: string | null, error: Error | undefined): SessionState {
  const { request, phase } = state.core;
  const rests = phase === "paused" || phase === "interrupted";
  const goesOn = id !== null && request !== null && request !== id && !rests;
  const failed = error && id !== null && goesOn ? failAtEntry(state, id, error) : undefined;
  if (failed) return failed;
  const over = !error && !rests && state.failure !== undefined && state.shown.error === state.failure;
  return { ...(error || over ? withShown(state, { error }) : state), failure: error };
}

/** What waits for its turn; the same object as before where that is so. */
export function queueOf({ shown, kept, core, sent }: SessionState): readonly QueuedMessage[] {
  const waits = sent.filter(({ waits }) => waits).map(({ waits, ...message }) => message);
  const seen = [...kept, ...core.queue, ...waits].filter(({ hidden }) => !hidden);
  const now = seen.map(({ hidden, ...message }) => message);
  return now.length === shown.queue.length && now.every(({ id }, at) => shown.queue[at]?.id === id) ? shown.queue : now;
}
