// The words of a chat in the language of its page, or in the one that it is given: loaded when they are first needed.
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { Labels } from "../render/labels.js";
import type { Language } from "./built-in.js";
import { english, known, loaded, loading } from "./known.js";

/** By a tag such as `de-AT`. Who reads traditional characters is not given the simplified ones. */
function languageOf(tag: string): Language | undefined {
  if (/^zh(?!.*hans).*(hant|tw|hk|mo)/i.test(tag)) return undefined;
  return /^(de|es|fr|it|ja|ko|nl|pl|pt|zh)(?![a-z])/i.exec(tag)?.[0].toLowerCase() as Language | undefined;
}

function load(language: Language): Promise<void> {
  let begun = loading.get(language);
  if (!begun) {
    const words = import("./built-in.js").then(({ wordsOf }): Promise<Labels> => wordsOf(language));
    begun = words
      .catch(() => english)
      .then((words) => {
        known.set(language, words);
        loaded.changed();
      });
    loading.set(language, begun);
  }
  return begun;
}

/** Loads the words of this language ahead. */
export async function loadWords(tag: string): Promise<void> {
  const language = languageOf(tag);
  if (language) await load(language);
}

/** The words for a chat with this `lang` and these replacements. */
export function useWords(lang: string | undefined, own: Labels | undefined): Labels {
  const page = useSyncExternalStore(followPage, pageTag, noTag);
  const language = languageOf(lang ?? page);
  const read = () => known.get(language);
  const words = useSyncExternalStore(loaded.subscribe, read, read);
  const drawn = useRef<Labels>(undefined);
  if (language && !words) {
    const coming = load(language);
    // What is drawn first is drawn in its language. Later, what is on the screen stays until the other words are there.
    if (!drawn.current) throw coming;
  }
  const said = words ?? drawn.current ?? english;
  useEffect(() => {
    drawn.current = said;
  }, [said]);
  return useMemo(() => (own ? { ...said, ...own } : said), [said, own]);
}

const noTag = () => "";
const pageTag = () => document.documentElement.lang;

function followPage(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["lang"] });
  return () => observer.disconnect();
}
