// Where the reader of a conversation is kept: at their last message, with its answer below it, or at the end; and when not.
import { type RefObject, useCallback, useRef, useState } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";

/** `turn`: what was sent rises, and stays there while its answer grows below it. `end`: the end is kept in sight. `none`: nothing moves. */
export type Scroll = "turn" | "end" | "none";

/** In pixels: so near to the end is the end, and so far below the upper edge stands what was sent. */
const near = 48;
const above = 24;
/** Of the screen: so much of a long message is seen, and the rest is for its answer. */
const most = 0.4;

/** What moves the list, or ends that it moves. */
export interface Turn {
  readonly sessionId: string | undefined;
  /** The last message of the user. */
  readonly id: string | undefined;
  /** An answer to it is on its way. */
  readonly busy: boolean;
  /** Something at the end needs the reader: a question, an error. */
  readonly needed: boolean;
}

interface Following {
  readonly atEnd: boolean;
  /** Follows the end; with `again`, as if the last message had just been sent. */
  readonly toEnd: (again?: boolean) => void;
  /** Until the reader wants it again. */
  readonly stop: () => void;
}

/** Follows what grows in `content` within `scroller`; both are there once they are drawn. */
export function useFollowing(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  how: Scroll,
  turn: Turn,
): Following {
  const [atEnd, setAtEnd] = useState(true);
  // A conversation is opened at the last message, or at its end where that is nearer, or where something needs the reader.
  const first = how === "end" || turn.needed ? "end" : "turn";
  const state = useRef<State>({ follows: first, room: undefined, last: 0, found: null, tries: 0 });
  const now = useRef(turn);
  const before = now.current;
  const { sessionId, id, busy, needed } = turn;

  const place = useCallback(() => {
    const [box, inside, of] = [scroller.current, content.current, state.current];
    // Without a box of its own it scrolls with what is around it.
    if (!box?.clientHeight || !inside) return;
    const top = of.follows === "turn" || of.room ? topOfTurn(box, of, now.current.id) : undefined;
    giveRoom(box, inside, of, top);
    const end = box.scrollHeight - box.clientHeight;
    const to = of.follows === "turn" ? Math.min(top ?? end, end) : end;
    if (of.follows && Math.abs(box.scrollTop - to) >= 1) box.scrollTop = to;
    of.last = box.scrollTop;
    setAtEnd(end - box.scrollTop < near);
  }, [scroller, content]);

  useBrowserLayoutEffect(() => {
    const of = state.current;
    now.current = { sessionId, id, busy, needed };
    if (sessionId !== before.sessionId && before.sessionId) Object.assign(of, { follows: first, room: undefined });
    if (id !== before.id) {
      Object.assign(of, { found: null, tries: 0 });
      const begins = busy && of.follows !== undefined && how === "turn";
      of.room = begins ? id : undefined;
      if (begins) of.follows = "turn";
    }
    if (how === "none" && busy) of.follows = undefined;
    if (needed && !before.needed && of.follows) of.follows = "end";
    place();
  }, [sessionId, id, busy, needed, how, first, place]);

  useBrowserLayoutEffect(() => {
    const [box, inside] = [scroller.current, content.current];
    if (!box || !inside || typeof ResizeObserver === "undefined") return;
    const of = state.current;
    const stop = () => {
      of.follows = undefined;
    };
    const scrolled = () => {
      const moved = box.scrollTop - of.last;
      const end = box.scrollHeight - box.clientHeight;
      const isNear = end - box.scrollTop < near;
      of.last = box.scrollTop;
      setAtEnd(isNear);
      // That was the reader, and not the list itself.
      if (Math.abs(moved) < 1) return;
      if (!isNear) return stop();
      const top = how === "turn" ? topOfTurn(box, of, now.current.id) : undefined;
      if (how !== "none") of.follows = top !== undefined && end - top < near ? "turn" : "end";
    };
    const { ownerDocument } = box;
    const selected = () => {
      const selection = ownerDocument.getSelection();
      if (selection && !selection.isCollapsed && box.contains(selection.anchorNode)) stop();
    };
    const opened = ({ target }: Event) => (target as Element).closest("a, summary") && stop();
    // Between layout and paint, so nobody sees what is followed out of sight.
    const observer = new ResizeObserver(place);
    const parts = [box, inside, ...inside.children];
    for (const part of parts) observer.observe(part);
    const over = new AbortController();
    box.addEventListener("scroll", scrolled, { passive: true, signal: over.signal });
    box.addEventListener("click", opened, { signal: over.signal });
    ownerDocument.addEventListener("selectionchange", selected, { signal: over.signal });
    return () => {
      observer.disconnect();
      over.abort();
    };
  }, [scroller, content, how, place]);

  const toEnd = useCallback(
    (again = false) => {
      const of = state.current;
      const rises = again && how === "turn";
      if (rises) of.room = now.current.id;
      of.follows = rises ? "turn" : "end";
      place();
      if (how === "none") of.follows = undefined;
    },
    [how, place],
  );
  const stop = useCallback(() => {
    state.current.follows = undefined;
  }, []);
  return { atEnd, toEnd, stop };
}

interface State {
  follows: "turn" | "end" | undefined;
  /** The message below which there is room for its answer, so that it can stand at the upper edge. */
  room: string | undefined;
  /** Where the list was last. */
  last: number;
  found: Element | null;
  /** How often the message was looked for: an application may draw it in a way of its own. */
  tries: number;
}

function giveRoom(box: HTMLElement, { style }: HTMLElement, of: State, top: number | undefined): void {
  const { clientHeight } = box;
  const height = of.room === undefined ? "" : top === undefined ? style.minHeight : `${top + clientHeight}px`;
  if (height === style.minHeight) return;
  style.minHeight = height;
  if (box.clientHeight === clientHeight) return;
  // It is as high as what is in it: there is no edge to stand at.
  of.room = undefined;
  style.minHeight = "";
}

const mostTries = 5;

/** How far the list is scrolled where the last message of the user is at the upper edge. */
function topOfTurn(box: HTMLElement, of: State, id: string | undefined): number | undefined {
  if (!of.found?.isConnected && id !== undefined && of.tries < mostTries) {
    of.found = box.querySelector(`[data-glove-entry=${JSON.stringify(id)}]`);
    of.tries = of.found ? 0 : of.tries + 1;
  }
  if (!of.found?.isConnected) return undefined;
  const around = box.getBoundingClientRect();
  const { top, bottom } = of.found.getBoundingClientRect();
  const scale = around.height / box.offsetHeight || 1;
  const start = (top - around.top) / scale - above;
  const end = (bottom - around.top) / scale - most * box.clientHeight;
  return Math.max(0, box.scrollTop + Math.max(start, end));
}
