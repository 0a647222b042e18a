// What the composer and messages know of files. What draws them comes later, and what reads them with the first one.
import { Loader } from "../../look/loader.js";

const files = /* @__PURE__ */ new Loader(() => import("../../attachments/index.js"));
export const loadFiles = files.load;
/** The button of the composer, and the files above its text. */
export const Attaching = /* @__PURE__ */ files.component("Attaching");
/** The pictures and files of a message. */
export const MessageFiles = /* @__PURE__ */ files.component("MessageFiles");
