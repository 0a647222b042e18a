// Where the core's run is, and how it ends.

import { fromCore } from "../wasm/core-errors.js";
import { nextRequest, silent } from "./answer.js";
import { isBusy } from "./busy.js";
import type { PageChanges, Reducers } from "./events.js";
import { endedWith } from "./failures.js";
import { pageReducers, sentAs } from "./page-events.js";
import { approvalsOf, slotReducers } from "./slots.js";
import { noUsage, type SessionState, unlessSame, withBase } from "./state.js";

export const requestReducers: Reducers<"page" | "slow" | "settled" | "delivered" | "ended" | "state" | "lost"> = {
  page: (state, { changes }) => (isUnchanged(state.base, changes) ? state : withBase(state, changes)),
  slow: (state, { id }) => (state.sent.some((message) => message.id === id) ? sentAs(state, id, { waits: true }) : state),
  settled(before, { id, error }, context, unseen) {
    const state = pageReducers.settled(before, { kind: "settled", id, error: undefined }, context, unseen);
    // It may never have begun, so no end of another request says that it went well.
    return error ? { ...endedWith(state, id, error), failure: state.failure } : state;
  },
  // Where nothing runs, the next that the core says is that it serves it; until then it stays on the screen.
  delivered: (state, { id }) => (state.core.request === null ? state : sentAs(state, id, { waits: false })),
  ended: (state, { request, error }) => endedWith(state, request, error ? fromCore(error) : undefined),
  state(
    before,
    { phase, request, queue, questions, undoable, usage, turns, contextTokens, contextLimit, hidden = false },
    context,
  ) {
    const { base, core } = before;
    const served = new Set([request, ...queue.map(({ id }) => id)]);
    const same = base.undoable.length === undoable.length && base.undoable[0]?.toolCallId === undoable[0]?.toolCallId;
    // Until its request is answered by the core, what was shown of the answer before stays.
    const early = before.early?.id === (request ?? core.request) && phase !== "model" ? undefined : before.early;
    return {
      ...before,
      early,
      ...(request !== core.request && nextRequest(before)),
      // An answer that breaks off leaves its text as an entry, if at all.
      ...(phase !== "model" && silent),
      core: { phase, request, queue, hidden, questions },
      // What was sent shows up here as the request being served or in the queue.
      sent: before.sent.filter(({ id }) => !served.has(id)),
      // The leader sends the change of its `held` messages a moment later.
      undelivered: before.undelivered.filter(({ id }) => !served.has(id)),
      base: {
        ...base,
        run: unlessSame(base.run, { phase }),
        isCompacting: phase === "compacting",
        // Of the call of a model that was going on.
        waiting: phase === core.phase && request === core.request ? base.waiting : undefined,
        approvals: approvalsOf(base.approvals, questions, context),
        undoable: same ? base.undoable : undoable,
        stats: unlessSame(base.stats, { ...noUsage, ...usage, turns, contextTokens, contextLimit }),
      },
    };
  },
  lost(before, { error, over }, context, unseen) {
    const busy = isBusy(before);
    const state = busy || over ? withBase(before, { error }) : before;
    const phase = over ? "idle" : busy ? "interrupted" : state.core.phase;
    const { stats, undoable } = state.base;
    const { turns, contextTokens, contextLimit } = stats;
    const none = { request: null, queue: [], questions: [] };
    const run = { kind: "state", phase, ...none, undoable, turns, contextTokens, contextLimit, usage: stats } as const;
    const stopped = requestReducers.state(state, run, context, unseen);
    return slotReducers.slots(stopped, { kind: "slots", slots: [] }, context, unseen);
  },
};

/** Stores give another list each time, also of nothing. */
function isUnchanged(base: SessionState["base"], changes: PageChanges): boolean {
  const nothing = (value: unknown) => Array.isArray(value) && value.length === 0;
  const names = Object.keys(changes) as (keyof PageChanges)[];
  return names.every((name) => base[name] === changes[name] || (nothing(base[name]) && nothing(changes[name])));
}
