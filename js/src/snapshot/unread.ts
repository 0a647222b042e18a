// Kinds of files that the model cannot read: its provider takes none of them, so notes stood for them in a request.

import type { ShownEntry } from "./snapshot.js";
import { type SessionState, withShown } from "./state.js";

/** A session is told once of each kind. */
export function unread(state: SessionState, notice: string): SessionState {
  const type = /^\[\w+ attachment: ([^\]]+)]/.exec(notice)?.[1];
  if (!type || state.unread.has(type)) return state;
  const types = new Set(state.unread).add(type);
  return { ...withShown(state, { timeline: state.shown.timeline.map((entry) => withUnread(entry, types)) }), unread: types };
}

export function withUnread(entry: ShownEntry, types: SessionState["unread"]): ShownEntry {
  if (types.size === 0 || entry.kind !== "user" || entry.leftOut) return entry;
  const has =
    entry.files?.some((file) => types.has(file?.type)) ||
    entry.images?.some((source) => types.has(/^data:([^;,]+)/.exec(source)?.[1] ?? ""));
  return has ? { ...entry, leftOut: true } : entry;
}
