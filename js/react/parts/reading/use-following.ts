// Where the reader of a conversation is kept: at their last message, with its answer below it, or at the end; and when not.
import { type RefObject, useState } from "react";
import { useBrowserLayoutEffect } from "../../hooks/use-browser-layout-effect.js";
import type { Scroll } from "./scroll.js";

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

export interface Following {
  toEnd(): void;
  /** Something was sent: follows the end, or with `again` the last message, where the list moves by itself. */
  sent(again?: boolean): void;
  /** Until the reader wants it again. */
  stop(): void;
}

/** Follows what grows in `content` within `scroller`; both are there once they are drawn. `selects`: a reader has selected something. */
export function useFollowing(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  how: Scroll,
  { sessionId, id, busy, needed }: Turn,
  selects: () => void,
): readonly [atEnd: boolean, following: Following] {
  const [atEnd, setAtEnd] = useState(true);
  const [follower] = useState(() => createFollower(scroller, content, setAtEnd, selects));
  useBrowserLayoutEffect(
    () => follower.update(how, { sessionId, id, busy, needed }),
    [follower, how, sessionId, id, busy, needed],
  );
  useBrowserLayoutEffect(follower.watch, [follower]);
  return [atEnd, follower];
}

function createFollower(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  setAtEnd: (atEnd: boolean) => void,
  selects: () => void,
) {
  let how: Scroll | undefined;
  let turn: Turn | undefined;
  let follows: Exclude<Scroll, "none"> | undefined;
  /** There is room below the last message, so that it can stand at the upper edge with any answer. */
  let hasRoom = false;
  /** Where the list was last. */
  let last = 0;
  let found: Element | null = null;
  /** How often the message was looked for: an application may draw it in a way of its own. */
  let tries = 0;

  /** How far the list is scrolled where the last message is at the upper edge. */
  const topOfTurn = (box: HTMLElement): number | undefined => {
    if (!found?.isConnected && turn?.id && tries++ < mostTries) {
      found = box.querySelector(`[data-glove-entry=${JSON.stringify(turn.id)}]`) ?? found;
    }
    if (!found?.isConnected) return undefined;
    tries = 0;
    const around = box.getBoundingClientRect();
    const { top, bottom } = found.getBoundingClientRect();
    // An element around the chat may be transformed.
    const scale = around.height / box.offsetHeight || 1;
    const start = (top - around.top) / scale - above;
    const end = (bottom - around.top) / scale - most * box.clientHeight;
    return Math.max(0, box.scrollTop + Math.max(start, end));
  };
  const giveRoom = (box: HTMLElement, { style }: HTMLElement, top: number | undefined) => {
    const { clientHeight } = box;
    const height = !hasRoom ? "" : top === undefined ? style.minHeight : `${top + clientHeight}px`;
    if (height === style.minHeight) return;
    style.minHeight = height;
    if (box.clientHeight === clientHeight) return;
    // It is as high as what is in it: there is no edge to stand at.
    hasRoom = false;
    style.minHeight = "";
  };
  /** Room below the last words is nothing to go to. */
  const tellEnd = (box: HTMLElement) => {
    const ends = [...(content.current?.children ?? [])].map((part) => part.getBoundingClientRect().bottom);
    setAtEnd(Math.max(...ends) - box.getBoundingClientRect().bottom < near);
  };
  const place = () => {
    const [box, inside] = [scroller.current, content.current];
    // Without a box of its own it scrolls with what is around it.
    if (!box?.clientHeight || !inside) return;
    const top = follows === "turn" || hasRoom ? topOfTurn(box) : undefined;
    giveRoom(box, inside, top);
    const end = box.scrollHeight - box.clientHeight;
    const to = follows === "turn" ? Math.min(top ?? end, end) : end;
    // A message that was there and is away comes again: it is being edited, say.
    const isAway = follows === "turn" && top === undefined && found;
    if (follows && !isAway && Math.abs(box.scrollTop - to) >= 1) box.scrollTop = to;
    last = box.scrollTop;
    tellEnd(box);
  };
  const follow = (next: typeof follows) => {
    follows = next;
    // Whoever gives something here the focus leaves the list where it is.
    scroller.current?.toggleAttribute("data-glove-left", !next);
  };
  const stop = () => follow(undefined);
  const scrolled = () => {
    const box = scroller.current as HTMLElement;
    const end = box.scrollHeight - box.clientHeight;
    const moved = box.scrollTop - last;
    last = box.scrollTop;
    const isNear = end - last < near;
    tellEnd(box);
    // Otherwise that was the list itself, and not the reader.
    if (Math.abs(moved) < 1) return;
    if (!isNear || how === "none") return stop();
    // Where the end and the turn are the same place, it is the turn.
    follow(how === "turn" && end - (topOfTurn(box) ?? 0) < near ? how : "end");
  };
  const toEnd = (rises = false) => {
    if (rises) hasRoom = true;
    follow(rises ? "turn" : "end");
    place();
    if (how === "none") stop();
  };

  return {
    stop,
    toEnd: () => toEnd(),
    sent(again = false) {
      if (how !== "none") toEnd(again && how === "turn");
    },
    update(scroll: Scroll, now: Turn) {
      const { sessionId, id, busy, needed } = now;
      // It is opened at the last message, or at its end where that is nearer, or where something needs the reader.
      if (!turn || (turn.sessionId && sessionId !== turn.sessionId)) {
        follow(scroll === "end" || needed ? "end" : "turn");
        hasRoom = false;
      }
      if (id !== turn?.id) {
        found = null;
        tries = 0;
        hasRoom = turn !== undefined && busy && follows !== undefined && scroll === "turn";
        if (hasRoom) follow("turn");
      }
      if (needed && !turn?.needed && follows) follow("end");
      if (busy && scroll === "none") stop();
      how = scroll;
      turn = now;
      place();
    },
    watch() {
      const [box, inside] = [scroller.current, content.current];
      if (!box || !inside || typeof ResizeObserver === "undefined") return;
      const { ownerDocument } = box;
      const selected = () => {
        const selection = ownerDocument.getSelection();
        if (!selection || selection.isCollapsed || !box.contains(selection.anchorNode)) return;
        stop();
        selects();
      };
      // Between layout and paint, so nobody sees what is followed out of sight.
      const observer = new ResizeObserver(place);
      for (const part of [box, inside, ...inside.children]) observer.observe(part);
      const over = new AbortController();
      const { signal } = over;
      box.addEventListener("scroll", scrolled, { passive: true, signal });
      box.addEventListener("click", ({ target }) => (target as Element).closest("a, summary, [data-glove-edit]") && stop(), {
        signal,
      });
      ownerDocument.addEventListener("selectionchange", selected, { signal });
      return () => {
        observer.disconnect();
        over.abort();
      };
    },
  };
}

const mostTries = 5;
