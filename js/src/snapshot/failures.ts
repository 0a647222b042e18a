// What requests have failed with: it is shown of the session, or where the request ended.

import { fromCore } from "../wasm/core-errors.js";
import type { CoreEntry } from "../wire/run-types.js";
import type { ShownEntry } from "./snapshot.js";
import { type SessionState, withBase } from "./state.js";

type TextEntry = Extract<ShownEntry, { kind: "user" | "agent_text" }>;
const isText = (entry: ShownEntry): entry is TextEntry => entry.kind === "user" || entry.kind === "agent_text";

/** An error is shown until a later request goes well; that of a request which another one follows stands where it ended. */
export function endedWith(state: SessionState, id: string | null, error: Error | undefined): SessionState {
  const { request, phase } = state.core;
  const rests = phase === "paused" || phase === "interrupted";
  const goesOn = id !== null && request !== null && request !== id && !rests;
  if (error && goesOn && state.base.timeline.some((entry) => isText(entry) && entry.error && entry.id.startsWith(`${id}.`)))
    return state;
  const over = !error && !rests && state.failure !== undefined && state.base.error === state.failure;
  return { ...(error || over ? withBase(state, { error }) : state), failure: error };
}

/** With the error as what its request has failed with. */
export function entryOf(entry: CoreEntry): ShownEntry {
  const shown = entry as ShownEntry;
  return "error" in entry && entry.error ? ({ ...shown, error: fromCore(entry.error) } as ShownEntry) : shown;
}
