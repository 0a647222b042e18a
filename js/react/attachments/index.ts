// The files of messages and of the composer, as they are drawn. What reads and scales them (`tray.ts`) is loaded with the first one.
export { MessageFiles } from "./message-files.js";
export { TrayView } from "./tray-view.js";
