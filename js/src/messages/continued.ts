// An answer that the limit of tokens has ended, and what the model went on with, as one answer.
import type { TimelineEntry } from "../snapshot/snapshot.js";

/** With what the ids of requests begin that ask for more of an answer, and so the ids of what comes of them. */
export const continues = "continues.";

type Answer<E> = Extract<E, { readonly kind: "agent_text" }>;

/** A person gives the same list many times. */
const known = new WeakMap<readonly TimelineEntry[], readonly TimelineEntry[]>();
/** By its last part: what was joined before stays the same object. */
const whole = new WeakMap<TimelineEntry, TimelineEntry>();

/** The entries, with an answer and what continues it as one, under the id of the first. The same list where nothing is continued. */
export function withContinued<E extends TimelineEntry>(timeline: readonly E[]): readonly E[] {
  const before = known.get(timeline);
  if (before) return before as readonly E[];
  const joined: E[] = [];
  for (const entry of timeline) {
    const first = joined.at(-1);
    const goesOn = isAtLimit(first) && entry.kind === "agent_text" && entry.id?.startsWith(continues);
    if (goesOn) joined[joined.length - 1] = one(first, entry as Answer<E>) as E;
    else joined.push(entry);
  }
  const made = joined.length === timeline.length ? timeline : joined;
  known.set(timeline, made);
  return made;
}

export const isAtLimit = (entry: TimelineEntry | undefined): entry is Answer<TimelineEntry> =>
  entry?.kind === "agent_text" && entry.atLimit === true;

function one(first: Answer<TimelineEntry>, rest: Answer<TimelineEntry>): TimelineEntry {
  const before = whole.get(rest) as Answer<TimelineEntry> | undefined;
  if (before?.text === first.text + rest.text && before.id === first.id) return before;
  const reasoning = [first.reasoning, rest.reasoning].filter(Boolean).join("\n\n");
  const sources = [...(first.sources ?? []), ...(rest.sources ?? [])];
  const { atLimit: _, ...begun } = first;
  const made = {
    ...begun,
    ...rest,
    ...(first.id !== undefined && { id: first.id }),
    text: first.text + rest.text,
    ...(reasoning && { reasoning }),
    ...(sources.length > 0 && { sources }),
  };
  whole.set(rest, made);
  return made;
}
