// The words of a chat in the language of its page, or in the one that it is given: loaded when they are first needed.
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { Listeners } from "../hooks/listeners.js";
import type { Labels } from "../render/labels.js";

/** By tag. Those of a language that is not built in, or could not be loaded, are the English ones, which are in the chat itself. */
const known = new Map<string, Labels>();
const loading = new Map<string, Promise<void>>();
const loaded = new Listeners();
const english: Labels = {};

/** Loads the words of this language ahead. */
export function loadWords(tag: string): Promise<void> {
  let begun = loading.get(tag);
  if (!begun) {
    const words = import("./built-in.js").then(({ wordsOf }): Promise<Labels | undefined> => wordsOf(tag));
    begun = words
      .catch(() => english)
      .then((words) => {
        known.set(tag, words ?? english);
        loaded.changed();
      });
    loading.set(tag, begun);
  }
  return begun;
}

/** The words for a chat with this `lang` and these replacements. */
export function useWords(lang: string | undefined, own: Labels | undefined): Labels {
  const page = useSyncExternalStore(followPage, pageTag, noTag);
  const tag = lang ?? page;
  const read = () => (/^(en\b|$)/i.test(tag) ? english : known.get(tag));
  const words = useSyncExternalStore(loaded.subscribe, read, read);
  const isDrawn = useRef(false);
  useEffect(() => {
    isDrawn.current = true;
  }, []);
  if (!words) {
    const coming = loadWords(tag);
    // What is drawn first is drawn in its language. Later, nothing that is on the screen goes for it.
    if (!isDrawn.current) throw coming;
  }
  return useMemo(() => (own ? { ...words, ...own } : (words ?? english)), [words, own]);
}

const noTag = () => "";
const pageTag = () => document.documentElement.lang;

function followPage(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["lang"] });
  return () => observer.disconnect();
}
