// The finished list of threads, and the parts around its items.
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { ThreadInfo } from "../../src/threads/thread.js";
import { Loader } from "../look/loader.js";
import { type PartProps, part } from "../parts/as-child.js";
import { errorMessage } from "../parts/notices/error-messages.js";
import { useLabels } from "../render/labels.js";
import { Visible } from "../text/visible.js";
import type { ThreadListHitsProps } from "./hits.js";
import { ThreadIcon } from "./icons.js";
import { ThreadListItems } from "./items.js";
import { rowsOf, useListActions, useListState } from "./thread-list-context.js";

/** Begins a new conversation. */
export function ThreadListNew(props: PartProps<"button">): ReactNode {
  const { begin } = useListActions();
  const say = useLabels();
  return part("button", { type: "button", "data-glove-new": "", onClick: begin, children: say("New conversation") }, props);
}

/**
 * Finds threads by words of their titles, and where `ThreadListHits` are, messages by theirs. The arrow down goes to what was found, Enter opens
 * the first of it, Escape empties the field.
 */
export function ThreadListSearch(props: PartProps<"input">): ReactNode {
  const { search } = useListState();
  const actions = useListActions();
  const { setSearch, find } = actions;
  const say = useLabels();
  const keyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const [first] = rowsOf(actions);
    if (event.key === "ArrowDown" && first) first.focus();
    else if (event.key === "Enter" && search && first) first.click();
    else if (event.key === "Escape" && search) setSearch("");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const own = {
    type: "search",
    "aria-label": say("Search conversations"),
    placeholder: say("Search"),
    value: search,
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => setSearch(currentTarget.value),
    onFocus: find,
    onKeyDown: keyDown,
  };
  return part("input", own, props);
}

const hits = /* @__PURE__ */ new Loader(() => import("./hits.js"), true);
const LoadedHits = /* @__PURE__ */ hits.component("Hits");

/** The messages that have the words of `ThreadListSearch`. What finds them is loaded with the first focus of that field. */
export function ThreadListHits(props: ThreadListHitsProps): ReactNode {
  return useListState().finds && <LoadedHits {...props} />;
}

/** What was deleted last, for as long as it can be brought back. */
export interface DeletedThread {
  /** The last one. */
  readonly thread: ThreadInfo;
  /** All that can be brought back, the last one first. */
  readonly threads: readonly ThreadInfo[];
  /** Brings all of them back. */
  restore(): void;
}

/** What `ThreadListUndo` takes; the function draws the notice. */
export interface ThreadListUndoProps {
  /** Draws the offer to restore a deleted conversation, in your own markup. */
  children?: ((deleted: DeletedThread) => ReactNode) | undefined;
}

/** Who reads or reaches for it is given the time for that. */
const holdMs = 3_000;

/** Says what was deleted, and brings it back. The time for that does not run out while the pointer or the focus is on it. */
export function ThreadListUndo({ children = (deleted) => <Deleted {...deleted} /> }: ThreadListUndoProps): ReactNode {
  const { list } = useListState();
  const { root, restore, focusLater, placing } = useListActions();
  const element = useRef<HTMLDivElement>(null);
  const [held, hold] = useState(false);
  const { remove, deleted: threads } = list;
  const [thread] = threads;
  const ids = threads.map(({ id }) => id).join("\n");
  useEffect(() => {
    if (!held || !ids) return;
    // The last one stays the last.
    const again = () => {
      for (const id of ids.split("\n").reverse()) void remove(id);
    };
    const timer = setInterval(again, holdMs);
    return () => clearInterval(timer);
  }, [held, ids, remove]);
  const focused = useRef(false);
  useEffect(() => {
    if (ids) return;
    // What goes away with the focus on it says nothing of that.
    if (held) hold(false);
    if (focused.current && document.activeElement === document.body) {
      root.current?.querySelector<HTMLElement>("[data-glove-new]")?.focus();
    }
    focused.current = false;
  }, [ids, root, held]);
  const bringBack = () => {
    if (thread && element.current?.contains(document.activeElement)) focusLater({ thread: thread.id });
    for (const one of threads) restore(one);
  };
  return (
    <div
      ref={element}
      role="status"
      data-glove-undo=""
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocus={() => {
        focused.current = true;
        // Nobody may be there, where it was put.
        if (!placing.current) hold(true);
      }}
      onBlur={() => {
        focused.current = false;
        hold(false);
      }}
    >
      {thread && children({ thread, threads, restore: bringBack })}
    </div>
  );
}

function Deleted({ thread, threads, restore }: DeletedThread): ReactNode {
  const say = useLabels();
  return (
    <p>
      <span data-glove-thread-title="" dir="auto">
        {threads.length > 1 ? (
          say("{n} conversations deleted", { n: threads.length })
        ) : (
          <Visible text={say("Deleted: {title}", { title: thread.title })} />
        )}
      </span>
      <button type="button" onClick={restore}>
        {say("Undo")}
      </button>
    </p>
  );
}

/** Fewer are seen at a glance. */
const searchFrom = 8;

export function BuiltInThreadList({ field }: { readonly field: "always" | false | undefined }): ReactNode {
  const { list, search, finds } = useListState();
  const say = useLabels();
  const { threads, archived, ready, error } = list;
  const [searched, setSearched] = useState(field === "always");
  // It stays: what comes and goes moves the list under the pointer.
  const searches = field !== false && (searched || threads.length + archived.length >= searchFrom);
  if (searches && !searched) setSearched(true);
  return (
    <>
      <div data-glove-threads-head="">
        <ThreadListNew>
          <ThreadIcon name="add" />
          {say("New conversation")}
        </ThreadListNew>
        {searches && <ThreadListSearch />}
      </div>
      <div data-glove-threads-body="">
        <ThreadListItems />
        {ready && threads.length === 0 && !(search && finds) && (
          <p data-glove-threads-none="">{say(search ? "Nothing found." : "No conversations yet")}</p>
        )}
        {archived.length > 0 && (
          <details data-glove-threads-archived="">
            <summary>
              {say("Archived")} <span>{archived.length}</span>
            </summary>
            <ThreadListItems archived />
          </details>
        )}
        {finds && <LoadedHits styled />}
      </div>
      <ThreadListUndo />
      {error && (
        <p role="alert" data-glove-threads-error="">
          {errorMessage(error, say).text}
        </p>
      )}
    </>
  );
}
