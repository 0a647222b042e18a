// `Finder`: the bar above the messages that finds words in all of them, also in those that are not drawn, and the list of the person's messages.
import { type KeyboardEvent as KeyEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { sought } from "../../src/messages/words.js";
import { type Parts, useHandlePart } from "../hooks/handle-registry.js";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { adopt } from "../look/adopt.js";
import { css } from "../look/generated/finding-css.js";
import { useChat } from "../parts/chat-context.js";
import { IconLabel, type IconProps } from "../parts/icons.js";
import { useLabels } from "../render/labels.js";
import { pressed } from "./key.js";
import { bring, Marks } from "./marks.js";
import { type Hit, hitsOf, ordinalOf, type Place, stepFrom } from "./matches.js";
import { Outline } from "./outline.js";

/** What `Finder` takes. */
export interface FinderProps {
  /** Whether its two buttons are always there; default `true`. With `false` the bar comes with its key. */
  bar?: boolean | undefined;
  /** A class of its element. */
  className?: string | undefined;
}

const icons = {
  find: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 20.5 20.5",
  outline: "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
  previous: "M6 14l6-6 6 6",
  next: "M6 10l6 6 6-6",
  close: "remove",
} as const satisfies Readonly<Record<string, IconProps["name"]>>;

const timelineOf = ({ timeline }: Parts) => timeline;
const none: readonly Hit[] = [];
/** A word is typed to its end before anything moves. */
const pause = 150;
/** What is written meanwhile is marked as often as that. */
const pace = 200;

export function Finder({ bar = true, className }: FinderProps): ReactNode {
  const { glove, styled, view } = useChat();
  const say = useLabels();
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const timeline = useHandlePart(glove, timelineOf);
  const sessionId = useHandlePart(glove, ({ sessionId }) => sessionId);
  const [open, setOpen] = useState<"find" | "outline">();
  const [text, setText] = useState("");
  const [reading, setReading] = useState<string>();
  /** What had the focus before; nothing where that was a button of the bar. */
  const from = useRef<Element>(null);
  /** What was closed, and gives the focus to its button as soon as that is there. */
  const closed = useRef<typeof open>(undefined);
  const [chat] = useState(() => () => root.current?.closest<HTMLElement>("[data-glove-strategy]") ?? undefined);

  const show = (what: "find" | "outline") => {
    const active = (root.current?.getRootNode() as Document | undefined)?.activeElement ?? null;
    if (!root.current?.contains(active)) from.current = active;
    else if (!open) from.current = null;
    if (what === "outline") setReading(readIn(chat()));
    setOpen(what);
    field.current?.focus();
    field.current?.select();
  };
  const shown = useRef(show);
  shown.current = show;
  useBrowserLayoutEffect(() => {
    if (root.current && styled) adopt(root.current, css);
    const around = chat();
    const press = (event: KeyboardEvent) => {
      if (!isFindKey(event)) return;
      event.preventDefault();
      shown.current("find");
    };
    around?.addEventListener("keydown", press);
    const [early, at = null] = pressed.last ?? [];
    if (early && isFindKey(early) && around?.contains(at as Node | null)) shown.current("find");
    pressed.last = undefined;
    return () => around?.removeEventListener("keydown", press);
  }, [styled, chat]);
  useBrowserLayoutEffect(() => {
    if (open === "find") {
      field.current?.focus();
      field.current?.select();
    }
    const own = closed.current === "find" ? "[data-glove-find-open]" : "[aria-expanded]";
    if (closed.current && !open) root.current?.querySelector<HTMLElement>(own)?.focus();
    closed.current = undefined;
  }, [open]);

  /** The focus goes back to where it came from. */
  const close = () => {
    const to = from.current;
    if (to?.isConnected && to !== to.ownerDocument.body) (to as HTMLElement).focus();
    else closed.current = open;
    setText("");
    setOpen(undefined);
  };
  const keyDown = (event: KeyEvent<HTMLElement>) => {
    if (event.key !== "Escape" || !open || event.nativeEvent.isComposing || event.keyCode === 229) return;
    // The agent goes on.
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  // Whoever goes elsewhere is through with the list.
  useEffect(() => {
    const page = root.current?.ownerDocument;
    if (open !== "outline" || !page) return;
    const over = new AbortController();
    // In a shadow root the target is its host.
    const leave = (event: Event) => (root.current && event.composedPath().includes(root.current)) || setOpen(undefined);
    for (const way of ["pointerdown", "focusin"]) page.addEventListener(way, leave, { signal: over.signal });
    return () => over.abort();
  }, [open]);
  const choose = (message: string) => {
    setOpen(undefined);
    void view.current?.scrollToMessage(message);
  };
  const button = (word: keyof typeof icons, label: string, act: () => void, more: object = {}) => (
    <button type="button" title={say(label)} onClick={act} {...more}>
      <IconLabel icon={icons[word]} label={say(label)} />
    </button>
  );
  if (!bar && !open) return <div ref={root} hidden />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key closes what is in it.
    <div ref={root} className={className} data-glove-find={open ?? ""} onKeyDown={keyDown}>
      {open === "find" ? (
        <Search key={sessionId} {...{ timeline, text, setText, field, button, chat }} />
      ) : (
        button("find", "Find in this conversation", () => show("find"), { "data-glove-find-open": "" })
      )}
      {open === "find"
        ? button("close", "Close", close)
        : button("outline", "Your messages", () => (open === "outline" ? close() : show("outline")), {
            "aria-expanded": open === "outline",
            "aria-controls": open === "outline" ? id : undefined,
          })}
      {open === "outline" && <Outline id={id} timeline={timeline} current={reading} choose={choose} />}
    </div>
  );
}

/** Without Shift the browser finds. On a keyboard with letters of another script, by its place. */
const isFindKey = ({ ctrlKey, metaKey, shiftKey, altKey, defaultPrevented, key, code }: KeyboardEvent) =>
  shiftKey && !altKey && (ctrlKey || metaKey) && !defaultPrevented && /^(key)?f$/i.test(key > "~" ? code : key);

interface SearchProps {
  readonly timeline: Parts["timeline"];
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly field: { current: HTMLInputElement | null };
  readonly button: (word: "previous" | "next", label: string, act: () => void, more?: object) => ReactNode;
  readonly chat: () => HTMLElement | undefined;
}

function Search({ timeline, text, setText, field, button, chat }: SearchProps): ReactNode {
  const { view } = useChat();
  const say = useLabels();
  const words = useMemo(() => sought(text), [text]);
  const [{ hits, of }, setFound] = useState({ hits: none, of: "" });
  const [place, setPlace] = useState<Place>();
  const latest = useRef({ hits, words: of, place });
  latest.current = { hits, words: of, place };
  const marks = useRef<Marks | null>(null);
  /** What was found last is shown when it is there: who was at it stays. */
  const visited = useRef<Place>(undefined);

  const entries = useRef(timeline);
  entries.current = timeline;
  /** Looks once more when a look has ended, where something was said meanwhile. */
  const again = useRef<() => void>(undefined);
  useEffect(() => {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let looked: typeof timeline | undefined;
    const look = async () => {
      looked = entries.current;
      const found = words === "" ? none : await hitsOf(looked, words, over.signal);
      timer = undefined;
      if (!found || over.signal.aborted) return;
      const { place } = latest.current;
      const stays = place && ordinalOf(found, place) >= 0;
      setFound({ hits: found, of: words });
      if (!stays) setPlace(stepFrom(found, undefined, 0));
      again.current?.();
    };
    // What was found with these words stays until it is known what is found now.
    again.current = () => {
      if (words !== "" && looked !== entries.current) timer ??= setTimeout(() => void look(), pause);
    };
    timer = setTimeout(() => void look(), words === "" ? 0 : pause);
    return () => {
      clearTimeout(timer);
      over.abort();
      again.current = undefined;
    };
  }, [words]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new list is looked at.
  useEffect(() => again.current?.(), [timeline]);

  useEffect(() => {
    const log = chat()?.querySelector<HTMLElement>("[role=log]");
    if (!log) return;
    const own = new Marks(log);
    marks.current = own;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new MutationObserver(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        const { hits, words, place } = latest.current;
        own.show(hits, words, place);
      }, pace);
    });
    observer.observe(log, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      own.clear();
      // What is on its way to a message marks nothing any more.
      marks.current = null;
    };
  }, [chat]);

  useEffect(() => {
    const range = marks.current?.show(hits, of, place);
    const before = visited.current;
    visited.current = place;
    if (!place || (before?.id === place.id && before.nth === place.nth)) return;
    const log = chat()?.querySelector<HTMLElement>("[role=log]");
    if (!log) return;
    const isLatest = () => latest.current.place === place;
    // A step within a message that is drawn.
    if (range && before?.id === place.id) return bring(range, log);
    // The key that led here is over by then: keys end the way to a message.
    const timer = setTimeout(async () => {
      if (!(await view.current?.scrollToMessage(place.id)) || !isLatest()) return;
      const found = marks.current?.show(latest.current.hits, latest.current.words, place);
      if (found) bring(found, log);
    });
    return () => clearTimeout(timer);
  }, [hits, of, place, view, chat]);

  const step = (by: number) => setPlace(stepFrom(hits, place, by));
  const total = hits.reduce((sum, { count }) => sum + count, 0);
  const now = place ? ordinalOf(hits, place) + 1 : 0;
  const keyDown = (event: KeyEvent<HTMLElement>) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    step(event.shiftKey ? 1 : -1);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: older browsers know no <search>.
    <form role="search" aria-label={say("Conversation")} onSubmit={(event) => event.preventDefault()}>
      <input
        ref={field}
        type="search"
        aria-label={say("Find in this conversation")}
        placeholder={say("Find in this conversation")}
        autoComplete="off"
        enterKeyHint="search"
        dir="auto"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={keyDown}
      />
      <span role="status" dir="auto">
        {of !== "" && (total > 0 ? say("{n} of {of}", { n: now, of: total }) : say("Nothing found."))}
      </span>
      {button("previous", "Previous match", () => step(-1), { disabled: total === 0 })}
      {button("next", "Next match", () => step(1), { disabled: total === 0 })}
    </form>
  );
}

/** The message of the person that is read: the last one whose beginning is in the upper half, or above it. */
function readIn(chat: HTMLElement | undefined): string | undefined {
  const box = chat?.querySelector("[data-glove-scroller]")?.getBoundingClientRect();
  const all = [...(chat?.querySelectorAll("[data-glove-role=user][data-glove-entry]") ?? [])];
  const found = all.findLast((message) => box && message.getBoundingClientRect().top <= box.top + box.height / 2);
  return (found ?? all.at(-1))?.getAttribute("data-glove-entry") ?? undefined;
}
