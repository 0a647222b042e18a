// The files of messages and of the composer, as they are drawn. What reads and scales them (`tray.ts`) is loaded with the first one.
export { Attaching } from "./attach.js";
export { MessageFiles } from "./message-files.js";
