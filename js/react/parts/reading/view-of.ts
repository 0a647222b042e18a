// Which rows of a list stand in the document, where it is long: known to what draws them, and to what goes to one of them.

import type { ChatView } from "./scroll.js";

/** What decides of the entries in a list. */
export interface Rows {
  /** Draws the entry with this id. */
  show(id: string): void;
  showAll(all: boolean): void;
}

/** By what shows the conversation: what moves its list. */
export const viewsOf = /* @__PURE__ */ new WeakMap<object, ChatView>();

/** By the list. */
export const views = /* @__PURE__ */ new WeakMap<Element, Rows>();
