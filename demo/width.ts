// What the page knows of its screen, and what a person has opened.
import { useState, useSyncExternalStore } from "react";

const two = matchMedia("(width >= 72rem)");
const three = matchMedia("(width >= 94rem)");

/** How many parts have room beside the conversations: the chat, the scene's application, and what happens inside. */
export function useRoom(): 1 | 2 | 3 {
  return useSyncExternalStore(subscribe, () => (three.matches ? 3 : two.matches ? 2 : 1));
}

function subscribe(listener: () => void): () => void {
  for (const query of [two, three]) query.addEventListener("change", listener);
  return () => {
    for (const query of [two, three]) query.removeEventListener("change", listener);
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
