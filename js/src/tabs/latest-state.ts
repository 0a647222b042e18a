// The latest state of the core, for tabs that join later.

import type { Written } from "../snapshot/state.js";
import type { CoreEvent } from "../wire/core-types.js";
import type { CoreEntry } from "../wire/run-types.js";

const nothing: Written = { text: "", reasoning: "" };
export const noSlots: CoreEvent & { readonly kind: "slots" } = { kind: "slots", slots: [] };

export class ReplayState {
  slots: CoreEvent & { readonly kind: "slots" };
  /** Slots that were shown before the core began are shown until it tells of its own. */
  hasOldSlots: boolean;
  #state: (CoreEvent & { readonly kind: "state" }) | undefined;
  /** That the model is asked again, and when. */
  #wait: CoreEvent | undefined;
  /** As the core tells it: a model of the page shows its text a moment earlier. */
  #written = nothing;

  constructor(slots: CoreEvent & { readonly kind: "slots" } = noSlots) {
    this.slots = slots;
    this.hasOldSlots = slots.slots.length > 0;
  }

  take(event: CoreEvent): void {
    if (event.kind === "slots") {
      this.slots = event;
      this.hasOldSlots = false;
    }
    if (event.kind === "state") {
      const { phase, request } = event;
      // What is sent meanwhile changes the queue alone.
      if (phase !== this.#state?.phase || request !== this.#state.request) this.#wait = undefined;
      this.#state = event;
      if (phase !== "model") this.#written = nothing;
    }
    if (event.kind === "input") this.#wait = undefined;
    if (event.kind !== "event") return;
    if (event.type === "model_retry") this.#wait = event;
    else if (/^(text|reasoning)_delta$|^model_response|^request_finished$/.test(event.type)) this.#wait = undefined;
    const { text, reasoning } = this.#written;
    const piece = (event.data as { readonly text: string }).text;
    if (event.type === "text_delta") this.#written = { text: text + piece, reasoning };
    if (event.type === "reasoning_delta") this.#written = { text, reasoning: reasoning + piece };
    if (event.type === "model_response" || event.type === "model_response_complete") this.#written = nothing;
  }

  all(timeline: readonly CoreEntry[]): { readonly events: readonly CoreEvent[]; readonly written: Written } {
    const entries: CoreEvent = { kind: "timeline", len: timeline.length, set: [[0, timeline]] };
    const rest = [this.#state, this.#wait].filter((event) => event !== undefined);
    return { events: [entries, this.slots, ...rest], written: this.#written };
  }
}
