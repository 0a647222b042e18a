// Keeps the end of the conversation in sight, unless the person has scrolled away from it.
import { type RefObject, useEffect, useRef } from "react";

export interface Scroll {
  readonly outer: RefObject<HTMLDivElement | null>;
  readonly inner: RefObject<HTMLDivElement | null>;
  onScroll(): void;
}

export function useScroll(): Scroll {
  const outer = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    if (!inner.current) return;
    const observer = new ResizeObserver(() => {
      if (follows.current && outer.current) outer.current.scrollTop = outer.current.scrollHeight;
    });
    observer.observe(inner.current);
    return () => observer.disconnect();
  }, []);
  const top = useRef(0);
  const onScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = outer.current ?? {};
    // Content that grows moves nothing: only who goes up wants to stay there.
    if (scrollTop < top.current) follows.current = false;
    if (scrollHeight - scrollTop - clientHeight < 40) follows.current = true;
    top.current = scrollTop;
  };
  return { outer, inner, onScroll };
}
