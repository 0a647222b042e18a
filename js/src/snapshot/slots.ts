// The display stack and the questions of the core, as they are shown.

import type { CoreQuestion, CoreSlot } from "../wire/run-types.js";
import type { Reducers } from "./events.js";
import type { Approval, ShownSlot } from "./snapshot.js";
import { newestSlots, type SessionState, type SlotContext, unlessSame, withBase } from "./state.js";

export const slotReducers: Reducers<"slots" | "refused" | "tools"> = {
  slots(state, { slots: stack }, context) {
    const known = new Map(state.base.slots.map((slot) => [slot.id, slot]));
    const slots = stack.map((slot) => shownSlot(state, slot, known.get(slot.id), context));
    const newest = newestSlots(slots);
    // Also when the newer one is gone.
    const replaced = (slot: ShownSlot) => slot.displayStrategy === "hide-on-new" && !slot.replaced && !newest.has(slot);
    return withBase(state, { slots: slots.map((slot) => (replaced(slot) ? { ...slot, replaced: true } : slot)) });
  },
  // A question says what the tools say that are there now.
  tools(state, _, context) {
    const { slots } = state.base;
    const approvals = approvalsOf(state.base.approvals, state.core.questions, context);
    const asked = new Set(approvals.map(({ id }) => id));
    const now = slots.map((slot) => (asked.has(slot.id) && slot.status === "pending" ? saidAnew(slot, context) : slot));
    const base = unlessSame(state.base, { ...state.base, approvals, slots: unlessSame(slots, now) });
    return base === state.base ? state : { ...state, base };
  },
  // Why is shown until the slot is settled.
  refused: (state, { slot: id, error, issues }) =>
    withBase(state, { slots: state.base.slots.map((slot) => (slot.id === id ? { ...slot, error, issues } : slot)) }),
};

function shownSlot(state: SessionState, slot: CoreSlot, known: ShownSlot | undefined, context: SlotContext): ShownSlot {
  const displayStrategy = context.strategy(slot.renderer);
  const live = context.live(slot.id);
  const same = known?.status === slot.status && known.displayStrategy === displayStrategy;
  const isLive = live !== undefined && "input" in live;
  if (same && (!isLive || live.input === known.input)) return known;
  return {
    id: slot.id,
    renderer: slot.renderer,
    input: isLive ? live.input : known ? known.input : withTitle(slot.input, context),
    toolName: known?.toolName || (slot.owner === undefined ? "" : toolOf(state, slot.owner)),
    toolCallId: slot.owner ?? "",
    createdAt: slot.created_at,
    waits: slot.waits,
    displayStrategy,
    status: slot.status,
    answer: slot.answer ?? undefined,
    ...(known?.replaced && { replaced: true }),
  };
}

/** A call is in the timeline before its tool runs. */
function toolOf({ base }: SessionState, call: string): string {
  const entry = base.timeline.findLast(({ kind, id }) => kind === "tool" && id === call);
  return entry?.kind === "tool" ? entry.name : "";
}

/** A question of the core about a call says what the call and its tool do. */
function withTitle(input: unknown, context: SlotContext): unknown {
  const { toolName, toolInput, judged } = (input ?? {}) as {
    readonly toolName?: unknown;
    readonly toolInput?: unknown;
    readonly judged?: unknown;
  };
  if (typeof toolName !== "string") return input;
  return { ...(input as object), ...words(toolName, toolInput, judged, context) };
}

/** What its tool says of a call. What the decision rests on stands in the question: it is what was said when it was asked, and decided on. */
function words(tool: string, input: unknown, judged: unknown, context: SlotContext) {
  const { away, unknown, ...asks } = context.asks(tool, input);
  const of = { title: context.title(tool, input), description: context.description(tool), ...asks };
  const stored = judged as (Omit<typeof of, "act"> & { readonly act?: true; readonly gates?: string }) | null | undefined;
  const { title, description, confirm, danger } = stored ?? of;
  return {
    ...(title !== undefined && { title }),
    ...(description && { description }),
    ...(confirm !== undefined && { confirm }),
    ...(danger && { danger }),
    // The button is named by what is shown, and never by what the tool says since.
    ...(title !== undefined && (stored?.act || of.act === title) && { act: title }),
    ...((away || (stored?.gates !== undefined && unknown)) && { away: true as const }),
  };
}

/** The same with what the tools of now say of it. */
function saidAnew(slot: ShownSlot, context: SlotContext): ShownSlot {
  const {
    title: _,
    description: _d,
    confirm: _c,
    act: _n,
    danger: _r,
    away: _a,
    ...rest
  } = slot.input as Record<string, unknown>;
  const input = withTitle(rest, context) as object;
  return unlessSame(slot, { ...slot, input: unlessSame(slot.input as object, input) });
}

/** The approvals that these questions ask for; those that say the same as before are the same objects. */
export function approvalsOf(
  before: readonly Approval[],
  questions: readonly CoreQuestion[],
  context: SlotContext,
): readonly Approval[] {
  const known = new Map(before.map((approval) => [approval.id, approval]));
  return unlessSame(
    before,
    questions.map((question) => {
      const before = known.get(question.id);
      const now = approval(question, context);
      return before ? unlessSame(before, before.input === undefined ? now : { ...now, input: before.input }) : now;
    }),
  );
}

function approval({ id, kind, call_id, tool_name, input, reason, judged }: CoreQuestion, context: SlotContext): Approval {
  const { description: _, ...asks } = tool_name === undefined ? {} : words(tool_name, input, judged, context);
  return {
    id,
    kind,
    ...(tool_name !== undefined && { toolName: tool_name }),
    ...asks,
    ...(call_id !== undefined && { toolCallId: call_id }),
    ...(input !== undefined && { input }),
    ...(reason !== undefined && { reason }),
  };
}
