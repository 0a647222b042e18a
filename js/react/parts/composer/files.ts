// What the composer and messages know of files. The button comes later, and what draws and reads files with the first one.
import { createElement, type ReactNode, useSyncExternalStore } from "react";
import { Loader } from "../../look/loader.js";

const attaching = /* @__PURE__ */ new Loader(() => import("../../attachments/attach.js"));
const files = /* @__PURE__ */ new Loader(() => import("../../attachments/index.js"));
export const loadFiles = (): Promise<unknown> => Promise.all([attaching.load(), files.load()]);
const Late = /* @__PURE__ */ attaching.component("Attaching");
/** The button of the composer, and the files above its text. Nobody can attach a file to the HTML of a server. */
export const Attaching = (): ReactNode => useSyncExternalStore(never, yes, no) && createElement(Late);

const never = () => () => {};
const yes = () => true;
const no = () => false;

/** The pictures and files of a message. */
export const MessageFiles = /* @__PURE__ */ files.component("MessageFiles");
