// What opens a session, in one file: each file more costs a page that has just drawn some milliseconds of its main thread.
export { rulesOf } from "../tabs/command-rules.js";
export * as tabs from "../tabs/tabs.js";
export { openCore } from "../wasm/sessions.js";
export { SessionLifecycle } from "./lifecycle.js";
