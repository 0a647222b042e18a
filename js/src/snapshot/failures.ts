// What requests have failed with: it is shown of the session, or where the request ended.

import type { ShownEntry } from "./snapshot.js";
import { type SessionState, withShown } from "./state.js";

type TextEntry = Extract<ShownEntry, { kind: "user" | "agent_text" }>;
const isText = (entry: ShownEntry): entry is TextEntry => entry.kind === "user" || entry.kind === "agent_text";

/** An error is shown until a later request goes well; that of a request which another one follows, where it ended. */
export function endedWith(state: SessionState, id: string | null, error: Error | undefined): SessionState {
  const { request, phase } = state.core;
  const rests = phase === "paused" || phase === "interrupted";
  const goesOn = id !== null && request !== null && request !== id && !rests;
  const failed = error && id !== null && goesOn ? failAtEntry(state, id, error) : undefined;
  if (failed) return failed;
  const over = !error && !rests && state.failure !== undefined && state.shown.error === state.failure;
  return { ...(error || over ? withShown(state, { error }) : state), failure: error };
}

/** A request has failed and another one is answered already: the error stands where it ended. Nothing when nothing of it is shown. */
function failAtEntry(state: SessionState, request: string, error: Error): SessionState | undefined {
  const { timeline } = state.shown;
  const at = timeline.findLastIndex((entry) => isText(entry) && entry.id.startsWith(`${request}.`));
  const entry = timeline[at];
  if (!entry) return undefined;
  const errors = new Map(state.errors).set(entry.id, error);
  return { ...withShown(state, { timeline: timeline.with(at, withError(entry, errors)) }), errors };
}

export function withError(entry: ShownEntry, errors: SessionState["errors"]): ShownEntry {
  const error = isText(entry) && errors.get(entry.id);
  return error ? { ...entry, error } : entry;
}
