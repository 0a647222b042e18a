// A session with its core: started when it is needed, started again after a trap, let go at the end.

import type { CoreWay, OpenCore } from "../ports/core.js";
import type { StoreAdapter } from "../ports/store.js";
import { storageOf } from "../ports/store.js";
import type { MaybeHidden } from "../snapshot/state.js";
import { Limits, limited } from "../store/limits.js";
import { follows } from "../tabs/protocol.js";
import type { ReplayState } from "../tabs/replay-state.js";
import type { SharedSession, Sharing } from "../tabs/shared-session.js";
import type { TabCore } from "../tabs/tab-adapter.js";
import { codeOf, GloveError } from "../values/error.js";
import { sessionClosed } from "../values/refusals.js";
import type { CoreSession, SessionCore, SessionHost } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import type { Guard } from "../wasm/guard.js";
import type { CoreEvent, SessionOptions } from "../wire/core-types.js";
import { CoreEvents } from "./core-events.js";
import { type AwayParts, type CoreHost, createCoreHost } from "./core-host.js";
import { type CoreSettings, coreSettings, SentSettings } from "./core-settings.js";
import { createExtras, type Extras } from "./extras.js";
import { createFence, type Fence } from "./fence.js";
import type { OpenedSession } from "./opened.js";
import type { Runner } from "./runner.js";
import { TakenUp } from "./taken-up.js";
import { warm } from "./warm.js";

/** What the wasm module exports for sessions. */
interface SessionExports {
  readonly CoreSession: new (options: string, host: SessionHost, away: AwayParts) => CoreSession;
}

/** The connection that this is the core of. */
export interface Way extends CoreWay {
  /** The session is closed. */
  readonly disposed: boolean;
  /** It may be opened now, by itself. */
  again(): void;
  /** It has to be opened again. */
  lost(): void;
  /** Stops what runs. */
  stop(): void;
}

export class CoreConnection implements Runner, TabCore {
  readonly #core: OpenCore;
  readonly #page: OpenedSession;
  readonly #way: Way;
  readonly #sharing: Sharing;
  readonly #limits = new Limits();
  readonly #store: StoreAdapter;
  /** Where the session is stored: in a worker, where its core is in one. */
  #place: StoreAdapter;
  readonly #settings = new SentSettings();
  readonly #fence: Fence;
  readonly #extras: Extras;
  readonly #takenUp: TakenUp;
  #placing: Promise<StoreAdapter> | undefined;
  readonly #events: CoreEvents;
  readonly #host: CoreHost;
  #session: CoreSession | undefined;
  /** The other tabs that have this session open, where its store is one that they share. */
  #tabs: SharedSession | undefined;
  #cleanUp: (() => void)[] = [];
  /** Nothing is told of the core any more. */
  #undo = () => {};

  /** Of what runs the session. */
  readonly guard: Guard;

  /** `sharing` is what tabs that have one session open tell each other. */
  constructor(core: OpenCore, page: OpenedSession, way: Way, sharing: Sharing) {
    this.#core = core;
    this.#sharing = sharing;
    this.guard = core.guard;
    this.#page = page;
    this.#way = way;
    this.#place = page.parts.store;
    this.#store = limited(this.#place, this.#limits, () => this.#place);
    this.#fence = createFence(this.#store, this);
    this.#extras = createExtras(page, this.#store);
    this.#takenUp = new TakenUp(page, this.#store, this);
    this.#events = new CoreEvents(page, this.#extras, this);
    this.#host = createCoreHost(page, this.#fence, this.#limits, this.#events, () => this.#place);
  }

  /** What is asked now: the core, once it was started, or the tab that runs the session. */
  get session(): SessionCore | undefined {
    return this.#tabs && !this.#tabs.leads ? this.#tabs : this.#session;
  }

