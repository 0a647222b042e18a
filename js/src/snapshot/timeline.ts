// The entries of the conversation.

import { dropStale } from "./answer.js";
import type { Reducers } from "./events.js";
import { withError } from "./failures.js";
import type { ShownEntry } from "./snapshot.js";
import { withShown } from "./state.js";
import { withUnread } from "./unread.js";

export const timelineReducers: Reducers<"timeline"> = {
  timeline(state, { len, set }, context, unseen) {
    const { timeline: before } = state.shown;
    // One that no snapshot has shown may grow in place: a copy is as long as the conversation.
    const timeline = unseen.has(before) ? (before as ShownEntry[]) : before.concat(new Array(Math.max(0, len - before.length)));
    unseen.add(timeline);
    if (timeline.length > len) timeline.length = len;
    for (const [from, entries] of set) {
      let at = from;
      for (const value of entries) {
        const entry = value as ShownEntry;
        const title = entry.kind === "tool" ? context.title(entry.name, entry.input) : undefined;
        timeline[at++] =
          title === undefined ? withUnread(withError(entry, state.errors), state.unread) : ({ ...entry, title } as ShownEntry);
      }
    }
    const earlier = state.stale && timeline.at(-1)?.id.endsWith(".partial");
    const next = withShown(state, { timeline });
    return earlier ? dropStale(next) : next;
  },
};
