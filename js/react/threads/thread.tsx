// One thread as the built-in list draws it: its title, its marks, and what can be done with it.
import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef } from "react";
import { useLabels } from "../render/labels.js";
import { Visible } from "../text/visible.js";
import { visibleText } from "../text/visible-text.js";
import { ThreadIcon, type ThreadIconName } from "./icons.js";
import { stepOf, type ThreadListEntry, ThreadListTrigger } from "./trigger.js";

/** Drawn anew only when what it shows changes; what can be done with a thread does the same each time. */
export const BuiltInThread = memo(
  function BuiltInThread(entry: ThreadListEntry): ReactNode {
    const { thread, current, editing } = entry;
    return (
      <li data-glove-thread-item="" data-current={current ? "" : undefined}>
        {editing ? (
          <TitleField {...entry} />
        ) : (
          <>
            <ThreadListTrigger entry={entry}>
              <span data-glove-thread-title="" dir="auto">
                {thread.title ? <Visible text={thread.title} /> : <Untitled />}
              </span>
              <Mark thread={thread} current={current} />
            </ThreadListTrigger>
            <Actions {...entry} />
          </>
        )}
      </li>
    );
  },
  (a, b) => a.thread === b.thread && a.current === b.current && a.editing === b.editing && a.tabIndex === b.tabIndex,
);

const Untitled = () => useLabels()("New conversation");

const marks = {
  waiting: "Waiting for you",
  running: "Working",
  interrupted: "Was interrupted: open it to go on",
  unread: "Unread",
} as const;

function Mark({ thread, current }: Pick<ThreadListEntry, "thread" | "current">): ReactNode {
  const say = useLabels();
  const mark = (Object.keys(marks) as (keyof typeof marks)[]).find((name) => thread[name]);
  // The one that is shown is being opened, or says so itself.
  if (!mark || (mark === "interrupted" && current)) return null;
  return (
    <span data-glove-thread-mark={mark} title={say(marks[mark])}>
      {(mark === "waiting" || mark === "interrupted") && <ThreadIcon name={mark} />}
      <span data-glove-label="">{say(marks[mark])}</span>
    </span>
  );
}

function Actions({ thread, edit, archive, unarchive, remove }: ThreadListEntry): ReactNode {
  const keyDown = (event: KeyboardEvent<HTMLElement>) => {
    const buttons = [...event.currentTarget.querySelectorAll("button")];
    const step = stepOf(event.currentTarget, event.key);
    if (!step) return;
    const at = buttons.indexOf(event.target as HTMLButtonElement) + step;
    const row = event.currentTarget.closest("li")?.querySelector<HTMLElement>("[data-glove-thread]");
    (at < 0 ? row : buttons[at])?.focus();
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its buttons.
    <div data-glove-thread-actions="" onKeyDown={keyDown}>
      <Action icon="edit" word="Rename" of={thread.title} run={edit} />
      {thread.archived ? (
        <Action icon="restore" word="Unarchive" of={thread.title} run={unarchive} />
      ) : (
        <Action icon="archive" word="Archive" of={thread.title} run={archive} />
      )}
      <Action icon="delete" word="Delete" of={thread.title} run={remove} />
    </div>
  );
}

interface ActionProps {
  readonly icon: ThreadIconName;
  readonly word: string;
  readonly of: string;
  run(): void;
}

function Action({ icon, word, of, run }: ActionProps): ReactNode {
  const say = useLabels();
  return (
    <button type="button" tabIndex={-1} title={say(word)} aria-label={`${say(word)}: ${visibleText(of)}`} onClick={run}>
      <ThreadIcon name={icon} />
    </button>
  );
}

/** Enter and leaving the field keep what was written, Escape does not. */
function TitleField({ thread, rename }: ThreadListEntry): ReactNode {
  const say = useLabels();
  const element = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useEffect(() => {
    element.current?.focus();
    element.current?.select();
  }, []);
  const end = (title?: string) => {
    if (over.current) return;
    over.current = true;
    // It may stay for a moment.
    if (element.current) element.current.readOnly = true;
    rename(title);
  };
  const keyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter") end(event.currentTarget.value);
    else if (event.key === "Escape") end();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <input
      ref={element}
      aria-label={say("Title")}
      defaultValue={thread.title}
      dir="auto"
      maxLength={120}
      autoComplete="off"
      enterKeyHint="done"
      onKeyDown={keyDown}
      onBlur={(event) => end(event.currentTarget.value)}
    />
  );
}
