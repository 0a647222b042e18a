// The entries of the conversation, and the errors that stand at some of them.

import { dropStale } from "./answer.js";
import type { Reducers } from "./events.js";
import type { ShownEntry } from "./snapshot.js";
import { type SessionState, withShown } from "./state.js";

type TextEntry = Extract<ShownEntry, { kind: "user" | "agent_text" }>;
const isText = (entry: ShownEntry): entry is TextEntry => entry.kind === "user" || entry.kind === "agent_text";

export const timelineReducers: Reducers<"timeline"> = {
  timeline(state, { len, set }, context, unseen) {
    const { timeline: before } = state.shown;
    // One that no snapshot has shown may grow in place: a copy is as long as the conversation.
    const timeline = unseen.has(before) ? (before as ShownEntry[]) : before.concat(new Array(Math.max(0, len - before.length)));
    unseen.add(timeline);
    if (timeline.length > len) timeline.length = len;
    for (const [at, value] of set) {
      const entry = value as ShownEntry;
      const title = entry.kind === "tool" ? context.title(entry.name, entry.input) : undefined;
      timeline[at] = title === undefined ? withError(entry, state.errors) : ({ ...entry, title } as ShownEntry);
    }
    const earlier = state.stale && timeline.at(-1)?.id.endsWith(".partial");
    const next = withShown(state, { timeline });
    return earlier ? dropStale(next) : next;
  },
};

/** A request has failed and another one is answered already: the error stands where it ended. Nothing when nothing of it is shown. */
export function failAtEntry(state: SessionState, request: string, error: Error): SessionState | undefined {
  const { timeline } = state.shown;
  const at = timeline.findLastIndex((entry) => isText(entry) && entry.id.startsWith(`${request}.`));
  const entry = timeline[at];
  if (!entry) return undefined;
  const errors = new Map(state.errors).set(entry.id, error);
  return { ...withShown(state, { timeline: timeline.with(at, withError(entry, errors)) }), errors };
}

function withError(entry: ShownEntry, errors: SessionState["errors"]): ShownEntry {
  const error = isText(entry) && errors.get(entry.id);
  return error ? { ...entry, error } : entry;
}
