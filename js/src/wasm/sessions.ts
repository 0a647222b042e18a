// The wasm file of pages: sessions, and the protocol of endpoints.
import { type Loaded, openerOf, type Started } from "./core.js";
import { __wbg_reset_state, CoreRun, CoreSession, guard, initSync, salvage, version } from "./generated/glove_wasm.js";

// With `CoreRun`, which only some pages use: whoever loads those parts later has the core, and no other file to get it from.
const glue = { __wbg_reset_state, CoreRun, CoreSession, guard, initSync, salvage, version };

/** The sessions of this file, and perhaps not started. */
export type SessionsFile = Loaded<typeof glue>;

/** What calls that cannot wait need. */
export type CoreNow = Started<typeof glue>;

export const openCore = /* @__PURE__ */ openerOf(glue);

export { guard };
