// The link of a session to its core: starting it, telling it what changed, and taking in what it tells.
import type { Desk } from "../display/slot-controller.js";
import { GloveError } from "../error.js";
import type { Task } from "../message.js";
import type { ModelBridge } from "../models/bridge.js";
import { transportOf } from "../models/endpoint.js";
import { hostFetch } from "../models/http.js";
import type { Shown } from "../snapshot/snapshot-store.js";
import { type StoreAdapter, storageOf } from "../store/adapter.js";
import { bridgeStore, type StoreBridge } from "../store/bridge.js";
import { Limits } from "../store/limits.js";
import { follows } from "../tabs/protocol.js";
import { Last, noSlots } from "../tabs/replay-state.js";
import { codeOf, tabPage } from "../tabs/tab-adapter.js";
import { Tabs } from "../tabs/tabs.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import type { Toolbox } from "../tools/toolbox.js";
import type { AskedSession, CoreEvent, CoreSession, HostPrompt, SessionHost, SessionOptions } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import { type Core, guard } from "../wasm/sessions.js";
import { type CoreSettings, coreSettings } from "./core-settings.js";
import type { SessionConfig, SessionParts } from "./session-config.js";
import type { Subscribers } from "./subscriber.js";

const taskTool = "glove_update_tasks";
const inboxTool = "glove_post_to_inbox";
/** How long tools that are entered again are waited for before their slots are taken away. */
const slotsMs = 500;
/** A page may be gone at any moment; so much of an answer may be lost then. */
const keptMs = 1_000;
/** Shorter than it takes until a tab that says nothing is superseded. */
const certainMs = 1_000;
/** How long the tasks and the inbox may hold up a session that is opened. */
const extrasMs = 1_000;

/** What the wasm module exports for sessions. */
interface SessionExports {
  readonly CoreSession: new (options: string, host: SessionHost) => CoreSession;
}

/** What a session is made of in the page. */
export interface Linked {
  readonly parts: SessionParts;
  readonly tools: Toolbox;
  readonly desk: Desk;
  readonly models: ModelBridge;
  readonly shown: Shown;
  readonly subscribers: Subscribers;
  config(): SessionConfig;
  /** The request that the core works on now. */
  serves(request: string): void;
  /** The session is open, here or in another tab. */
  opened(): void;
  /** The session is not stored any more. */
  deleted(): void;
  /** The browser has a network again. */
  online(): void;
}

export class CoreLink {
  readonly #core: Core;
  readonly #page: Linked;
  /** What the core was told, as JSON, so that only changes cross. */
  readonly #told = new Map<string, string>();
  #session: CoreSession | undefined;
  /** The other tabs that have this session open, where its store is one that they share. */
  #tabs: Tabs | undefined;
  #last = new Last();
  /** When it was last certain that no other tab had taken the session over. */
  #certain = 0;
  /** Nothing was told yet by the core that was started last. */
  #fresh = false;
  #starting: Promise<AskedSession> | undefined;
  /** How much of the answer was written, how much of it was kept, and when. */
  #kept = { written: 0, length: 0, at: 0 };
  #answering: Promise<unknown> = Promise.resolve();
  #cleanUp: (() => void)[] = [];
  /** Nothing is told of the core any more. */
  #undo = () => {};
  /** What the page does for the core: stopped when that has trapped, and fires no signal itself any more. */
  readonly #running = new Set<AbortController>();
  /** The answer being written comes from a model of the page, whose text was shown as it came. */
  #pageModel = false;
  #disposed = false;
  readonly #limits = new Limits();
  /** Who awaits something of the session. */
  readonly #awaiting = new Set<(error: Error) => void>();

  constructor(core: Core, page: Linked) {
    this.#core = core;
    this.#page = page;
  }

  /** What is asked now: the core, once it was started, or the tab that runs the session. */
  get session(): AskedSession | undefined {
    return this.#tabs && !this.#tabs.leads ? this.#tabs : this.#session;
  }

