// What the page has sent, where the core's run is, and how both end.

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

export const requestReducers: Reducers<
  "sent" | "given" | "slow" | "kept" | "dropped" | "settled" | "unsettled" | "state" | "lost"
> = {
  sent: (state, { id, text, waits }) => ({
    ...withShown(state, { error: undefined }),
    kept: without(state.kept, id),
    sent: [...without(state.sent, id), { id, text, waits }],
    open: [...state.open, id],
  }),
  given: (state, { id }) => waiting(state, id, false),
  slow: (state, { id }) => waiting(state, id, true),
  kept: (state, { id, text }) => ({ ...state, kept: [...without(state.kept, id), { id, text }] }),
  dropped: (state, { id }) => ({ ...state, kept: without(state.kept, id) }),
  settled(before, { id, error }) {
    const open = before.open.filter((other) => other !== id);
    const state = { ...before, sent: without(before.sent, id), open, ending: false };
    const { request, phase } = state.core;
    const goesOn = request !== null && request !== id && phase !== "paused" && phase !== "interrupted";
    const failed = error && goesOn ? failAtEntry(state, id, error) : undefined;
    if (failed) return failed;
    const over = !error && state.failure !== undefined && state.shown.error === state.failure;
    return { ...(error || over ? withShown(state, { error }) : state), failure: error };
  },
  unsettled: (state) => ({ ...state, ending: false }),
  state(before, { phase, request, queue, questions, undoable, usage, turns }, context) {
    const { shown, core, reported } = before;
    const served = new Set([request, ...queue.map(({ id }) => id)]);
    const same = shown.undoable.length === undoable.length && shown.undoable[0]?.toolCallId === undoable[0]?.toolCallId;
    return {
      ...before,
      ...(request !== core.request && nextRequest(before)),
      // An answer that breaks off leaves its text as an entry, if at all.
      ...(phase !== "model" && silent),
      core: { phase, request, queue },
      // What was sent shows up here as the request being served or in the queue.
      sent: before.sent.filter(({ id }) => !served.has(id)),
      ending: phase === "paused" && core.request !== null && before.open.includes(core.request),
      reported: undefined,
      shown: {
        ...shown,
        run: unlessSame(shown.run, { phase }),
        isCompacting: phase === "compacting",
        approvals: approvalsOf(shown.approvals, questions, context),
        undoable: same ? shown.undoable : undoable,
        stats: unlessSame(shown.stats, { ...noUsage, ...usage, turns }),
        error: shown.error ?? (phase === "paused" ? reported : undefined),
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

/** The core tells of an error: of a run that stands still, it is shown, also where nobody of this page has asked for that run. */
export function errorReported(state: SessionState, error: Error): SessionState {
  if (state.core.phase !== "paused") return { ...state, reported: error };
  return state.shown.error ? state : withShown(state, { error });
}

/** What waits for its turn; the same object as before where that is so. */
export function queueOf({ shown, kept, core, sent }: SessionState): readonly QueuedMessage[] {
  const waits = sent.filter(({ waits }) => waits).map(({ id, text }) => ({ id, text }));
  const now = [...kept, ...core.queue, ...waits];
  return now.length === shown.queue.length && now.every(({ id }, at) => shown.queue[at]?.id === id) ? shown.queue : now;
}
