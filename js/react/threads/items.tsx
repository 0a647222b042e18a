// The threads in their list: which of them are drawn, and the way from one to the next with the keyboard.
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { ThreadInfo } from "../../src/threads/thread.js";
import { useLabels } from "../render/labels.js";
import { groupsOf } from "./groups.js";
import { BuiltInThread } from "./thread.js";
import { rowsOf, type ThreadListActions, useListActions, useListState } from "./thread-list-context.js";
import type { ThreadListEntry } from "./trigger.js";

/** What `ThreadListItems` takes; the function draws one thread, as a `<li>`. */
export interface ThreadListItemsProps {
  /** Those that were put away, in place of the others. */
  archived?: boolean | undefined;
  /** Draws one conversation of the list, in your own markup. */
  children?: ((entry: ThreadListEntry) => ReactNode) | undefined;
}

/** So many are drawn at first, and with each step further down. */
const step = 60;

/** The threads by the day of their last change. Long lists are drawn as far as somebody scrolls. */
export function ThreadListItems({ archived = false, children = builtIn }: ThreadListItemsProps): ReactNode {
  const { list, search, current, editing } = useListState();
  const actions = useListActions();
  const say = useLabels();
  const id = useId();
  const [steps, setSteps] = useState({ search, count: 1 });
  const count = steps.search === search ? steps.count : 1;
  const all = archived ? list.archived : list.threads;
  const drawn = all.slice(0, count * step);
  // One of them is in the order of the Tab key: the one that is shown, else the first.
  const tabbed = drawn.some(({ id }) => id === current) ? current : drawn[0]?.id;
  const entry = (thread: ThreadInfo): ThreadListEntry => {
    const isEdited = thread.id === editing?.id && thread.title !== editing.title;
    return {
      thread,
      current: thread.id === current,
      editing: isEdited,
      tabIndex: thread.id === tabbed ? 0 : -1,
      ...doing(thread, isEdited, actions),
    };
  };
  return (
    <>
      {groupsOf(drawn).map(({ name, threads }) => (
        <div key={name} data-glove-thread-group="">
          <h2 id={`${id}${name.replaceAll(" ", "-")}`}>{say(name)}</h2>
          <ul aria-labelledby={`${id}${name.replaceAll(" ", "-")}`}>{threads.map((thread) => children(entry(thread)))}</ul>
        </div>
      ))}
      {drawn.length < all.length && <More key={drawn.length} more={() => setSteps({ search, count: count + 1 })} />}
    </>
  );
}

const builtIn = (entry: ThreadListEntry) => <BuiltInThread key={entry.thread.id} {...entry} />;

function doing(thread: ThreadInfo, editing: boolean, actions: ThreadListActions) {
  const { root, edit, rename, archive, remove, focusLater } = actions;
  const { id } = thread;
  // The focus goes to the one beside it, and not with it.
  const leaving = (act: () => void, undo?: "undo") => () => {
    const all = rowsOf(actions);
    const at = all.findIndex(({ dataset }) => dataset.gloveThread === id);
    if (all[at]?.closest("li")?.contains(document.activeElement)) {
      const next = all[at + 1] ?? all[at - 1];
      if (!next && undo && root.current?.querySelector("[data-glove-undo]")) focusLater(undo);
      else (next ?? root.current?.querySelector<HTMLElement>("[data-glove-new]"))?.focus();
    }
    act();
  };
  return {
    edit: () => edit(id),
    rename(title?: string) {
      // Who left the field is elsewhere by now.
      if (editing && root.current?.contains(document.activeElement)) focusLater({ thread: id });
      if (title !== undefined && title.trim() !== thread.title) rename(id, title.trim());
      else edit(undefined);
    },
    archive: leaving(() => archive(id, true)),
    unarchive: leaving(() => archive(id, false)),
    remove: leaving(() => remove(thread), "undo"),
  };
}

/** The next ones: by themselves when the end of the list comes into sight. */
function More({ more }: { readonly more: () => void }): ReactNode {
  const say = useLabels();
  const element = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!element.current || typeof IntersectionObserver !== "function") return;
    const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && more());
    observer.observe(element.current);
    return () => observer.disconnect();
  });
  return (
    <button ref={element} type="button" data-glove-more="" onClick={more}>
      {say("Show more")}
    </button>
  );
}
