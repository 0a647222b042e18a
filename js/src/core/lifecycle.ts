// A session with its core: started when it is needed, started again after a trap, let go at the end.

import type { Core, OpenCore } from "../ports/core.js";
import type { StoreAdapter } from "../ports/store.js";
import { storageOf } from "../ports/store.js";
import type { MaybeHidden } from "../snapshot/state.js";
import { rulesOf } from "../tabs/command-rules.js";
import type { ReplayState } from "../tabs/latest-state.js";
import { sessionFollowsError } from "../tabs/protocol.js";
import { isConflict, type Sharing, type UnansweredCommand } from "../tabs/shared-session.js";
import type { TabCore } from "../tabs/tab-adapter.js";
import { codeOf, GloveError } from "../values/error.js";
import { sessionClosed } from "../values/refusals.js";
import type { AwaitedCalls, CoreSession, SessionCore, SessionHost } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import type { CoreEvent, SessionOptions } from "../wire/core-types.js";
import { CoreEvents } from "./events.js";
import { createFence } from "./fence.js";
import { type CoreHost, createCoreHost, type WorkerParts } from "./host.js";
import { type ConnectionAccess, OpenSession } from "./open-session.js";
import type { SessionPage } from "./page.js";
import { type CoreSettings, coreSettings, SentSettings } from "./settings.js";
import { createExtras, type Extras } from "./tasks-and-inbox.js";
import { UndeliveredMessages } from "./undelivered.js";
import { warm } from "./warm-up.js";

/** What the wasm module exports for sessions. */
interface SessionExports {
  readonly CoreSession: new (options: string, host: SessionHost, workerParts: WorkerParts) => CoreSession;
}

export class SessionLifecycle extends OpenSession implements TabCore {
  readonly #core: OpenCore;
  readonly #sharing: Sharing;
  readonly #settings = new SentSettings();
  readonly #extras: Extras;
  readonly #undelivered: UndeliveredMessages;
  readonly #events: CoreEvents;
  readonly #host: CoreHost;
  /** What the core of this page was asked and has not answered, where another tab may run the session before it does. */
  readonly #unanswered = new Set<UnansweredCommand>();
  #placing: Promise<StoreAdapter> | undefined;
  #cleanUp: (() => void)[] = [];
  /** Stops the reports of the core. */
  #undo = () => {};
  /** What is stored is damaged: nothing of what is sent gets into it. */
  readOnly = false;

  /** `sharing` is what tabs that have one session open tell each other. */
  constructor(page: SessionPage, access: ConnectionAccess, files: Core, core: OpenCore, sharing: Sharing) {
    super(page, access, files, core.guard);
    this.#core = core;
    this.#sharing = sharing;
    this.#extras = createExtras(this);
    this.#undelivered = new UndeliveredMessages(this);
    this.#events = new CoreEvents(this, this.#extras);
    this.#host = createCoreHost(this, createFence(this), this.#events);
  }

  /** Where requests go now: to the core of this page, once it was started, or to the tab that runs the session. */
  get session(): SessionCore | undefined {
    return this.tabs && !this.tabs.leads ? this.tabs : this.core;
  }

  /** Sends a request to the core or tab that runs the session at that moment. */
  readonly calls: AwaitedCalls = {
    request: (request) => this.#call("request", request),
    resume: () => this.#call("resume"),
    undo: (steps, last) => this.#call("undo", steps, last),
    switchBranch: (message) => this.#call("switchBranch", message),
    fork: (message) => this.#call("fork", message),
    messages: (from) => this.#call("messages", from),
    prompts: (since) => this.#call("prompts", since),
    recorded: () => this.#call("recorded"),
  };

  #call(method: keyof AwaitedCalls, ...args: readonly unknown[]): Promise<string> {
    const { session, tabs } = this;
    if (!session) throw sessionClosed();
    const call = session[method] as ((...args: readonly unknown[]) => Promise<string>) | undefined;
    const answer = Promise.resolve(call?.apply(session, [...args]) ?? "");
    if (!tabs || session === tabs) return answer;
    return new Promise((resolve, reject) => {
      const command: UnansweredCommand = { method, args, resolve, reject };
      this.#unanswered.add(command);
      answer.then(
        async (value) => {
          const refused = rulesOf(method)?.begins && isConflict(value);
          // The check may show that another tab has taken over; then the command is sent to that tab.
          if (refused) await tabs.holds();
          if (this.#unanswered.delete(command) || !refused) resolve(value);
        },
        // Once the core is gone, tabs see to it.
        (error) => this.#unanswered.delete(command) && reject(error),
      );
    });
  }