  /** The core of this page, where its tools run. */
  get own(): CoreSession {
    if (!this.#session) throw this.#tabs ? follows() : closed();
    return this.#session;
  }

  /** The session with what was stored of it. A start that failed is tried again at the next use. */
  ready(): Promise<AskedSession> {
    if (this.#disposed) return Promise.reject(closed());
    guard.tellOfTrap();
    return this.whileOpen(this.#started());
  }

  #started(): Promise<AskedSession> {
    if (this.#starting) return this.#starting;
    // Why it could not be opened before is told again, or is over.
    if (!this.#page.shown.snapshot.sessionReady) this.#page.shown.set({ error: undefined });
    const opened = (session: AskedSession) => {
      this.#page.opened();
      return session;
    };
    const starting = this.#start().then(opened, (thrown: unknown) => {
      const error = fromCore(thrown);
      // After a trap another start may be under way.
      if (this.#starting === starting) {
        this.#starting = undefined;
        if (!this.#disposed) this.#tellOf(error);
      }
      throw error;
    });
    this.#starting = starting;
    return starting;
  }

  /** Why the session cannot be opened. Each try says it on the screen; who draws no errors hears of it once. */
  #tellOf(error: Error): void {
    this.#page.shown.set({ error });
    if (this.#failure !== error.message) this.#page.subscribers.report(codeOf(error), error);
    this.#failure = error.message;
  }
  #failure: string | undefined;

  /** Stops what runs; the text that was shown goes into the record first. */
  stop(): void {
    this.flush();
    this.session?.abort();
    this.#limits.hurry();
  }

  /** Gives the core the text that was shown, before something that may end the answer. */
  flush(): void {
    this.#page.models.flush();
  }

  /** Keeps the text that was shown: the page may be gone in a moment. */
  keepPartial(): void {
    this.flush();
    this.#session?.keepPartial();
  }

  /** The configuration is another one. */
  changed(): void {
    const failed = (error: unknown) => this.#page.shown.set({ error: fromCore(error) });
    this.#starting?.then(() => this.#configure()).catch(failed);
  }

  /** Takes the session away from the tab that runs it. */
  async takeOver(): Promise<void> {
    // It fails where another tab has the session and says nothing.
    await this.ready().catch(() => {});
    if (this.#disposed) throw closed();
    this.#tabs?.takeOver();
    await this.#tabs?.ready();
  }

  /** Answers an item of the inbox, where the session runs: two answers are one after the other there. */
  async answerInbox(id: string, response: string): Promise<boolean> {
    const answer = () => (this.#tabs ? this.#tabs.answerInbox(id, response) : this.#answerInbox(id, response));
    return this.whileOpen(this.answer(answer));
  }

  #answerInbox(id: string, response: string): Promise<boolean> {
    const answer = async () => {
      const { store } = this.#page.parts;
      const item = (await store?.getInboxItems?.())?.find((item) => item.id === id);
      if (!item) return false;
      // The page that had asked for this may be gone, and another one asks again.
      if (item.status !== "pending") return item.response === response;
      await store?.updateInboxItem?.(id, { status: "resolved", response, resolved_at: new Date().toISOString() });
      this.#page.shown.set({ inbox: (await store?.getInboxItems?.()) ?? [] });
      return true;
    };
    const answered = this.#answering.then(() => this.#limits.within(answer()));
    this.#answering = answered.catch(() => {});
    return answered;
  }

  /**
   * Before something that cannot be taken back. Who was frozen, or hung, may have been superseded since what it does next was
   * written; then it never goes on. At once where no other tab can have taken over meanwhile.
   */
  fence(): Promise<void> | undefined {
    const { store } = this.#page.parts;
    const began = performance.now();
    if (!this.#tabs || !store?.holds || began - this.#certain < certainMs) return undefined;
    return this.#limits.within(store.holds()).then((holds) => {
      if (!holds) {
        this.#tabs?.superseded();
        return new Promise<void>(() => {});
      }
      this.#certain = began;
      return this.fence();
    });
  }

  clearError(): void {
    this.#page.shown.set({ error: undefined });
    this.#tabs?.clearError();
  }

  dispose(): void {
    this.#disposed = true;
    this.#letGo();
    this.#tabs?.dispose(closed());
    for (const undo of this.#cleanUp.splice(0)) undo();
    this.#page.desk.close();
    for (const leave of this.#awaiting) leave(closed());
  }

  /** Asks the session as soon as it is open, and gives what comes of it. */
  async answer<T>(ask: (session: AskedSession) => Maybe<T>): Promise<T> {
    const session = await this.ready();
    if (this.#disposed) throw closed();
    // It was lost since it was opened, and is opened again.
    if (!this.#starting) return this.answer(ask);
    return guard.untilTrap(Promise.resolve(ask(session)));
  }

  /** What is awaited of the session settles when that is closed, whatever it waits for itself. */
  whileOpen<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#awaiting.add(reject);
      work.then(resolve, reject).finally(() => this.#awaiting.delete(reject));
      if (this.#disposed) reject(closed());
    });
  }

  /** The core is gone, and with it all that runs; the next use opens the session as it is stored. */
  #trapped(error: GloveError): void {
    this.#session = undefined;
    this.#starting = undefined;
    this.#letGo();
    for (const running of this.#running) running.abort();
    this.#running.clear();
    this.#tabs?.drop(error);
    this.#page.models.forget();
    this.#page.desk.take([]);
    const { code, message } = error;
    if (this.#page.shown.snapshot.busy) this.#page.subscribers.tell("error", { code, message });
    this.#page.shown.lost(error);
  }

  #letGo(): void {
    const session = this.#session;
    this.#session = undefined;
    this.#undo();
    session?.close();
    session?.free();
  }

  async #start(): Promise<AskedSession> {
    const { store } = this.#page.parts;
    if (this.#cleanUp.length === 0) this.#cleanUp.push(this.#watchPage());
    const shared = store.shared && (await this.#limits.within(store.shared()));
    if (this.#disposed) throw closed();
    if (!shared) return this.#open();
    this.#tabs ??= this.#meet(shared, store);
    await this.#tabs.ready();
    return this.#tabs;
  }

  /** Starts the core of this page and reads the store. */
  async #open(): Promise<CoreSession> {
    const [told, core] = await Promise.all([coreSettings(this.#page.config(), this.#page.tools), this.#core.load()]);
    if (this.#disposed) throw closed();
    const { sessionId, store, tokenCounterStyle = "object", resume, tasks } = this.#page.parts;
    this.#certain = performance.now();
    if (this.#tabs) store.claim?.();
    const bridge = bridgeStore(store, tokenCounterStyle, this.#storeChanges(), this.#limits);
    const options: SessionOptions = {
      sessionId,
      keeps: bridge.keeps,
      ...(resume && { resume }),
      ...(tasks !== undefined && { tasks }),
      ...told,
    };
    const { CoreSession } = core as unknown as SessionExports;
    const session = new CoreSession(JSON.stringify(options), this.#host(bridge));
    this.#session = session;
    this.#last = new Last(this.#last.slots);
    this.#fresh = true;
    this.#remember(told);
    this.#undo = guard.onTrap((error) => this.#trapped(error));
    try {
      await guard.untilTrap(session.open());
      if (this.#session !== session) throw closed();
      await this.#configure();
      // A store that takes its time with them keeps nobody from the conversation.
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, extrasMs);
      });
      await Promise.race([this.#readExtras(store), late]);
      clearTimeout(timer);
      if (this.#session !== session) throw closed();
    } catch (error) {
      if (this.#session === session) this.#letGo();
      throw error;
    }
    const { code, message } = store.warning ?? {};
    if (code !== undefined) this.#page.subscribers.tell("warning", { code, message });
    // It can be read, and not written.
    const error = code?.startsWith("STORE_") ? new GloveError(code, message ?? "") : undefined;
    this.#page.shown.set({ sessionReady: true, storage: storageOf(store), ...(error && { error }) });
    return session;
  }

  #host(bridge: StoreBridge): SessionHost {
    const fenced = <T>(work: () => Promise<T>) => this.fence()?.then(work) ?? work();
    const within = <T>(signal: AbortSignal, work: (inside: AbortSignal) => Promise<T>) => {
      const [inside, over] = this.#within(signal);
      return work(inside).finally(over);
    };
    return heard({
      events: (batch) => this.#events(batch),
      permissionOf: (callId, tool, input, validated) => this.#page.tools.permissionOf(callId, tool, input, validated),
      approval: (callId, tool, input, validated) => this.#page.tools.approval(callId, tool, input, validated),
      run: (callId, tool, input, validated, signal, key) =>
        fenced(() => within(signal, (inside) => this.#page.tools.run(callId, tool, input, validated, inside, key))),
      undo: (callId, tool, input, validated, signal) =>
        fenced(() => within(signal, (inside) => this.#page.tools.undo(callId, tool, input, validated, inside))),
      prompt: (request: HostPrompt, delta, signal) => {
        this.#pageModel = true;
        const answer = request.purpose === "turn" ? this.#page.shown.asked() : undefined;
        const over = () => {
          if (answer) answer.over = true;
        };
        return within(signal, (inside) => {
          inside.addEventListener("abort", over, { once: true });
          const prompted = this.#page.models.prompt(request, delta, inside, answer);
          prompted.catch(over);
          return prompted;
        });
      },
      fetch: async (url, headers, body, signal) => {
        this.#pageModel = false;
        const [inside, over] = this.#within(signal);
        const response = await hostFetch(transportOf(this.#page.config().model)?.fetch, url, headers, body, inside);
        // What is not read, the core stops.
        return { ...response, read: (push) => response.read(push).finally(over) };
      },
      ...bridge.host,
      append: async (step, strict) => {
        const began = performance.now();
        await bridge.host.append(step, strict);
        this.#certain = began;
      },
    });
  }

  /** A signal for work of the page, and what is called when that is over. */
  #within(signal: AbortSignal): [AbortSignal, () => void] {
    const running = new AbortController();
    const over = () => void this.#running.delete(running);
    const stop = () => {
      over();
      running.abort(signal.reason);
    };
    this.#running.add(running);
    // The core makes one for each work, and it goes with it.
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    return [running.signal, over];
  }

  #storeChanges() {
    return {
      tasks: (tasks: readonly Task[]) => this.#page.shown.set({ tasks }),
      inbox: (inbox: readonly unknown[]) => this.#page.shown.set({ inbox }),
      failed: (error: unknown) => this.#page.subscribers.report("STORE_FAILED", error),
    };
  }

  /** What a screen shows beside the conversation; without it the session is as good as before. */
  async #readExtras(store: StoreAdapter): Promise<void> {
    try {
      const [tasks = [], inbox = []] = await Promise.all([store.getTasks?.(), store.getInboxItems?.()]);
      this.#page.shown.set({ tasks, inbox });
    } catch (error) {
      this.#page.subscribers.report("STORE_FAILED", error);
    }
  }

  /** Tells the core what has changed since it was told last. */
  async #configure(): Promise<void> {
    const told = await coreSettings(this.#page.config(), this.#page.tools);
    const changes = Object.entries(told).filter(([key, value]) => this.#told.get(key) !== JSON.stringify(value));
    if (changes.length === 0 || !this.#session) return;
    this.#session.configure(JSON.stringify(Object.fromEntries(changes)));
    this.#remember(told);
  }

  #remember(told: CoreSettings): void {
    for (const [key, value] of Object.entries(told)) this.#told.set(key, JSON.stringify(value));
  }

  /** A page that is left may be gone in a moment. */
  #watchPage(): () => void {
    if (typeof document === "undefined") return () => {};
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.keepPartial(), { signal });
    addEventListener("online", () => this.#session && this.#page.online(), { signal });
    return () => listening.abort();
  }

  // ---- what the core tells -----------------------------------------------------------------------------------------

  #events(batch: string): void {
    if (this.#disposed) return;
    const events = JSON.parse(batch) as CoreEvent[];
    if (this.#fresh) this.#renew();
    this.#tell(events);
  }

  #tell(events: readonly CoreEvent[]): void {
    this.#takeAll(events);
    this.#tabs?.tell(events);
  }

  /** What was shown before this core gives way to what it tells; the slots when its tools have had time to show theirs again. */
  #renew(): void {
    this.#fresh = false;
    this.#page.shown.renew();
    const last = this.#last;
    if (last.hasOldSlots) setTimeout(() => last.hasOldSlots && last === this.#last && this.#tell([noSlots]), slotsMs);
  }

  #takeAll(events: readonly CoreEvent[]): void {
    let whole = false;
    let failure: Error | undefined;
    for (const event of events) {
      if (event.kind === "event" && event.type === "error") failure = fromCore(JSON.stringify(event.data));
      if (this.#tabs) this.#last.take(event);
      try {
        whole = this.#take(event) || whole;
      } catch (error) {
        this.#page.subscribers.report("OUT_OF_PROTOCOL", error);
      }
    }
    // A run that nobody of this page has asked for stands still.
    const { phase, snapshot } = this.#page.shown;
    if (failure && phase === "paused" && !snapshot.error) this.#page.shown.set({ error: failure });
    if (whole) this.#page.shown.publish();
  }

  /** True for what is shown at once; pieces of text wait for the next frame. */
  #take(event: CoreEvent): boolean {
    switch (event.kind) {
      case "timeline":
        this.#page.shown.timeline(event);
        return true;
      case "input":
        this.#page.shown.input(event);
        return false;
      case "slots":
        this.#page.desk.take(event.slots);
        this.#page.shown.slots(event.slots);
        return true;
      case "state":
        this.#page.desk.questions(event.questions.map(({ id }) => id));
        this.#page.shown.state(event);
        if (event.phase !== "model" || this.#kept.at === 0) this.#kept = { written: 0, length: 0, at: performance.now() };
        if (event.request !== null) this.#page.serves(event.request);
        return true;
      case "event":
        return this.#takeEvent(event.type, event.data);
    }
  }

  #takeEvent(type: string, data: unknown): boolean {
    const text_delta = type === "text_delta";
    const shows = text_delta || type === "reasoning_delta";
    const delta = shows || type === "tool_input_delta";
    if (text_delta) this.#keepShown((data as { readonly text: string }).text.length);
    if (shows && this.#pageModel) return false;
    const { id, name, text, tool_name, result } = data as {
      id: string;
      name: string;
      text: string;
      tool_name?: string;
      result?: { status: string; data?: { tasks?: Task[] } };
    };
    if (shows) this.#page.shown.stream(text_delta ? "text" : "reasoning", text);
    if (type === "tool_use") this.#page.shown.call(id, name);
    if (type === "model_response" || type === "model_response_complete") this.#page.shown.answered();
    if (type === "request_finished") this.#page.shown.ended();
    if (type === "tool_use_result" && tool_name === taskTool && result?.data?.tasks)
      this.#page.shown.set({ tasks: result.data.tasks });
    // What is done here once: the store is read and subscribers are told where the session runs.
    if (!this.#session) return !delta;
    if (type === "tool_use_result") this.#page.tools.ended(id);
    if (type === "tool_use_result" && tool_name === inboxTool) void this.#readExtras(this.#page.parts.store);
    this.#page.subscribers.tell(type, data);
    return !delta;
  }

  /** Keeps the text of an answer while it is written, each time that there is a good part more. */
  #keepShown(added: number): void {
    const now = performance.now();
    const written = this.#kept.written + added;
    const due = written > this.#kept.length * 1.25 && now - this.#kept.at > keptMs;
    this.#kept = due ? { written, length: written, at: now } : { ...this.#kept, written };
    if (due) this.#session?.keepPartial();
  }

  #meet(name: string, store: StoreAdapter): Tabs {
    const { shown, subscribers } = this.#page;
    const page = tabPage(shown, {
      open: () => this.#open(),
      close: () => this.#letGo(),
      flush: () => this.flush(),
      keepPartial: () => this.keepPartial(),
      stop: () => this.stop(),
      take: (events) => {
        this.#pageModel = false;
        this.#takeAll(events);
      },
      last: () => this.#last,
      answerInbox: (id, response) => this.#answerInbox(id, response),
      deleted: () => this.#page.deleted(),
      // It is not waited for any more where it could not be opened before.
      opened: () => void this.ready().catch(() => {}),
      outdated: () => {
        this.#starting = undefined;
      },
      report: (code, error) => subscribers.report(code, error),
    });
    return new Tabs(name, store, page);
  }
}

/** The core may have let go of something before it listens to what comes of it. */
function heard(host: SessionHost): SessionHost {
  const quiet =
    <A extends unknown[]>(work: (...args: A) => unknown) =>
    (...args: A) => {
      const given = work(...args);
      if (given instanceof Promise) given.catch(() => {});
      return given;
    };
  return Object.fromEntries(Object.entries(host).map(([name, work]) => [name, quiet(work)])) as unknown as SessionHost;
}

export function closed(): GloveError {
  return new GloveError("SESSION_CLOSED", "The session is closed; open a new one to go on.");
}
