// Keeps the end of a growing list in sight, until the reader scrolls up.
import { type RefObject, useCallback, useRef, useState } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";

/** In pixels: so near to the end is the end. */
const near = 48;

/** Follows what grows in `content` within `scroller`; both are there once they are drawn. */
export function useEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): readonly [atEnd: boolean, toEnd: () => void] {
  const [atEnd, setAtEnd] = useState(true);
  const follows = useRef(true);
  useBrowserLayoutEffect(() => {
    const [box, inside] = [scroller.current, content.current];
    if (!box || !inside || typeof ResizeObserver === "undefined") return;
    let last = box.scrollTop;
    const distance = () => box.scrollHeight - box.clientHeight - box.scrollTop;
    const follow = () => {
      if (follows.current && distance() > 0) box.scrollTop = box.scrollHeight;
      last = box.scrollTop;
      setAtEnd(distance() < near);
    };
    const scrolled = () => {
      const isNear = distance() < near;
      // What grows never moves up what is seen: that was the reader.
      if (isNear) follows.current = true;
      else if (box.scrollTop < last) follows.current = false;
      last = box.scrollTop;
      setAtEnd(isNear);
    };
    // Between layout and paint, so nobody sees the end out of sight.
    const observer = new ResizeObserver(follow);
    observer.observe(inside);
    observer.observe(box);
    box.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", scrolled);
    };
  }, [scroller, content]);
  const toEnd = useCallback(() => {
    follows.current = true;
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, [scroller]);
  return [atEnd, toEnd];
}
