// The words that have come, and what has been asked for: once for the page, whichever part of it speaks.
import { Listeners } from "../hooks/listeners.js";
import type { Labels } from "../render/labels.js";
import type { Language } from "./built-in.js";

/** They are in the chat itself. */
export const english: Labels = {};
/** Where they could not be loaded, they are the English ones. */
export const known = /* @__PURE__ */ new Map<Language | undefined, Labels>([[undefined, english]]);
export const loading = new Map<Language, Promise<void>>();
export const loaded = /* @__PURE__ */ new Listeners();