  /** The core of this page, where its tools run. */
  get own(): CoreSession {
    if (!this.#session) throw this.#tabs ? follows() : sessionClosed();
    return this.#session;
  }

  get core(): CoreSession | undefined {
    return this.#session;
  }

  get tabs(): SharedSession | undefined {
    return this.#tabs;
  }

  get tells(): boolean {
    return !!(this.#session || this.#store.elsewhere);
  }

  get disposed(): boolean {
    return this.#way.disposed;
  }

  /** What is asked is with the core of this page at once. */
  get leads(): boolean {
    return this.#session !== undefined && this.#tabs?.leads !== false;
  }

  /** Where the session is stored. */
  get place(): Promise<StoreAdapter> {
    this.#placing ??= this.#findPlace();
    return this.#placing;
  }

  async #findPlace(): Promise<StoreAdapter> {
    if (this.#core.place) this.#place = await this.#core.place(this.#page.parts.store);
    return this.#place;
  }

  giveHeld(): void {
    this.#takenUp.giveHeld();
  }

  cancelHeld(id: string): boolean {
    return this.#takenUp.cancel(id);
  }

  /** This page was to run it in the place of another one, and could not. */
  get isDropped(): boolean {
    return this.#tabs?.isDropped ?? false;
  }

  /** What is stored is damaged: nothing of what is sent gets into it. */
  readOnly = false;

  /** Somebody waits for an end of what is stored. */
  hurry(): void {
    this.#limits.hurry();
  }

  /** Keeps the text that was shown: the page may be gone in a moment. */
  keepPartial(): void {
    this.#page.models.flush();
    this.#session?.keepPartial();
  }

  /** Takes the session away from the tab that runs it. */
  async takeOver(): Promise<void> {
    this.#tabs?.takeOver();
    await this.#tabs?.ready();
  }

  answerInbox(id: string, response: string): Promise<boolean> {
    return this.#extras.answerInbox(id, response);
  }

  /** A session that is lost begins anew. */
  forget(): void {
    this.#place.forget?.();
  }

  clearError(): void {
    this.#tabs?.clearError();
  }

  dispose(): void {
    this.close();
    this.#tabs?.dispose(sessionClosed());
    this.#place.release?.();
    for (const undo of this.#cleanUp.splice(0)) undo();
  }

  /** The core is gone, and with it all that runs; the next use opens the session as it is stored. */
  #trapped(error: GloveError): void {
    this.#session = undefined;
    this.#way.lost();
    this.close();
    this.#host.stop();
    this.#tabs?.drop(error);
    this.#page.models.forget();
    const { code, message } = error;
    if (this.#page.snapshots.snapshot.busy) this.#page.subscribers.tell("error", { code, message });
    this.#page.snapshots.dispatch({ kind: "lost", error, over: false });
    this.#page.slots.changed();
  }

  /** Lets go of the core; nothing ends. */
  close(): void {
    const session = this.#session;
    this.#session = undefined;
    this.#takenUp.forget();
    this.#undo();
    session?.close();
    session?.free();
  }

  async start(): Promise<SessionCore> {
    this.#placing = this.#findPlace();
    await this.#placing;
    if (this.#way.disposed) throw sessionClosed();
    if (this.#cleanUp.length === 0) {
      this.#cleanUp.push(this.#watchPage(), this.#store.onLate?.(() => this.#way.again()) ?? (() => {}));
    }
    const elsewhere = this.#store.elsewhere as (() => Promise<Sharing>) | undefined;
    // Beside the database and its lock. Why it failed is told where it is needed.
    if (!elsewhere) this.#core.load().catch(() => {});
    const sharing = elsewhere?.() ?? (this.#store.shared && this.#sharing);
    const [shared, parts] = await Promise.all([this.#store.shared?.(), sharing]);
    if (this.#way.disposed) throw sessionClosed();
    if (!shared || !parts) return this.open();
    // Whoever takes over later has by then what that takes.
    if (!elsewhere) this.#settingsNow().catch(() => {});
    this.#tabs ??= parts.join(shared, this.#store, new parts.TabPage(this.#page.snapshots, this));
    await this.#tabs.ready();
    return this.#tabs;
  }

  /** Starts the core of this page and reads the store. */
  async open(): Promise<CoreSession> {
    const claim = this.#claimOnce();
    const { keeps, host, away } = this.#host.open(claim);
    // While the core comes. One in a worker reads its store there.
    if (host.load && !this.#core.place) host.load = begun(host.load);
    const [settings, core] = await Promise.all([this.#settingsNow(), this.#core.load()]);
    if (this.#way.disposed) throw sessionClosed();
    const { sessionId, resume, tasks, record } = this.#page.parts;
    const options: SessionOptions = {
      sessionId,
      keeps,
      ...(resume && { resume }),
      ...(tasks !== undefined && { tasks }),
      ...(record && { record }),
      ...settings,
    };
    const { CoreSession } = core as unknown as SessionExports;
    const session = new CoreSession(JSON.stringify(options), host, away);
    this.#session = session;
    this.#events.begin();
    this.#settings.remember(settings);
    this.#undo = this.guard.onTrap((error) => this.#trapped(error));
    let damage: Error | undefined;
    const warn = () => {
      const { code, message = "" } = this.#store.warning ?? {};
      if (code === undefined || this.#session !== session) return;
      this.#page.subscribers.tell("warning", { code, message });
      this.#page.snapshots.set({ warning: { code, message } });
      // It can be read, and not written.
      if (code.startsWith("STORE_")) this.#page.snapshots.set({ error: new GloveError(code, message) });
    };
    /** Somebody has written since the session was read: it is read again. Anything else is told by the first write. */
    const unclaimed = (error: unknown) => {
      if (codeOf(fromCore(error)) === "STORE_CONFLICT" && this.#session === session) this.#tabs?.superseded();
    };
    try {
      const failure = await this.guard.untilTrap(session.open());
      if (failure !== undefined) damage = fromCore(failure);
      if (this.#session !== session) throw sessionClosed();
      // What is damaged stays as it is. What is whole is shown meanwhile, and written to when it is claimed.
      const claimed = damage ? Promise.resolve() : claim();
      claimed.catch(unclaimed).then(warn);
      await this.configure();
      await this.#extras.readInTime();
      if (this.#session !== session) throw sessionClosed();
    } catch (error) {
      if (this.#session === session) this.close();
      throw error;
    }
    if (damage) this.#page.subscribers.report(codeOf(damage), damage);
    this.readOnly = damage !== undefined;
    await this.#takenUp.take();
    if (this.#session !== session) throw sessionClosed();
    this.#page.snapshots.set({ sessionReady: true, storage: storageOf(this.#store), ...(damage && { error: damage }) });
    void warm(this.#page);
    return session;
  }

  /** Makes the session that was read this page's own, where other tabs may have it. */
  #claimOnce(): () => Promise<void> {
    let claimed: Promise<void> | undefined;
    return async () => {
      claimed ??= this.#tabs && this.#store.claim?.();
      await claimed?.catch((error: unknown) => {
        claimed = undefined;
        throw error;
      });
    };
  }

  /** With what it takes to do the page's part in them. */
  async #settingsNow(): Promise<CoreSettings> {
    const config = this.#page.config();
    const { tools, models } = this.#page;
    const [settings] = await Promise.all([coreSettings(config, tools), models.ready(config.model), this.#page.ready()]);
    return settings;
  }

  /** Tells the core what has changed since it was told last. */
  async configure(): Promise<void> {
    const settings = await this.#settingsNow();
    this.#session?.ahead?.();
    const changes = this.#settings.changes(settings);
    if (changes === undefined || !this.#session) return;
    this.#session.configure(changes);
    this.#settings.remember(settings);
  }

  /** A page that is left may be gone in a moment. */
  #watchPage(): () => void {
    if (typeof document === "undefined") return () => {};
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.keepPartial(), { signal });
    addEventListener("online", () => this.#session && this.#page.page.online(), { signal });
    return () => listening.abort();
  }

  // ---- as the other tabs need it -------------------------------------------------------------------------------------

  prepare(): void {
    this.#core.load().catch(() => {});
  }

  takeUp(): void {
    void this.#takenUp.take();
  }

  get held(): readonly MaybeHidden[] {
    return this.#takenUp.held;
  }

  flush(): void {
    this.#page.models.flush();
  }

  stop(): void {
    this.#way.stop();
  }

  take(events: readonly CoreEvent[]): void {
    this.#events.modelInPage = false;
    this.#events.show(events);
  }

  get replay(): ReplayState {
    return this.#events.replay;
  }

  report(code: string, error: unknown): void {
    this.#page.subscribers.report(code, error);
  }

  deleted(): void {
    this.#page.page.deleted();
  }

  /** It is not waited for any more where it could not be opened before. */
  opened(): void {
    this.#way.ready().catch(() => {});
  }

  outdated(): void {
    this.#way.lost();
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
