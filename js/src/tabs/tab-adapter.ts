// The session of this page, as `Tabs` sees it: its core, and what it shows.

import type { RunPhase, ShownEntry, TabRole } from "../snapshot/snapshot.js";
import type { SnapshotStore } from "../snapshot/snapshot-store.js";
import type { MaybeHidden, Written } from "../snapshot/state.js";
import { codeOf, failureFields } from "../values/error.js";
import { omitUndefined } from "../values/omit-undefined.js";
import type { CoreSession } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import type { Guard } from "../wasm/guard.js";
import type { CoreError, CoreEvent } from "../wire/core-types.js";
import type { CoreEntry } from "../wire/run-types.js";
import { noSlots, type ReplayState } from "./latest-state.js";
import type { Extras } from "./protocol.js";

/** A session in this page, as the other tabs and the server that have it too need it. `SessionLifecycle` is one. */
export interface TabCore {
  readonly guard: Guard;
  /** Loads the core ahead of `open`. */
  loadAhead(): void;
  /** Starts the core here and reads the stored session. */
  open(): Promise<CoreSession>;
  /** Lets go of the core; nothing ends. */
  close(): void;
  /** Gives the core what was sent in tabs that are gone. */
  takeUp(): void;
  /** What waits here beside an interrupted run, in no queue of the core. */
  readonly held: readonly MaybeHidden[];
  /** Gives the core all of that. */
  deliverWaiting(): void;
  /** Gives up one of it; false when it is none. */
  cancelWaiting(id: string): boolean;
  /** Gives the core the text that was shown. */
  flush(): void;
  keepPartial(): void;
  stop(): void;
  /** Shows what another tab, or a server, tells. */
  take(events: readonly CoreEvent[]): void;
  /** What was told last. */
  readonly replay: ReplayState;
  report(code: string, error: unknown): void;
  answerInbox(id: string, response: string): Promise<boolean>;
  /** Nothing of what is sent gets into the session; the tab that runs it says so to the others. */
  readOnly: boolean;
  deleted(): void;
  /** The session can be asked. */
  opened(): void;
  /** The session cannot be opened any more in this page. */
  outdated(): void;
}

/** What this page shows of the session, on its way to and from the others. */
export class TabPage {
  readonly core: TabCore;
  readonly #snapshots: SnapshotStore;
  /** What is in the queue here as the tab that runs the session holds it. */
  #held: readonly MaybeHidden[] = [];

  constructor(snapshots: SnapshotStore, core: TabCore) {
    this.#snapshots = snapshots;
    this.core = core;
  }

  get phase(): RunPhase {
    return this.#snapshots.phase;
  }

  /** The request that is being answered. */
  get request(): string | null {
    return this.#snapshots.request;
  }

  /** All that was told, for a tab that knows nothing yet. */
  all(): ReturnType<ReplayState["all"]> {
    return this.core.replay.all(this.#snapshots.snapshot.timeline.map(toWireEntry));
  }

  /** What the tab that runs the session tells. `written` comes with the whole of it: the answer that is being written. */
  take(events: readonly CoreEvent[], written?: Written): void {
    if (written) this.#snapshots.apply({ kind: "renewed", written });
    this.core.take(events);
  }

  /** An error for the screen, or that there is none. */
  fail(error: Error | undefined): void {
    this.#snapshots.set({ error });
  }

  show(tab: TabRole): void {
    // From now on it is held here, or it was given to the core.
    if (tab === "leader") {
      this.#showHeld(this.core.held);
      this.#held = [];
    }
    const over = tab !== "blocked" && /^(SESSION_OPEN_ELSEWHERE|TAB_VERSION)$/.test(codeOf(this.#snapshots.snapshot.error));
    this.#snapshots.set({ tab, ...(tab === "follower" && { sessionReady: true }), ...(over && { error: undefined }) });
  }

  #showHeld(now: readonly MaybeHidden[]): void {
    const ids = new Set(now.map(({ id }) => id));
    for (const { id } of this.#held) if (!ids.has(id)) this.#snapshots.apply({ kind: "dropped", id });
    for (const message of now) this.#snapshots.apply({ ...message, kind: "undelivered" });
    this.#held = now;
  }

  /** A newer page goes on; this one shows why it does not. */
  outdated(error: Error): void {
    this.core.outdated();
    this.core.take([noSlots]);
    this.#snapshots.dispatch({ kind: "lost", error, over: false });
    this.#snapshots.set({ tab: "outdated", error });
  }

  extras(): Extras {
    const { tasks, inbox, storage, error } = this.#snapshots.snapshot;
    const { readOnly, held } = this.core;
    const { progress } = this.#snapshots;
    return { tasks, inbox, storage, progress, error: error ? toCoreError(error) : null, readOnly, held };
  }

  showExtras({ tasks, inbox, storage, progress, error, readOnly, held }: Extras): void {
    if (readOnly !== undefined) this.core.readOnly = readOnly;
    if (held) this.#showHeld(held);
    if (progress) this.#snapshots.apply({ kind: "progress", progress });
    this.#snapshots.set({
      ...omitUndefined({ tasks, inbox, storage }),
      ...(error !== undefined && { error: error === null ? undefined : fromCore(error) }),
    });
  }

  /** Calls the listener when extras may have changed. Gives its undo. */
  subscribe(listener: () => void): () => void {
    return this.#snapshots.subscribe(listener);
  }

  /** What was asked for and not waited for has failed. */
  report(error: Error): void {
    this.core.report(codeOf(error), error);
  }
}

/** As `fromCore` reads it. The same for the same error. */
export function toCoreError(error: Error): CoreError {
  const known = tellings.get(error);
  if (known) return known;
  const model = failureFields(error);
  // A failure of something else than a model knows nothing of it.
  const telling = { code: codeOf(error), message: error.message, ...(model.transient !== undefined && { model }) };
  tellings.set(error, telling);
  return telling;
}

/** As the core told it: of an error, other tabs would get the words alone. */
const toWireEntry = (entry: ShownEntry): CoreEntry =>
  (entry.error ? { ...entry, error: toCoreError(entry.error) } : entry) as CoreEntry;

const tellings = new WeakMap<Error, CoreError>();
