// The entries of the conversation, and which of them have files that the model cannot read.

import { dropStale } from "./answer.js";
import type { Reducers } from "./events.js";
import { entryOf } from "./failures.js";
import type { ShownEntry } from "./snapshot.js";
import { type SessionState, withBase } from "./state.js";

export const timelineReducers: Reducers<"timeline" | "broken" | "progress"> = {
  broken(state, { ids }) {
    const { timeline } = state.base;
    const mark = (entry: ShownEntry) =>
      entry.kind === "user" && !entry.leftOut && ids.includes(entry.id) ? { ...entry, leftOut: true } : entry;
    return timeline.some((entry) => mark(entry) !== entry) ? withBase(state, { timeline: timeline.map(mark) }) : state;
  },
  progress(state, { progress }) {
    const { timeline: before } = state.base;
    const ids = new Set([...Object.keys(state.progress), ...Object.keys(progress)]);
    let timeline = before;
    // Calls that run are near the end.
    for (let at = before.length - 1; at >= 0 && ids.size > 0; at--) {
      const entry = before[at] as ShownEntry;
      if (!ids.delete(entry.id)) continue;
      const now = withProgress(entry, progress);
      if (now === entry) continue;
      if (timeline === before) timeline = before.slice();
      (timeline as ShownEntry[])[at] = now;
    }
    return { ...(timeline === before ? state : withBase(state, { timeline })), progress };
  },
  timeline(state, { len, set }, context, unseen) {
    const { timeline: before } = state.base;
    // One that no snapshot has shown may grow in place: a copy is as long as the conversation.
    const timeline = unseen.has(before) ? (before as ShownEntry[]) : before.concat(new Array(Math.max(0, len - before.length)));
    unseen.add(timeline);
    if (timeline.length > len) timeline.length = len;
    for (const [from, entries] of set) {
      let at = from;
      for (const value of entries) {
        const entry = withProgress(entryOf(value), state.progress);
        const title = entry.kind === "tool" ? context.title(entry.name, entry.input) : undefined;
        timeline[at++] = title === undefined ? withUnread(entry, state.unread) : ({ ...entry, title } as ShownEntry);
      }
    }
    const earlier = state.stale && timeline.at(-1)?.id.endsWith(".partial");
    // One that another tab has answered meanwhile, or answers now.
    const kept = state.undelivered.filter(({ id }) => !timeline.some((entry) => entry.kind === "user" && entry.id === id));
    const next = { ...withBase(state, { timeline }), ...(kept.length < state.undelivered.length && { undelivered: kept }) };
    return earlier ? dropStale(next) : next;
  },
};

// Of some kinds of files a provider takes none, so notes stood for them in a request.

/** One file that is broken says nothing of others of its kind: `messages/unreadable-files.ts` looks for the messages that have such. */
export const isOfBroken = (notice: string): boolean => notice.endsWith("its data is not base64.");

/** Warns once for each type. Files from tool results do not count: they have another sentence (`media.rs`). */
export function unread(state: SessionState, notice: string): SessionState {
  const type = /^\[\w+ attachment: ([^\]]+)] was left out/.exec(notice)?.[1];
  if (!type || state.unread.has(type) || isOfBroken(notice)) return state;
  const { timeline } = state.base;
  const types: SessionState["unread"] = new Set(state.unread).add(type);
  return { ...withBase(state, { timeline: timeline.map((entry) => withUnread(entry, types)) }), unread: types };
}

/** An entry of a call that runs, as far as it is. */
function withProgress(entry: ShownEntry, all: SessionState["progress"]): ShownEntry {
  if (entry.kind !== "tool") return entry;
  const progress = entry.status === "running" ? all[entry.id] : undefined;
  if (progress === entry.progress) return entry;
  const { progress: _, ...rest } = entry;
  return progress ? { ...rest, progress } : rest;
}

export function withUnread(entry: ShownEntry, types: SessionState["unread"]): ShownEntry {
  if (types.size === 0 || entry.kind !== "user" || entry.leftOut) return entry;
  const has =
    entry.files?.some((file) => types.has(file?.type)) ||
    entry.images?.some((source) => types.has(/^data:([^;,]+)/.exec(source)?.[1] ?? ""));
  return has ? { ...entry, leftOut: true } : entry;
}
