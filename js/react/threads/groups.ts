// Threads by the day of their last change, in words that a person uses.
import type { ThreadInfo } from "../../src/threads/thread.js";

export type ThreadGroupName = "Today" | "Yesterday" | "Previous 7 days" | "Previous 30 days" | "Older";

export interface ThreadGroup {
  readonly name: ThreadGroupName;
  readonly threads: readonly ThreadInfo[];
}

const days: readonly (readonly [ThreadGroupName, number])[] = [
  ["Today", 0],
  ["Yesterday", 1],
  ["Previous 7 days", 7],
  ["Previous 30 days", 30],
  ["Older", Number.POSITIVE_INFINITY],
];

/** The groups that have any, in the order of the threads. */
export function groupsOf(threads: readonly ThreadInfo[], now = new Date()): readonly ThreadGroup[] {
  const groups = days.map(([name, back]) => ({
    name,
    since: Number.isFinite(back) ? new Date(now.getFullYear(), now.getMonth(), now.getDate() - back).getTime() : 0,
    threads: [] as ThreadInfo[],
  }));
  for (const thread of threads) groups.find(({ since }) => thread.updatedAt >= since)?.threads.push(thread);
  return groups.filter(({ threads }) => threads.length > 0);
}
