// The words of a chat in the language of its page, or in the one that it is given: loaded when they are first needed.
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { Listeners } from "../hooks/listeners.js";
import type { Labels, Words } from "../render/labels.js";

/** English is in the chat itself. */
const files = {
  de: () => import("./de.js"),
  es: () => import("./es.js"),
  fr: () => import("./fr.js"),
  it: () => import("./it.js"),
  ja: () => import("./ja.js"),
  ko: () => import("./ko.js"),
  nl: () => import("./nl.js"),
  pl: () => import("./pl.js"),
  pt: () => import("./pt.js"),
  zh: () => import("./zh.js"),
};

type Language = keyof typeof files;

/** Those of one that could not be loaded are the English ones. */
const known = new Map<Language | undefined, Labels>();
const loading = new Map<Language, Promise<void>>();
const loaded = new Listeners();

/** By a tag such as `de-AT`. Who reads traditional characters is not given the simplified ones. */
function languageOf(tag: string): Language | undefined {
  const [language = "", ...rest] = tag.toLowerCase().split(/[-_]/);
  if (language === "zh" && rest.some((part) => /^(hant|tw|hk|mo)$/.test(part))) return undefined;
  return Object.hasOwn(files, language) ? (language as Language) : undefined;
}

function load(language: Language): Promise<void> {
  const keep = (words: Labels) => {
    known.set(language, words);
    loaded.changed();
  };
  const begun =
    loading.get(language) ??
    files[language]().then(
      ({ words }: { readonly words: Words }) => keep(words),
      () => keep(english),
    );
  loading.set(language, begun);
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
  const isDrawn = useRef(false);
  useEffect(() => {
    isDrawn.current = true;
    if (language) void load(language);
  }, [language]);
  // What is drawn first is drawn in its language. Later, nothing that is on the screen goes for it.
  if (language && !words && !isDrawn.current) throw load(language);
  return useMemo(() => (words && own ? { ...words, ...own } : (own ?? words ?? english)), [words, own]);
}

const english: Labels = {};
const noTag = () => "";
const pageTag = () => document.documentElement.lang;

function followPage(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["lang"] });
  return () => observer.disconnect();
}
