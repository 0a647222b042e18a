// Which slots are on the screen, and beside which entry of the timeline.

import type { ShownEntry, ShownSlot } from "../../src/snapshot/snapshot.js";
import { newestSlots } from "../../src/snapshot/state.js";

/** What the slots' strategies leave to show, in their order. */
export function visibleSlots(slots: readonly ShownSlot[]): ShownSlot[] {
  // Slots that no session gave know nothing of newer ones.
  const newest = newestSlots(slots);
  return slots.filter((slot) => {
    if (slot.displayStrategy === "hide-on-complete") return slot.status === "pending";
    if (slot.displayStrategy === "hide-on-new") return !slot.replaced && newest.has(slot);
    return true;
  });
}

/** The slots by the index of their call's entry; `rest` belongs to no entry. */
export interface PlacedSlots {
  readonly at: ReadonlyMap<number, ShownSlot[]>;
  readonly rest: ShownSlot[];
}

/** Follows one conversation: groups that did not change stay the same. */
export function createPlaces(): (slots: readonly ShownSlot[], timeline: readonly ShownEntry[]) => PlacedSlots {
  let before: PlacedSlots = { at: new Map(), rest: [] };
  return (slots, timeline) => {
    const calls = new Map<string, number>();
    // Ids that a provider uses again belong to its latest call.
    if (slots.length > 0) for (const [index, { kind, id }] of timeline.entries()) if (kind === "tool") calls.set(id, index);
    const at = new Map<number, ShownSlot[]>();
    const rest: ShownSlot[] = [];
    for (const slot of slots) {
      const index = slot.toolCallId === "" ? undefined : calls.get(slot.toolCallId);
      const group = index === undefined ? rest : at.get(index);
      if (group) group.push(slot);
      else at.set(index as number, [slot]);
    }
    for (const [index, group] of at) at.set(index, kept(before.at.get(index), group));
    before = { at, rest: kept(before.rest, rest) };
    return before;
  };
}

const kept = (before: ShownSlot[] | undefined, now: ShownSlot[]) =>
  before?.length === now.length && now.every((slot, index) => slot === before[index]) ? before : now;