  /** The core of this page, where its tools run. */
  get own(): CoreSession {
    if (!this.core) throw this.tabs ? sessionFollowsError() : sessionClosed();
    return this.core;
  }

  /** What is asked is with the core of this page at once. */
  get leads(): boolean {
    return this.core !== undefined && this.tabs?.leads !== false;
  }

  /** Where the session is stored, once that is known. */
  placed(): Promise<StoreAdapter> {
    this.#placing ??= this.#findPlace();
    return this.#placing;
  }

  async #findPlace(): Promise<StoreAdapter> {
    if (this.#core.place) {
      this.place = await this.#core.place(this.parts.store);
      // One that was disposed of meanwhile keeps no worker.
      if (this.access.disposed) this.place.release?.();
    }
    return this.place;
  }

  deliverWaiting(): void {
    this.#undelivered.deliverWaiting();
  }

  cancelWaiting(id: string): boolean {
    return this.#undelivered.cancel(id);
  }

  /** This page was to run it in the place of another one, and could not. */
  get isDropped(): boolean {
    return this.tabs?.isDropped ?? false;
  }

  /** Keeps the text that was shown: the page may be gone in a moment. */
  keepPartial(): void {
    this.models.flush();
    this.core?.keepPartial();
  }

  /** Takes the session away from the tab that runs it. */
  async takeOver(): Promise<void> {
    this.tabs?.takeOver();
    await this.tabs?.ready();
  }

  answerInbox(id: string, response: string): Promise<boolean> {
    return this.#extras.answerInbox(id, response);
  }

  dispose(): void {
    this.close();
    this.tabs?.dispose(sessionClosed());
    this.place.release?.();
    for (const undo of this.#cleanUp.splice(0)) undo();
  }

  /** The core is gone, and with it all that runs; the next use opens the session as it is stored. */
  #trapped(error: GloveError): void {
    this.core = undefined;
    this.access.lost();
    this.close();
    this.#host.stop();
    this.tabs?.drop(error);
    this.models.forget();
    const { code, message } = error;
    if (this.snapshots.snapshot.busy) this.subscribers.tell("error", { code, message });
    this.snapshots.dispatch({ kind: "lost", error, over: false });
    this.slots.changed();
  }

  /** Lets go of the core; nothing ends. */
  close(): void {
    for (const command of this.#unanswered) this.tabs?.resend(command);
    this.#unanswered.clear();
    const session = this.core;
    this.core = undefined;
    this.#undelivered.forget();
    this.#undo();
    session?.close();
    session?.free();
  }

  async start(): Promise<void> {
    this.#placing = this.#findPlace();
    await this.#placing;
    if (this.access.disposed) throw sessionClosed();
    if (this.#cleanUp.length === 0) {
      this.#cleanUp.push(this.#watchPage(), this.store.onLate?.(() => this.access.again()) ?? (() => {}));
    }
    const elsewhere = this.store.elsewhere as (() => Promise<Sharing>) | undefined;
    // Beside the database and its lock. The code that needs it reports why it failed.
    if (!elsewhere) this.#core.load().catch(() => {});
    const sharing = elsewhere?.() ?? (this.store.shared && this.#sharing);
    const [shared, parts] = await Promise.all([this.store.shared?.(), sharing]);
    if (this.access.disposed) throw sessionClosed();
    if (!shared || !parts) {
      await this.open();
      return;
    }
    // Load the settings now, so that a later takeover does not wait for them.
    if (!elsewhere) this.#settingsNow().catch(() => {});
    this.tabs ??= parts.join(shared, this.store, new parts.TabPage(this.snapshots, this));
    await this.tabs.ready();
  }

  /** Starts the core of this page and reads the store. */
  async open(): Promise<CoreSession> {
    const claim = this.#claimOnce();
    const { keeps, host, workerParts } = this.#host.open(claim);
    // While the core comes. One in a worker reads its store there.
    if (host.load && !this.#core.place) host.load = begun(host.load);
    const [settings, core] = await Promise.all([this.#settingsNow(), this.#core.load()]);
    if (this.access.disposed) throw sessionClosed();
    const { sessionId, resume, tasks, record } = this.parts;
    const options: SessionOptions = {
      sessionId,
      keeps,
      ...(resume && { resume }),
      ...(tasks !== undefined && { tasks }),
      ...(record && { record }),
      ...settings,
    };
    const { CoreSession } = core as unknown as SessionExports;
    const session = new CoreSession(JSON.stringify(options), host, workerParts);
    this.core = session;
    this.#events.begin();
    this.#settings.remember(settings);
    this.#undo = this.guard.onTrap((error) => this.#trapped(error));
    let damage: Error | undefined;
    const warn = () => {
      const { code, message = "" } = this.store.warning ?? {};
      if (code === undefined || this.core !== session) return;
      this.subscribers.tell("warning", { code, message });
      this.snapshots.set({ warning: { code, message } });
      // It can be read, and not written.
      if (code.startsWith("STORE_")) this.snapshots.set({ error: new GloveError(code, message) });
    };
    /** Another writer has changed the session since it was read, so it is read again. The first write reports any other failure. */
    const unclaimed = (error: unknown) => {
      if (codeOf(fromCore(error)) === "STORE_CONFLICT" && this.core === session) this.tabs?.superseded();
    };
    try {
      const failure = await this.guard.untilTrap(session.open());
      if (failure !== undefined) damage = fromCore(failure);
      if (this.core !== session) throw sessionClosed();
      // What is damaged stays as it is. What is whole is shown meanwhile, and written to when it is claimed.
      const claimed = damage ? Promise.resolve() : claim();
      claimed.catch(unclaimed).then(warn);
      await this.configure();
      await this.#extras.readInTime();
      if (this.core !== session) throw sessionClosed();
    } catch (error) {
      if (this.core === session) this.close();
      throw error;
    }
    if (damage) this.subscribers.report(codeOf(damage), damage);
    this.readOnly = damage !== undefined;
    await this.#undelivered.take();
    if (this.core !== session) throw sessionClosed();
    this.snapshots.set({ sessionReady: true, storage: storageOf(this.store), ...(damage && { error: damage }) });
    void warm(this);
    return session;
  }

  /** Makes the session that was read this page's own, where other tabs may have it. */
  #claimOnce(): () => Promise<void> {
    let claimed: Promise<void> | undefined;
    return async () => {
      claimed ??= this.tabs && this.store.claim?.();
      await claimed?.catch((error: unknown) => {
        claimed = undefined;
        throw error;
      });
    };
  }

  /** With what it takes to do the page's part in them. */
  async #settingsNow(): Promise<CoreSettings> {
    const config = this.config();
    const { tools, models } = this;
    const [settings] = await Promise.all([coreSettings(config, tools), models.ready(config.model), this.ready()]);
    return settings;
  }

  /** Sends the core what has changed since the last time. */
  async configure(): Promise<void> {
    const settings = await this.#settingsNow();
    this.core?.ahead?.();
    const changes = this.#settings.changes(settings);
    if (changes === undefined || !this.core) return;
    this.core.configure(changes);
    this.#settings.remember(settings);
  }

  /** A page that is left may be gone in a moment. */
  #watchPage(): () => void {
    if (typeof document === "undefined") return () => {};
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.keepPartial(), { signal });
    addEventListener("online", () => this.core && this.#online(), { signal });
    return () => listening.abort();
  }

  /** Only what failed for want of the network goes on by itself. */
  #online(): void {
    const { snapshots, parts } = this;
    const { session } = this.page;
    if (codeOf(snapshots.error) === "PART_NOT_LOADED") session.clearError();
    const lost = snapshots.phase === "paused" && codeOf(snapshots.error) === "MODEL_NETWORK";
    if (lost && parts.resume !== "manual") session.resume().catch(() => {});
  }

  // ---- as the other tabs need it -------------------------------------------------------------------------------------

  loadAhead(): void {
    this.#core.load().catch(() => {});
  }

  takeUp(): void {
    void this.#undelivered.take();
  }

  get held(): readonly MaybeHidden[] {
    return this.#undelivered.held;
  }

  flush(): void {
    this.models.flush();
  }

  stop(): void {
    this.access.stop();
  }

  take(events: readonly CoreEvent[]): void {
    this.#events.modelInPage = false;
    this.#events.show(events);
  }

  get replay(): ReplayState {
    return this.#events.replay;
  }

  report(code: string, error: unknown): void {
    this.subscribers.report(code, error);
  }

  deleted(): void {
    this.page.session.deleted();
  }

  /** It is not waited for any more where it could not be opened before. */
  opened(): void {
    this.access.ready().catch(() => {});
  }

  outdated(): void {
    this.access.lost();
  }
}

/** Does it now, for who asks first. */
function begun<T>(work: () => Promise<T>): () => Promise<T> {
  let first: Promise<T> | undefined = work();
  first.catch(() => {});
  return () => {
    const given = first ?? work();
    first = undefined;
    return given;
  };
}
