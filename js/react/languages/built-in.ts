// Which languages are built in besides English. Loaded on pages that are in another language.
import type { Words } from "../render/labels.js";

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

/** By a tag such as `de-AT`. Who reads traditional characters is not given the simplified ones. */
export async function wordsOf(tag: string): Promise<Words | undefined> {
  const [language = "", ...rest] = tag.toLowerCase().split(/[-_]/);
  if (!Object.hasOwn(files, language)) return undefined;
  if (language === "zh" && rest.some((part) => /^(hant|tw|hk|mo)$/.test(part))) return undefined;
  return (await files[language as keyof typeof files]()).words;
}
