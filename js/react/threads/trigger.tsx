// The way to one thread, by mouse and keyboard.
import type { KeyboardEvent, ReactNode } from "react";
import type { ThreadInfo } from "../../src/threads/thread.js";
import { type PartProps, part } from "../parts/as-child.js";
import { useLabels } from "../render/labels.js";
import { visibleText } from "../text/visible-text.js";
import { rowsOf, useListActions } from "./thread-list-context.js";

/** A thread in the list, and what can be done with it. */
export interface ThreadListEntry {
  readonly thread: ThreadInfo;
  /** It is the one that is shown. */
  readonly current: boolean;
  /** Its title is being written: draw a field, and give what is in it to `rename`, or nothing to leave it as it is. */
  readonly editing: boolean;
  /** One of the list is in the order of the Tab key; the arrow keys go on from there. */
  readonly tabIndex: 0 | -1;
  edit(): void;
  rename(title?: string): void;
  archive(): void;
  unarchive(): void;
  remove(): void;
}

/**
 * The way to a thread: a button with its title, or your own element. The arrow keys, Home and End go from one to the next, F2 renames,
 * Delete deletes.
 */
export function ThreadListTrigger({ entry, ...props }: PartProps<"button"> & { entry: ThreadListEntry }): ReactNode {
  const actions = useListActions();
  const { thread, current, tabIndex, edit, remove } = entry;
  const say = useLabels();
  const keyDown = (event: KeyboardEvent) => {
    const all = rowsOf(actions);
    const own = event.currentTarget as HTMLElement;
    const at = all.indexOf(own);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) all[to]?.focus();
    else if (event.key === "F2") edit();
    else if (stepOf(own, event.key) > 0)
      own.closest("li")?.querySelector<HTMLElement>("[data-glove-thread-actions] button")?.focus();
    else if (event.key === "Delete") remove();
    else return;
    event.preventDefault();
  };
  const title = visibleText(thread.title) || say("New conversation");
  const own = {
    type: "button",
    "data-glove-thread": thread.id,
    "data-state": thread.waiting ? "waiting" : thread.running ? "running" : "idle",
    "data-unread": thread.unread ? "" : undefined,
    "aria-current": current ? "true" : undefined,
    "aria-keyshortcuts": "F2 Delete",
    tabIndex,
    title: `${title}\n${new Date(thread.updatedAt).toLocaleString()}`,
    onClick: () => actions.select(thread.id),
    onKeyDown: keyDown,
    children: title,
  };
  return part("button", own, props);
}

/** How far an arrow key goes in a row: 1 on to its buttons, which are no stops of the Tab key, and -1 back. */
export function stepOf(element: Element, key: string): number {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
  return getComputedStyle(element).direction === "rtl" ? -step : step;
}
