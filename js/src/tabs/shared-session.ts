// A session that may run somewhere else than in this page, as its connection sees it.
import type { StoreAdapter } from "../ports/store.js";
import type { SessionCore } from "../wasm/core-api.js";
import type { CoreEvent } from "../wire/core-types.js";
import type { TabPage } from "./tab-adapter.js";

export interface SharedSession extends SessionCore {
  /** It is this page that runs the session. */
  readonly leads: boolean;
  /** It could not be had; `ready` makes another try. */
  readonly isDropped: boolean;
  /** Settles when it is known who runs the session, and what there is of it. */
  ready(): Promise<void>;
  takeOver(): void;
  /** Somebody else has taken the session over. */
  superseded(): void;
  /** Whether this page still runs the session. */
  holds(): Promise<boolean>;
  /** What the core of this page told. */
  tell(events: readonly CoreEvent[]): void;
  answerInbox(id: string, response: string): Promise<boolean>;
  clearError(): void;
  drop(error: unknown): void;
  dispose(error: Error): void;
}

/** How a page takes part in it. */
export interface Sharing {
  join(name: string, store: StoreAdapter, page: TabPage): SharedSession;
  readonly TabPage: typeof TabPage;
}
