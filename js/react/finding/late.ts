// The bar that finds messages in a conversation: loaded where a chat wants it.
import { Loader } from "../look/loader.js";
import { whileLoading } from "./key.js";

/** Finds words in a conversation, and lists the messages of the person. */
export const Finder = /* @__PURE__ */ new Loader(() => whileLoading(() => import("./finder.js")), true).component("Finder");
