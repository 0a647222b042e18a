// The latest state of the core, for tabs that join later.

import type { ShownEntry } from "../snapshot/snapshot.js";
import type { Written } from "../snapshot/state.js";
import type { CoreEvent } from "../wire/core-types.js";

const nothing: Written = { text: "", reasoning: "" };
export const noSlots: CoreEvent = { kind: "slots", slots: [] };

export class ReplayState {
  slots: CoreEvent;
  /** Slots that were shown before the core began are shown until it tells of its own. */
  hasOldSlots: boolean;
  #state: readonly CoreEvent[] = [];
  /** As the core tells it: a model of the page shows its text a moment earlier. */
  #written = nothing;

  constructor(slots = noSlots) {
    this.slots = slots;
    this.hasOldSlots = slots !== noSlots;
  }

  take(event: CoreEvent): void {
    if (event.kind === "slots") {
      this.slots = event;
      this.hasOldSlots = false;
    }
    if (event.kind === "state") {
      this.#state = [event];
      if (event.phase !== "model") this.#written = nothing;
    }
    if (event.kind !== "event") return;
    const { text, reasoning } = this.#written;
    const piece = (event.data as { readonly text: string }).text;
    if (event.type === "text_delta") this.#written = { text: text + piece, reasoning };
    if (event.type === "reasoning_delta") this.#written = { text, reasoning: reasoning + piece };
    if (event.type === "model_response" || event.type === "model_response_complete") this.#written = nothing;
  }

  all(timeline: readonly ShownEntry[]): { readonly events: readonly CoreEvent[]; readonly written: Written } {
    const entries: CoreEvent = { kind: "timeline", len: timeline.length, set: [[0, timeline]] };
    return { events: [entries, this.slots, ...this.#state], written: this.#written };
  }
}
