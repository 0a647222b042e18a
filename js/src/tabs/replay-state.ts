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
  /** That the model is asked again, and when. */
  #wait: { readonly event: CoreEvent & { readonly kind: "event" }; readonly until: number } | undefined;
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
      this.#wait = undefined;
    }
    if (event.kind !== "event") return;
    const { wait_ms } = event.data as { readonly wait_ms?: number };
    this.#wait = event.type === "model_retry" ? { event, until: Date.now() + Number(wait_ms) } : undefined;
    const { text, reasoning } = this.#written;
    const piece = (event.data as { readonly text: string }).text;
    if (event.type === "text_delta") this.#written = { text: text + piece, reasoning };
    if (event.type === "reasoning_delta") this.#written = { text, reasoning: reasoning + piece };
    if (event.type === "model_response" || event.type === "model_response_complete") this.#written = nothing;
  }

  all(timeline: readonly ShownEntry[]): { readonly events: readonly CoreEvent[]; readonly written: Written } {
    const entries: CoreEvent = { kind: "timeline", len: timeline.length, set: [[0, timeline]] };
    const wait = this.#wait;
    const waits = wait && { ...wait.event, data: { ...Object(wait.event.data), wait_ms: Math.max(0, wait.until - Date.now()) } };
    return { events: [entries, this.slots, ...this.#state, ...(waits ? [waits] : [])], written: this.#written };
  }
}
