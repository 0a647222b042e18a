// Connects a session to its core. Loads the code when the core is first needed, so that a page draws sooner; calls wait until then.

import { bound } from "../display/bound.js";
import type { Core } from "../ports/core.js";
import type { SentRequest, StoreAdapter } from "../ports/store.js";
import { dropLocalCopy, keepLocalCopy } from "../store/local/local-copy.js";
import { firstPainted } from "../timing/next-frame.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import { codeOf, loadPart } from "../values/error.js";
import { sessionClosed } from "../values/refusals.js";
import type { AwaitedCalls, CoreSession, SessionCore } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import type { Guard } from "../wasm/guard.js";
import type { SessionLifecycle } from "./lifecycle.js";
import type { ConnectionAccess } from "./open-session.js";
import type { SessionPage } from "./page.js";

export class Connection implements ConnectionAccess {
  readonly #core: Core;
  readonly #page: SessionPage;
  #loading: Promise<SessionLifecycle> | undefined;
  #opened: SessionLifecycle | undefined;
  #starting: Promise<void> | undefined;
  #disposed = false;
  /** Calls that wait for the session. */
  readonly #awaiting = new Set<(error: Error) => void>();

  constructor(core: Core, page: SessionPage) {
    this.#core = core;
    this.#page = page;
    const { displayManager, report } = page.session;
    const failed = (error: unknown) => report("LISTENER_FAILED", error);
    this.stackChanged = bound(
      displayManager,
      () => this.#opened?.slots,
      () => this.ready(),
      failed,
    );
  }

  readonly stackChanged: () => void;

  /** Where requests go now: to the core, once it was started, or to the tab that runs the session. */
  get session(): SessionCore | undefined {
    return this.#opened?.session;
  }

  /** The session, once what it takes was loaded. */
  get opened(): SessionLifecycle | undefined {
    return this.#opened;
  }

