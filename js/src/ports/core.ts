// The core that sessions run in: in the page, or in a worker of it.
import type { SessionsFile } from "../wasm/sessions.js";
import type { StoreAdapter } from "./store.js";

export interface OpenCore extends SessionsFile {
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
