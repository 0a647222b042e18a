// Which rows of a list stand in the document, where it is long: known to what draws them, and to what goes to one of them.
import type { View } from "../../render/drawn-view.js";

/** By the list, what decides of the entries in it. */
export const views = /* @__PURE__ */ new WeakMap<Element, View>();
