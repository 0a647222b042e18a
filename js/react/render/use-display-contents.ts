// An element without a box, so that layouts reach what is in it. Set by script: in HTML from a server a policy may forbid styles.
import type { RefObject } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";

export function useDisplayContents(element: RefObject<HTMLElement | null>, enabled = true): void {
  useBrowserLayoutEffect(() => {
    const { style } = element.current ?? {};
    if (style) style.display = enabled ? "contents" : "";
  }, [element, enabled]);
}
