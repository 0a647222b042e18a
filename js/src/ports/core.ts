// The core that sessions run in, in the page or in a worker of it, and the way of a session to whoever runs it.
import type { Maybe } from "../timing/sync-or-promise.js";
import type { AwaitedCalls, CoreSession, SessionCore } from "../wasm/core-api.js";
import type { Guard } from "../wasm/guard.js";
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

/** The way of a session to whoever runs it, for all that is part of the session: it has one, which `Connection` is. */
export interface CoreAccess {
  /** Who is asked now: the core of this page, once it was started, or another tab, or a server. */
  readonly session: SessionCore | undefined;
  /** The core of this page, where its tools run. Throws where there is none. */
  readonly own: CoreSession;
  /** Of what runs the session. */
  readonly guard: Guard;
  /** Opens the session where it is not open. A start that failed is tried again at the next use. */
  ready(): Promise<void>;
  /** Asks as soon as the session is open, with the settings of now, and gives what comes of it. */
  answer<T>(ask: (session: AwaitedCalls) => Maybe<T>): Promise<T>;
  /** Settles when the session is closed, too, whatever the work does. */
  whileOpen<T>(work: Promise<T>): Promise<T>;
  /** Tells the core what has changed of the settings. */
  configure(): Promise<void>;
}
