// The wasm file of pages: sessions, and the protocol of endpoints.
import type { StoreAdapter } from "../store/adapter.js";
import { type Loaded, openerOf, type Started } from "./core.js";
import { __wbg_reset_state, CoreSession, guard, initSync, salvage, version } from "./generated/glove_wasm.js";

// Not the whole module: what only some pages use (`CoreRun`) is left out of the others.
const glue = { __wbg_reset_state, CoreSession, guard, initSync, salvage, version };

export interface OpenCore extends Loaded<typeof glue> {
  /** Of a core in a worker: the store there that stands for this one. */
  place?(store: StoreAdapter): Promise<StoreAdapter>;
}

/** The core as code knows it that is there before its glue. */
export interface Core {
  /** With its glue, and perhaps not started. */
  opened(): Promise<OpenCore>;
  /** Starts it without blocking the page; later calls give the same. */
  load(): ReturnType<OpenCore["load"]>;
  /** Asks for its wasm file, and starts nothing. */
  ahead?(): void;
  /** Of a core in a worker: the one in the page, for what is not of a session. */
  readonly page?: Core;
}

/** What calls that cannot wait need. */
export type CoreNow = Started<typeof glue>;

export const openCore = /* @__PURE__ */ openerOf(glue);

export { guard };
