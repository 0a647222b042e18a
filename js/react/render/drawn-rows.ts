// Of a long conversation a part is drawn. What decides of that is loaded with the first long one.
import { type RefObject, useRef, useState, useSyncExternalStore } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import type { Part, Rows, View } from "./drawn-view.js";

/** So many blocks stand there until it is known what is seen: the end, where a conversation is opened. */
const atFirst = 4;
/** What a block takes until then, in pixels. */
const guess = 1_000;

/**
 * The blocks to draw, with the room of the others between them, and the `ref` of the element that they stand in. All are drawn where the list has no
 * boxes, and where there is no layout, as in tests of applications.
 */
export function useDrawnRows<B extends Rows>(
  blocks: readonly B[],
  hasBoxes: boolean,
): readonly [parts: readonly Part<B>[], log: RefObject<Element | null>] {
  const log = useRef<Element | null>(null);
  const now = useRef(blocks);
  /** So many are away before it is known what is seen, of the conversation that begins with this entry: what stands there stays. */
  const hidden = useRef<{ readonly first: unknown; readonly count: number }>({ first: undefined, count: 0 });
  /** `null` draws all. */
  const [view, setView] = useState<View | null>();
  const version = () => view?.version() ?? 0;
  useSyncExternalStore(view?.subscribe ?? never, version, version);
  // Before more of them come than stand there at first.
  const isLong = hasBoxes && blocks.length >= atFirst;
  useBrowserLayoutEffect(() => {
    if (view) return view.watch();
    if (!isLong || view === null) return undefined;
    const all = () => setView(null);
    // A test of an application may have its own observer.
    if (typeof ResizeObserver === "undefined" || !document.documentElement.clientWidth) all();
    else import("./drawn-view.js").then(({ View }) => setView((known) => known ?? new View(log, now.current, atFirst)), all);
    return undefined;
  }, [view, isLong]);
  useBrowserLayoutEffect(() => {
    now.current = blocks;
    view?.drawn();
  });
  if (hasBoxes && view) return [view.parts(blocks), log];
  const [first] = blocks;
  const most = Math.max(0, blocks.length - atFirst);
  const { id } = first?.entries[0] ?? {};
  if (hidden.current.first !== id || hidden.current.count > most) hidden.current = { first: id, count: most };
  const away = hasBoxes && view !== null ? hidden.current.count : 0;
  const parts: Part<B>[] = blocks.slice(away).map((block) => ({ block }));
  return [away && first ? [{ away: first.start, height: away * guess }, ...parts] : parts, log];
}

const never = () => () => {};
