// A session that may run somewhere else than in this page, as its connection sees it.
import type { StoreAdapter } from "../ports/store.js";
import type { AwaitedCalls, SessionCore } from "../wasm/core-api.js";
import type { CoreEvent, CoreOutcome } from "../wire/core-types.js";
import type { TabPage } from "./tab-adapter.js";

/** What was asked of a core that is gone. */
export interface UnansweredCommand {
  readonly method: keyof AwaitedCalls;
  readonly args: readonly unknown[];
  readonly resolve: (value: string) => void;
  readonly reject: (error: unknown) => void;
}

export interface SharedSession extends SessionCore {
  /** It is this page that runs the session. */
  readonly leads: boolean;
  /** It could not be had; `ready` makes another try. */
  readonly isDropped: boolean;
  /** Settles when it is known who runs the session, and what there is of it. */
  ready(): Promise<void>;
  takeOver(): void;
  /** The core of this page has not answered it: whoever runs the session next is asked. What might be done twice by that is refused. */
  resend(command: UnansweredCommand): void;
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

/** How a request ended says that the store has refused a write. */
export function isConflict(outcome: string): boolean {
  // Most are long, and this is rare.
  if (!outcome.includes("STORE_CONFLICT")) return false;
  const coreOutcome = JSON.parse(outcome) as CoreOutcome;
  return coreOutcome.outcome === "failed" && coreOutcome.error.code === "STORE_CONFLICT";
}
