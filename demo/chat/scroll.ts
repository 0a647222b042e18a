// Keeps the end of the conversation in sight, unless the person has scrolled away from it.
import { type RefObject, useCallback, useEffect, useRef } from "react";

export interface Scroll {
  readonly outer: RefObject<HTMLDivElement | null>;
  readonly inner: RefObject<HTMLDivElement | null>;
  onScroll(): void;
}

/** `rests` while what is there is read from its top. */
export function useScroll(rests: boolean): Scroll {
  const outer = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const top = useRef(0);
  const resting = useRef(rests);
  resting.current = rests;
  const look = useCallback(() => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = outer.current ?? {};
    // Content that grows moves nothing: only who goes up wants to stay there.
    if (scrollTop < top.current) follows.current = false;
    if (scrollHeight - scrollTop - clientHeight < 40) follows.current = true;
    top.current = scrollTop;
  }, []);
  useEffect(() => {
    if (!inner.current) return;
    const observer = new ResizeObserver(() => {
      const element = outer.current;
      if (!element || resting.current) return;
      // Who has just gone up may not have been heard of yet.
      if (element.scrollTop < top.current) look();
      if (!follows.current) return;
      element.scrollTop = element.scrollHeight;
      top.current = element.scrollTop;
    });
    observer.observe(inner.current);
    return () => observer.disconnect();
  }, [look]);
  return { outer, inner, onScroll: look };
}