  /** Does something with that, as soon as the session is open where it is not there yet. */
  async with<T>(act: (openSession: SessionLifecycle) => Maybe<T>): Promise<T> {
    if (!this.#opened) await this.ready();
    return act(this.#loaded);
  }

  /** The core of this page, where its tools run. */
  get own(): CoreSession {
    return this.#loaded.own;
  }

  /** Of what runs the session. */
  get guard(): Guard {
    return this.#loaded.guard;
  }

  get #loaded(): SessionLifecycle {
    if (!this.#opened) throw sessionClosed();
    return this.#opened;
  }

  /** Opens the session with what was stored of it. A start that failed is tried again at the next use. */
  ready(): Promise<void> {
    if (this.#disposed) return Promise.reject(sessionClosed());
    this.#opened?.guard.tellOfTrap();
    return this.whileOpen(this.#started());
  }

  #started(): Promise<void> {
    if (this.#starting && !this.#opened?.isDropped) return this.#starting;
    // Why it could not be opened before is told again, or is over.
    if (!this.#page.snapshots.snapshot.sessionReady) this.#page.snapshots.set({ error: undefined });
    const starting = this.#start().then(
      () => this.#page.opened(),
      async (thrown: unknown) => {
        const error = fromCore(thrown);
        // After a trap another start may be under way.
        if (this.#starting === starting) {
          this.#starting = undefined;
          if (!this.#disposed) this.#tellOf(error);
          if (codeOf(error) === "PART_NOT_LOADED") this.#goOnWith(error);
        }
        // A caller that retries at once would leave the page no time for the lock or the database that it waits for.
        await new Promise((resolve) => setTimeout(resolve, 0));
        throw error;
      },
    );
    this.#starting = starting;
    return starting;
  }

  /** Loads a missing part again when the browser has a network, or when the part has come after all. */
  #goOnWith({ cause }: Error): void {
    // The same function is heard once.
    globalThis.addEventListener?.("online", this.#again);
    if (cause instanceof Promise) cause.then(this.#again, () => {});
  }

  readonly #again = (): void => {
    globalThis.removeEventListener?.("online", this.#again);
    if (!this.#disposed && !this.#starting) this.ready().catch(() => {});
  };

  async #start(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    await (await this.#loading).start();
  }

  async #load(): Promise<SessionLifecycle> {
    const { store } = this.#page.parts;
    // Asking for files takes the main thread of a slow phone for longer than drawing a page does.
    await firstPainted();
    if (this.#disposed) throw sessionClosed();
    // All that it takes, side by side. The code that needs a part reports why it does not come.
    if (!store.elsewhere) {
      this.#core.ahead?.();
      if (!this.#core.page) store.ahead?.();
      if (this.#page.session.config.tools?.length) import("../tools/runner.js").catch(() => {});
    }
    const [{ SessionLifecycle, tabs }, core] = await Promise.all([loadPart(import("./session-chunk.js")), this.#core.opened()]);
    if (this.#disposed) throw sessionClosed();
    this.#opened = new SessionLifecycle(this.#page, this, this.#core, core, tabs);
    return this.#opened;
  }

  get disposed(): boolean {
    return this.#disposed;
  }

  /** It may be opened now, by itself. */
  again(): void {
    if (!this.#starting) this.ready().catch(() => {});
  }

  /** It has to be opened again. */
  lost(): void {
    this.#starting = undefined;
    this.#losses++;
  }
  #losses = 0;

  // ---- what was sent and is not in the record yet --------------------------------------------------------------------

  /** Writes it down. Gives why it could not. `copied` is called where it outlives the page at once, and tells whether it is waited for. */
  async keepSent(message: SentRequest, copied?: () => boolean): Promise<Error | undefined> {
    const { store } = this.#page.parts;
    const copy = keepLocalCopy(store, message);
    if (copy?.atOnce && copied?.()) copy.hurry();
    const written = this.#place().then((place) => place.keepSent?.(message));
    if (copy) written.then(copy.forget, () => {});
    // What uses the session's database may never come.
    return Promise.any([written, ...(copy ? [copy.stored] : [])]).then(
      () => undefined,
      ({ errors: [error] }: AggregateError) => fromCore(error),
    );
  }

  dropSent(id: string): void {
    dropLocalCopy(this.#page.parts.store, id);
    this.#place()
      .then((store) => store.dropSent?.(id))
      .catch(() => {});
  }

  /** Where it is stored: in the page until the core is there, unless that is in a worker. */
  async #place(): Promise<StoreAdapter> {
    if (!this.#core.page) return this.#page.parts.store;
    if (!this.#disposed) this.ready().catch(() => {});
    return (await this.#loading)?.placed() ?? this.#page.parts.store;
  }

  /** Gives up what waits. */
  cancelQueued(id: string): void {
    if (!this.#opened?.cancelWaiting(id)) this.session?.cancelQueued?.(id);
  }

  /** Why the session cannot be opened. Each try says it on the screen; who draws no errors hears of it once. */
  #tellOf(error: Error): void {
    this.#page.snapshots.set({ error });
    if (this.#failure !== error.message) this.#page.subscribers.report(codeOf(error), error);
    this.#failure = error.message;
  }
  #failure: string | undefined;

  /** Stops what runs; the text that was shown goes into the record first. */
  stop(): void {
    this.#opened?.flush();
    this.session?.abort();
    this.#opened?.limits.hurry();
  }

  /** The configuration is another one: what is asked from now on is asked with it. */
  changed(): void {
    const before = this.#configured;
    const failed = (error: unknown) => this.#page.snapshots.set({ error: fromCore(error) });
    const started = this.#starting?.then(() => before);
    if (started) this.#configured = started.then(() => this.configure()).catch(failed);
  }
  #configured: Promise<void> = Promise.resolve();

  /** Sends the core what has changed since the last time. */
  async configure(): Promise<void> {
    await this.#opened?.configure();
  }

  /** Takes the session away from the tab that runs it. */
  async takeOver(): Promise<void> {
    // It fails, or waits, where another tab has the session and says nothing.
    if (!this.#opened?.tabs) await this.ready().catch(() => {});
    if (this.#disposed) throw sessionClosed();
    await this.#opened?.takeOver();
  }

  /** Answers an item of the inbox, where the session runs: two answers are one after the other there. */
  async answerInbox(id: string, response: string): Promise<boolean> {
    return this.whileOpen(this.answer(() => (this.#loaded.tabs ?? this.#loaded).answerInbox(id, response)));
  }

  clearError(): void {
    const { snapshots, parts } = this.#page;
    if (codeOf(snapshots.snapshot.error) === "STORE_LOST") (this.#opened?.place ?? parts.store).forget?.();
    snapshots.set({ error: undefined });
    this.#opened?.tabs?.clearError();
  }

  dispose(): void {
    this.#disposed = true;
    this.#opened?.dispose();
    this.#opened?.slots.changed();
    for (const leave of this.#awaiting) leave(sessionClosed());
  }

  /** Calls the session once it is open, and returns the result. */
  async answer<T>(ask: (session: AwaitedCalls) => Maybe<T>): Promise<T> {
    const ready = this.ready();
    // That may tell of a loss itself.
    const losses = this.#losses;
    await ready;
    await this.#configured;
    if (this.#disposed) throw sessionClosed();
    // It was lost since it was opened, and is opened again.
    if (!this.#starting || this.#losses !== losses) return this.answer(ask);
    return this.guard.untilTrap(Promise.resolve(ask(this.#loaded.calls)));
  }

  /** What is awaited of the session settles when that is closed, whatever it waits for itself. */
  whileOpen<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#awaiting.add(reject);
      work.then(resolve, reject).then(() => this.#awaiting.delete(reject));
      if (this.#disposed) reject(sessionClosed());
    });
  }
}
