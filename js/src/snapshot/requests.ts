// What the page has sent, where the core's run is, and how both end.

import { nextRequest, silent } from "./answer.js";
import { approvalsOf, setSlots } from "./slots.js";
import type { QueuedMessage } from "./snapshot.js";
import { type CoreState, isBusy, noUsage, type SessionState, type SlotContext, unlessSame, withShown } from "./state.js";
import { failAtEntry } from "./timeline.js";

const without = <T extends { readonly id: string }>(messages: readonly T[], id: string) =>
  messages.filter((message) => message.id !== id);

export function sent(state: SessionState, id: string, text: string, waits: boolean): SessionState {
  return {
    ...withShown(state, { error: undefined }),
    kept: without(state.kept, id),
    sent: [...without(state.sent, id), { id, text, waits }],
    open: [...state.open, id],
  };
}

export function waits(state: SessionState, id: string, waits: boolean): SessionState {
  return { ...state, sent: state.sent.map((message) => (message.id === id ? { ...message, waits } : message)) };
}

export function kept(state: SessionState, id: string, text: string): SessionState {
  return { ...state, kept: [...without(state.kept, id), { id, text }] };
}

export const dropped = (state: SessionState, id: string): SessionState => ({ ...state, kept: without(state.kept, id) });

/** It is known how a request has ended. */
export function settled(before: SessionState, id: string, error?: Error): SessionState {
  const open = before.open.filter((other) => other !== id);
  const state = { ...before, sent: without(before.sent, id), open, ending: false };
  const { request, phase } = state.core;
  const goesOn = request !== null && request !== id && phase !== "paused" && phase !== "interrupted";
  const failed = error && goesOn ? failAtEntry(state, id, error) : undefined;
  if (failed) return failed;
  const over = !error && state.failure !== undefined && state.shown.error === state.failure;
  return { ...(error || over ? withShown(state, { error }) : state), failure: error };
}

/** Where the run is. */
export function setRun(before: SessionState, run: CoreState, context: SlotContext): SessionState {
  const { phase, request, queue, questions, undoable: now, usage, turns } = run;
  const { shown, core, reported } = before;
  const served = new Set([request, ...queue.map(({ id }) => id)]);
  const undoable = shown.undoable;
  const same = undoable.length === now.length && undoable[0]?.toolCallId === now[0]?.toolCallId;
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
      run: shown.run.phase === phase ? shown.run : { phase },
      isCompacting: phase === "compacting",
      approvals: approvalsOf(shown.approvals, questions, context),
      undoable: same ? undoable : now,
      stats: unlessSame(shown.stats, { ...noUsage, ...usage, turns }),
      error: shown.error ?? (phase === "paused" ? reported : undefined),
    },
  };
}

/** The core tells of an error: of a run that stands still, it is shown, also where nobody of this page has asked for that run. */
export function reported(state: SessionState, error: Error): SessionState {
  if (state.core.phase !== "paused") return { ...state, reported: error };
  return state.shown.error ? state : withShown(state, { error });
}

/** The core is gone: what runs or waits there has to be taken up again, unless it is `over`. */
export function lost(before: SessionState, error: Error, over: boolean, context: SlotContext): SessionState {
  const busy = isBusy(before);
  const state = busy || over ? withShown(before, { error }) : before;
  const phase = over ? "idle" : busy ? "interrupted" : state.core.phase;
  const { stats, undoable } = state.shown;
  const none = { request: null, queue: [], questions: [], contextTokens: 0 };
  const run = setRun(state, { kind: "state", phase, ...none, undoable, turns: stats.turns, usage: stats }, context);
  return setSlots(run, [], context);
}

/** What waits for its turn; the same object as before where that is so. */
export function queueOf({ shown, kept, core, sent }: SessionState): readonly QueuedMessage[] {
  const waiting = sent.filter(({ waits }) => waits).map(({ id, text }) => ({ id, text }));
  const now = [...kept, ...core.queue, ...waiting];
  return now.length === shown.queue.length && now.every(({ id }, at) => shown.queue[at]?.id === id) ? shown.queue : now;
}
