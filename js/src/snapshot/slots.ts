// The display stack and the questions of the core, as they are shown.

import type { CoreQuestion, CoreSlot } from "../wire/run-types.js";
import type { Reducers } from "./events.js";
import type { Approval, ShownSlot } from "./snapshot.js";
import { newestSlots, type SessionState, type SlotContext, unlessSame, withBase } from "./state.js";

export const slotReducers: Reducers<"slots" | "refused"> = {
  slots(state, { slots: stack }, context) {
    const known = new Map(state.base.slots.map((slot) => [slot.id, slot]));
    const slots = stack.map((slot) => shownSlot(state, slot, known.get(slot.id), context));
    const newest = newestSlots(slots);
    // Also when the newer one is gone.
    const replaced = (slot: ShownSlot) => slot.displayStrategy === "hide-on-new" && !slot.replaced && !newest.has(slot);
    return withBase(state, { slots: slots.map((slot) => (replaced(slot) ? { ...slot, replaced: true } : slot)) });
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
  const { toolName, toolInput } = (input ?? {}) as { readonly toolName?: unknown; readonly toolInput?: unknown };
  if (typeof toolName !== "string") return input;
  const title = context.title(toolName, toolInput);
  const description = context.description(toolName);
  const more = { ...(title !== undefined && { title }), ...(description && { description }) };
  return { ...(input as object), ...more, ...context.asks(toolName, toolInput) };
}

/** The approvals that these questions ask for; those that were known are the same objects. */
export function approvalsOf(
  before: readonly Approval[],
  questions: readonly CoreQuestion[],
  context: SlotContext,
): readonly Approval[] {
  const known = new Map(before.map((approval) => [approval.id, approval]));
  return unlessSame(
    before,
    questions.map((question) => known.get(question.id) ?? approval(question, context)),
  );
}

function approval({ id, kind, call_id, tool_name, input, reason }: CoreQuestion, context: SlotContext): Approval {
  const title = tool_name === undefined ? undefined : context.title(tool_name, input);
  return {
    id,
    kind,
    ...(tool_name !== undefined && { toolName: tool_name }),
    ...(title !== undefined && { title }),
    ...(tool_name !== undefined && context.asks(tool_name, input)),
    ...(call_id !== undefined && { toolCallId: call_id }),
    ...(input !== undefined && { input }),
    ...(reason !== undefined && { reason }),
  };
}
