// The session of this page, as `Tabs` sees it: its core, and what it shows.
import { toldOf } from "../error.js";
import type { TabRole } from "../snapshot/snapshot.js";
import type { Shown, Written } from "../snapshot/snapshot-store.js";
import type { CoreEvent, CoreSession } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import type { Extras } from "./protocol.js";
import type { Last } from "./replay-state.js";

/** The core of this page, and the way of what is told to the screen. */
export interface TabCore {
  /** Starts the core here and reads the stored session. */
  open(): Promise<CoreSession>;
  /** Lets go of the core; nothing ends. */
  close(): void;
  /** Gives the core the text that was shown. */
  flush(): void;
  keepPartial(): void;
  stop(): void;
  take(events: readonly CoreEvent[]): void;
  last(): Last;
  report(code: string, error: unknown): void;
  answerInbox(id: string, response: string): Promise<boolean>;
  deleted(): void;
}

export type TabPage = ReturnType<typeof tabPage>;

export function tabPage(shown: Shown, core: TabCore) {
  return {
    ...core,
    phase: () => shown.phase,
    /** The request that is being answered. */
    request: () => shown.request,
    /** All that was told, for a tab that knows nothing yet. */
    all: () => core.last().all(shown.snapshot.timeline),
    /** What the tab that runs the session tells. `written` comes with the whole of it: the answer that is being written. */
    take(events: readonly CoreEvent[], written?: Written): void {
      if (written) shown.renew(written);
      core.take(events);
    },
    /** An error for the screen, or that there is none. */
    fail: (error: Error | undefined) => shown.set({ error }),
    show(tab: TabRole): void {
      const over = tab !== "blocked" && codeOf(shown.snapshot.error) === "SESSION_OPEN_ELSEWHERE";
      shown.set({ tab, ...(tab === "follower" && { sessionReady: true }), ...(over && { error: undefined }) });
    },
    extras(): Extras {
      const { tasks, inbox, storage, error } = shown.snapshot;
      return { tasks, inbox, storage, error: error ? toText(error) : null };
    },
    showExtras({ error, ...extras }: Extras): void {
      shown.set({ ...extras, ...(error !== undefined && { error: error === null ? undefined : fromCore(error) }) });
    },
    /** Calls the listener when extras may have changed. Gives its undo. */
    subscribe: (listener: () => void) => shown.subscribe(listener),
    /** What was asked for and not waited for has failed. */
    report: (error: Error) => core.report(codeOf(error), error),
  };
}

export function codeOf(error: Error | undefined): string {
  return error && "code" in error && typeof error.code === "string" ? error.code : "FAILED";
}

/** As `fromCore` reads it. */
export function toText(error: Error): string {
  const model = toldOf(error);
  // A failure of something else than a model knows nothing of it.
  const known = model.transient !== undefined;
  return JSON.stringify({ code: codeOf(error), message: error.message, ...(known && { model }) });
}
