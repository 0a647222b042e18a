// Which languages are built in besides English. Loaded on pages that are in one of them.
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

export type Language = keyof typeof files;

export const wordsOf = async (language: Language): Promise<Words> => (await files[language]()).words;
