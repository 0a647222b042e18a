// An element without a box, so that layouts reach what is in it. Set by script: in HTML from a server a policy may forbid styles.
import type { RefObject } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";

export function useBoxless(element: RefObject<HTMLElement | null>, boxless = true): void {
  useBrowserLayoutEffect(() => {
    const { style } = element.current ?? {};
    if (style) style.display = boxless ? "contents" : "";
  }, [element, boxless]);
}
