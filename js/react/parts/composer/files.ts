// What the composer and messages know of files. What draws them comes later, and what reads them with the first one.
import { createElement, type ReactNode, useSyncExternalStore } from "react";
import { Loader } from "../../look/loader.js";

const files = /* @__PURE__ */ new Loader(() => import("../../attachments/index.js"));
export const loadFiles = files.load;
const Late = /* @__PURE__ */ files.component("Attaching");
/** The button of the composer, and the files above its text. Nobody can attach a file to the HTML of a server. */
export const Attaching = (): ReactNode => useSyncExternalStore(never, yes, no) && createElement(Late);

const never = () => () => {};
const yes = () => true;
const no = () => false;

/** The pictures and files of a message. */
export const MessageFiles = /* @__PURE__ */ files.component("MessageFiles");
