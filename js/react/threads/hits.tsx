// The messages of all threads that have the words that are searched, and the way to each: loaded when the field is first used.
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import type { SessionHit } from "../../src/store/sessions.js";
import type { Found } from "../../src/threads/search/find.js";
import { textsOf } from "../../src/threads/search/thread-texts.js";
import { adopt } from "../look/adopt.js";
import { css } from "../look/generated/hits-css.js";
import { useLabels } from "../render/labels.js";
import { Visible } from "../text/visible.js";
import { showMessage } from "./show-message.js";
import { rowsOf, useListActions, useListState } from "./thread-list-context.js";

/** A message that was found, and the way to it. */
export interface ThreadListHit extends SessionHit {
  /** Shows its thread, on the branch that has the message, and brings it into sight. */
  open(): void;
}

/** What `ThreadListHits` takes; the function draws one message, as a `<li>` with a button. */
export interface ThreadListHitsProps {
  /** Draws one message that was found, in your own markup. */
  children?: ((hit: ThreadListHit) => ReactNode) | undefined;
}

interface HitsProps extends ThreadListHitsProps {
  /** It has the look of the list. */
  readonly styled?: boolean;
}

/** A word is typed to its end first. */
const pause = 150;
const none: Found = { hits: [], total: 0 };

export function Hits({ children = builtIn, styled = false }: HitsProps): ReactNode {
  const { client, list, search } = useListState();
  const actions = useListActions();
  const say = useLabels();
  const id = useId();
  const texts = client && textsOf(client);
  const { reading, all } = useSyncExternalStore(
    texts?.subscribe ?? never,
    () => texts?.getSnapshot() ?? nothing,
    () => nothing,
  );
  const progress = useProgress(texts);
  const [{ found, of }, setFound] = useState({ found: none, of: "" });
  const dressed = useRef(false);
  const dress = (element: Element | null) => {
    if (element && styled && !dressed.current) adopt(element, css);
    dressed.current ||= element !== null;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has changed is read.
  useEffect(() => texts?.refresh(), [texts, list.threads, list.archived]);
  // What is found with more of it read stands in the place of what was found before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked for again then.
  useEffect(() => {
    if (!texts || search.trim() === "") return setFound({ found: none, of: "" });
    const over = new AbortController();
    const timer = setTimeout(async () => {
      const found = await texts.find(search, over.signal).catch(() => none);
      if (found && !over.signal.aborted) setFound({ found, of: search });
    }, pause);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [texts, search, progress]);

  if (search.trim() === "") return null;
  const { hits, total } = found;
  const over = of === search && !reading;
  const isNone = over && total === 0 && list.threads.length + list.archived.length === 0;
  const keyDown = (event: KeyboardEvent<HTMLElement>) => {
    const rows = rowsOf(actions);
    const at = rows.indexOf(event.target as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    const field = actions.root.current?.querySelector<HTMLInputElement>("input[type=search]");
    if (at < 0 || (to === undefined && event.key !== "Escape")) return;
    (to === undefined || to < 0 ? field : rows[to])?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const open = ({ id, message }: SessionHit) => {
    actions.select(id, message);
    void showMessage(actions.engine, id, message);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its buttons.
    <div ref={dress} data-glove-hits="" onKeyDown={keyDown}>
      <div role="status">
        {total > 0 && <h2 id={id}>{say("Messages found: {n}", { n: total })}</h2>}
        {isNone && <p data-glove-threads-none="">{say("Nothing found.")}</p>}
      </div>
      {hits.length > 0 && <ul aria-labelledby={id}>{hits.map((hit) => children({ ...hit, open: () => open(hit) }))}</ul>}
      {reading && <p>{say("Reading your conversations…")}</p>}
      {!reading && !all && <p>{say("The oldest conversations are not searched.")}</p>}
    </div>
  );
}

const nothing = { reading: false, all: true };
const never = () => () => {};

/** Counts what was read, not more often than somebody can read what is found. */
function useProgress(texts: ReturnType<typeof textsOf> | undefined): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = texts?.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setCount((count) => count + 1);
      }, 2 * pause);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe?.();
    };
  }, [texts]);
  return count;
}

const builtIn = (hit: ThreadListHit): ReactNode => <BuiltInHit key={`${hit.id} ${hit.message}`} {...hit} />;

function BuiltInHit({ title, excerpt, marks, open }: ThreadListHit): ReactNode {
  const say = useLabels();
  let end = 0;
  const parts: ReactNode[] = [];
  for (const [from, to] of marks) {
    parts.push(<Visible key={end} text={excerpt.slice(end, from)} />, <mark key={`m${from}`}>{excerpt.slice(from, to)}</mark>);
    end = to;
  }
  return (
    <li>
      <button type="button" onClick={open}>
        <span data-glove-thread-title="" dir="auto">
          {title ? <Visible text={title} /> : say("New conversation")}
        </span>
        <span data-glove-excerpt="" dir="auto">
          {parts}
          <Visible key="end" text={excerpt.slice(end)} />
        </span>
      </button>
    </li>
  );
}
