// What the page knows of its screen, and what a person has opened.
import { useState, useSyncExternalStore } from "react";

const widths = ["48rem", "72rem", "94rem"].map((width) => matchMedia(`(width >= ${width})`));

/**
 * How many parts have room beside the chat: the conversations, the scene's application, and what happens inside.
 * Where there is room for one, an open panel takes the place of the conversations.
 */
export function useRoom(): number {
  return useSyncExternalStore(subscribe, () => widths.filter(({ matches }) => matches).length);
}

function subscribe(listener: () => void): () => void {
  for (const width of widths) width.addEventListener("change", listener);
  return () => {
    for (const width of widths) width.removeEventListener("change", listener);
  };
}

/** Open or not, kept for this tab. */
export function useKept(key: string): readonly [open: boolean, set: (open: boolean) => void] {
  const [open, setOpen] = useState(() => sessionStorage.getItem(key) !== null);
  const set = (open: boolean) => {
    setOpen(open);
    if (open) sessionStorage.setItem(key, "");
    else sessionStorage.removeItem(key);
  };
  return [open, set];
}
