// Which slots are on the screen, and beside which entry of the timeline.
import type { EnhancedSlot, TimelineEntry } from "../src/snapshot.js";

/** What the slots' strategies leave to show, in their order. */
export function visibleSlots(slots: readonly EnhancedSlot[]): EnhancedSlot[] {
  const newest = new Map<string, EnhancedSlot>();
  for (const slot of slots) newest.set(kind(slot), slot);
  return slots.filter((slot) => {
    if (slot.displayStrategy === "hide-on-complete") return slot.status === "pending";
    if (slot.displayStrategy === "hide-on-new") return newest.get(kind(slot)) === slot;
    return true;
  });
}

// One tool may push several kinds of slots, and a question of the run itself is none of its kinds.
const kind = (slot: EnhancedSlot) => `${slot.toolName}\n${slot.renderer}`;

/** The slots by the index of their call's entry; `rest` belongs to no entry. */
export interface PlacedSlots {
  readonly at: ReadonlyMap<number, EnhancedSlot[]>;
  readonly rest: EnhancedSlot[];
}

export function placeSlots(slots: readonly EnhancedSlot[], timeline: readonly TimelineEntry[]): PlacedSlots {
  const at = new Map<number, EnhancedSlot[]>();
  const rest: EnhancedSlot[] = [];
  for (const slot of slots) {
    // From the end: ids that a provider uses again belong to its latest call.
    const index = slot.toolCallId === "" ? -1 : timeline.findLastIndex((entry) => isCall(entry, slot.toolCallId));
    const group = index < 0 ? rest : at.get(index);
    if (group) group.push(slot);
    else at.set(index, [slot]);
  }
  return { at, rest };
}

const isCall = (entry: TimelineEntry, id: string) => entry.kind === "tool" && entry.id === id;
