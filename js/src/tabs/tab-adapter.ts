// The session of this page, as `Tabs` sees it: its core, and what it shows.

import type { ShownEntry, TabRole } from "../snapshot/snapshot.js";
import type { SnapshotStore } from "../snapshot/snapshot-store.js";
import type { MaybeHidden, Written } from "../snapshot/state.js";
import { codeOf, failureFields } from "../values/error.js";
import { omitUndefined } from "../values/omit-undefined.js";
import type { CoreSession } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import type { CoreError, CoreEvent } from "../wire/core-types.js";
import type { CoreEntry } from "../wire/run-types.js";
import type { Extras } from "./protocol.js";
import { noSlots, type ReplayState } from "./replay-state.js";

/** The core of this page, and the way of what is told to the screen. */
export interface TabCore {
  /** Loads the core ahead of `open`. */
  prepare(): void;
  /** Starts the core here and reads the stored session. */
  open(): Promise<CoreSession>;
  /** What the core promised, or that it has trapped. */
  untilTrap<T>(work: Promise<T>): Promise<T>;
  /** Lets go of the core; nothing ends. */
  close(): void;
  /** Gives the core what was sent in tabs that are gone. */
  takeUp(): void;
  /** What waits here beside an interrupted run, in no queue of the core. */
  held(): readonly MaybeHidden[];
  /** Gives the core all of that. */
  giveHeld(): void;
  /** Gives up one of it; false when it is none. */
  cancelHeld(id: string): boolean;
  /** Gives the core the text that was shown. */
  flush(): void;
  keepPartial(): void;
  stop(): void;
  take(events: readonly CoreEvent[]): void;
  last(): ReplayState;
  report(code: string, error: unknown): void;
  answerInbox(id: string, response: string): Promise<boolean>;
  /** Whether nothing of what is sent gets into the session; the tab that runs it says so to the others. */
  readOnly(told?: boolean): boolean;
  deleted(): void;
  /** The session can be asked. */
  opened(): void;
  /** The session cannot be opened any more in this page. */
  outdated(): void;
}

export type TabPage = ReturnType<typeof tabPage>;

export function tabPage(shown: SnapshotStore, core: TabCore) {
  /** What is in the queue here as the tab that runs the session holds it. */
  let held: readonly MaybeHidden[] = [];
  const showHeld = (now: readonly MaybeHidden[]) => {
    const ids = new Set(now.map(({ id }) => id));
    for (const { id } of held) if (!ids.has(id)) shown.apply({ kind: "dropped", id });
    for (const message of now) shown.apply({ ...message, kind: "kept" });
    held = now;
  };
  return {
    ...core,
    phase: () => shown.phase,
    /** The request that is being answered. */
    request: () => shown.request,
    /** All that was told, for a tab that knows nothing yet. */
    all: () => core.last().all(shown.snapshot.timeline.map(toldEntry)),
    /** What the tab that runs the session tells. `written` comes with the whole of it: the answer that is being written. */
    take(events: readonly CoreEvent[], written?: Written): void {
      if (written) shown.apply({ kind: "renewed", written });
      core.take(events);
    },
    /** An error for the screen, or that there is none. */
    fail: (error: Error | undefined) => shown.set({ error }),
    show(tab: TabRole): void {
      // From now on it is held here, or it was given to the core.
      if (tab === "leader") {
        showHeld(core.held());
        held = [];
      }
      const over = tab !== "blocked" && /^(SESSION_OPEN_ELSEWHERE|TAB_VERSION)$/.test(codeOf(shown.snapshot.error));
      shown.set({ tab, ...(tab === "follower" && { sessionReady: true }), ...(over && { error: undefined }) });
    },
    /** A newer page goes on; this one shows why it does not. */
    outdated(error: Error): void {
      core.outdated();
      core.take([noSlots]);
      shown.dispatch({ kind: "lost", error, over: false });
      shown.set({ tab: "outdated", error });
    },
    extras(): Extras {
      const { tasks, inbox, storage, error } = shown.snapshot;
      return { tasks, inbox, storage, error: error ? told(error) : null, readOnly: core.readOnly(), held: core.held() };
    },
    showExtras({ tasks, inbox, storage, error, readOnly, held }: Extras): void {
      if (readOnly !== undefined) core.readOnly(readOnly);
      if (held) showHeld(held);
      shown.set({
        ...omitUndefined({ tasks, inbox, storage }),
        ...(error !== undefined && { error: error === null ? undefined : fromCore(error) }),
      });
    },
    /** Calls the listener when extras may have changed. Gives its undo. */
    subscribe: (listener: () => void) => shown.subscribe(listener),
    /** What was asked for and not waited for has failed. */
    report: (error: Error) => core.report(codeOf(error), error),
  };
}

/** As `fromCore` reads it. The same for the same error. */
export function told(error: Error): CoreError {
  const known = tellings.get(error);
  if (known) return known;
  const model = failureFields(error);
  // A failure of something else than a model knows nothing of it.
  const telling = { code: codeOf(error), message: error.message, ...(model.transient !== undefined && { model }) };
  tellings.set(error, telling);
  return telling;
}

/** As the core told it: of an error, other tabs would get the words alone. */
const toldEntry = (entry: ShownEntry): CoreEntry => (entry.error ? { ...entry, error: told(entry.error) } : entry) as CoreEntry;

const tellings = new WeakMap<Error, CoreError>();
