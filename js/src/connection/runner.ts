// What runs a session in this page, for what the page does beside it.
import type { SharedSession } from "../tabs/shared-session.js";
import type { CoreSession } from "../wasm/core-api.js";
import type { Guard } from "../wasm/guard.js";

/** `CoreConnection` is one. All of it may change at any time, but for the guard. */
export interface Runner {
  /** The core of this page; nothing where another tab or a server runs the session, and while it is started. */
  readonly core: CoreSession | undefined;
  readonly guard: Guard;
  /** The other tabs that have the session open, where its store is one that they share. Without them nobody can have taken over. */
  readonly tabs: SharedSession | undefined;
  /** What is done once for a run is done in this page. */
  readonly tells: boolean;
  /** The session is closed. */
  readonly disposed: boolean;
}
