// A session as a list of threads shows it.
import type { SessionInfo } from "../store/sessions.js";
import { plain } from "../values/plain.js";
import type { CorePhase } from "../wire/run-types.js";

/** A line of the list of threads. */
export interface ThreadInfo extends SessionInfo {
  readonly archived: boolean;
  /** An answer or a question came while nobody looked at it; only where `watchUnread` is used. */
  readonly unread: boolean;
  /** A run goes on in it, in this tab or another one. */
  readonly running: boolean;
  /** A run of it ended in the middle, as its tab is gone: it goes on when the thread is opened. */
  readonly interrupted: boolean;
  /** A person is asked something in it. */
  readonly waiting: boolean;
}

/** How long a deleted thread can be brought back. */
export const undoMs = 10_000;

/** A clock that was set back must not keep what a person has deleted. */
export function isOver(deletedAt: number | undefined, now = Date.now()): boolean {
  return deletedAt !== undefined && Math.abs(now - deletedAt) >= undoMs;
}

const atWork: ReadonlySet<CorePhase | undefined> = new Set(["model", "compacting", "tools", "undoing"] as const);

/** `isHeld`: some tab has the session open, so what was stored of its run still holds. */
export function threadOf(info: SessionInfo, isHeld: boolean): ThreadInfo {
  const { archived = false, unread = false, phase, asks = phase === "waiting" } = info;
  const works = atWork.has(phase);
  return { ...info, archived, unread, running: isHeld && works, interrupted: !isHeld && works, waiting: asks };
}

export const mayRun = ({ phase }: SessionInfo) => atWork.has(phase);

export function isSameThread(a: ThreadInfo, b: ThreadInfo): boolean {
  const [keys, more] = [Object.keys(a), Object.keys(b)] as (keyof ThreadInfo)[][];
  return keys?.length === more?.length && Boolean(keys?.every((key) => a[key] === b[key]));
}

const titles = new WeakMap<ThreadInfo, string>();

/** Those whose title has all words of a text, in any order, whatever their accents and capitals. */
export function searchThreads(threads: readonly ThreadInfo[], text: string): readonly ThreadInfo[] {
  const words = plain(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return threads;
  return threads.filter((thread) => {
    const title = titles.get(thread) ?? plain(thread.title);
    titles.set(thread, title);
    return words.every((word) => title.includes(word));
  });
}
