// One session in several tabs: one tab runs it; the others show its events and send it the commands of their users.

import type { StoreAdapter } from "../ports/store.js";
import { codeOf, type GloveError } from "../values/error.js";
import { generateId } from "../values/ids.js";
import { version } from "../values/tab-version.js";
import type { CoreSession } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import type { CoreEvent } from "../wire/core-types.js";
import { type Method, rulesOf, takes } from "./command-rules.js";
import { type Command, CommandSender } from "./command-sender.js";
import { stand } from "./election.js";
import { watchPage } from "./page-life.js";
import {
  type CommandMessage,
  type Extras,
  malformedError,
  newerDatabase,
  newerLeads,
  olderLeads,
  openElsewhereError,
  readMessage,
  sessionMovedError,
  type TabMessage,
} from "./protocol.js";
import { isConflict, type SharedSession, type UnansweredCommand } from "./shared-session.js";
import { type TabPage, toCoreError } from "./tab-adapter.js";

/** Loaded with this file, when a session is in a store that tabs share. */
export { TabPage } from "./tab-adapter.js";

export function join(name: string, store: StoreAdapter, page: TabPage): SharedSession {
  return new Tabs(name, store, page);
}

interface Pending extends Command {
  /** Who was asked last. */
  sentTo?: string;
  taken: boolean;
  /** Ticks since it was asked. */
  ticks: number;
}

/** How long a tab is waited for that has the session and says nothing. */
const silentMs = 2_000;
/** A tab that answers nothing for so many ticks, in which this one is awake and seen, is taken for one that hangs. */
const tickMs = 250;
const silentTicks = 6;
/** Ticks after which this one gets ready to take over. */
const preloadTicks = 3;
/** Ticks after which a tab that is awake must have taken what it was asked, and after which it must have answered a short question. */
const takenTicks = 40;
const answerTicks = 280;
/** Ticks after which whoever says that it runs the session must have shown it. */
const shownTicks = 120;
/** How long a newer page waits for its database while this one finishes what it is doing. */
const retireMs = 2_000;
/** Phases that a reload interrupts nothing in. */
const atRest: ReadonlySet<string> = new Set(["idle", "waiting", "paused", "interrupted"]);

/**
 * The session as the other tab has it: what is asked of it goes there. When that tab is gone, what it had not answered is asked
 * again, of this tab or of the one that runs the session then; what might be done twice by that is refused instead.
 */
class Tabs extends CommandSender<Pending> implements SharedSession {
  readonly #name: string;
  readonly #store: StoreAdapter;
  readonly #tab = generateId();
  readonly #unwatch: () => void;
  #role: "idle" | "joining" | "leader" | "follower" | "blocked" = "idle";
  /** Who runs the session; another name each time that a tab takes over. */
  #leader: string | undefined;
  #core: CoreSession | undefined;
  /** Others follow this tab. */
  #followed = false;
  #sentExtras: Extras = {};
  #channel: BroadcastChannel | undefined;
  /** Ticks since something was heard of the tab that runs the session, and since this one looks for it. */
  #silence = 0;
  #joining = 0;
  /** Why nothing can be asked while the role is `blocked`. */
  #blocked = openElsewhereError();
  /** Who runs the session in another version. */
  #foreign: string | undefined;
  /** Why this tab ends as soon as it has finished what it is doing. */
  #retiring: Error | undefined;
  #withdraw = () => {};
  #undo: (() => void)[] = [];
  /** Why nothing can be asked before the session is opened again. */
  #dropped: { readonly error: unknown } | undefined;

  constructor(name: string, store: StoreAdapter, page: TabPage) {
    super(page);
    this.#name = name;
    this.#store = store;
    const unwatch = store.onNewer?.(() => this.#retire(newerDatabase(), retireMs));
    const unwatchPage = watchPage({
      // What nobody follows keeps what it has in hand.
      frozen: () => (this.#role !== "leader" || this.#followed || page.request === null) && this.#suspend(),
      hidden: () => this.#suspend(),
      back: () => this.#role === "idle" && this.#join(),
    });
    this.#unwatch = () => {
      unwatch?.();
      unwatchPage();
    };
  }

  /** Settles when it is known who runs the session, and what there is of it. */
  ready(): Promise<void> {
    if (this.over) return Promise.reject(this.over);
    if (this.#role === "idle") this.#join();
    if (this.#role === "blocked") return Promise.reject(this.#blocked);
    if (this.#core || this.#role === "follower") return Promise.resolve();
    return this.wait();
  }

  /** It could not be run here; `ready` makes another try. */
  get isDropped(): boolean {
    return this.#dropped !== undefined && !this.over;
  }

  /** It is this tab that runs the session. */
  get leads(): boolean {
    return this.#core !== undefined;
  }

  /** Takes the session away from the tab that has it. */
  takeOver(): void {
    if (this.over) return;
    if (this.#role === "idle") this.#join();
    if (this.#role === "leader") return;
    this.#role = "joining";
    this.#leader = undefined;
    this.#foreign = undefined;
    this.#expect();
    this.#runForLeader(true);
  }

  /** Another tab has taken the session over. */
  superseded(): void {
    if (this.#role !== "leader") return;
    this.#leave();
    this.#join();
  }

  resend(command: UnansweredCommand): void {
    const id = generateId();
    this.pending.set(id, {
      ...command,
      id,
      resolve: (value) => command.resolve(value as string),
      sentTo: this.#term,
      taken: true,
      ticks: 0,
    });
  }

  /** What the core of this page told. */
  tell(events: readonly CoreEvent[]): void {
    if (this.#core && this.#followed) this.#post({ kind: "events", leader: this.#term, events });
    // The core is on the stack here, and what it promised is settled first.
    if (this.#retiring) setTimeout(() => this.#retiring && this.#rests() && this.#outdate(this.#retiring), 0);
  }

  /** The session cannot be run here. Another tab may have more luck, and this one when it is asked for something again. */
  drop(error: unknown): void {
    this.#dropped = { error };
    this.#leave();
    this.refuse(error);
  }

  dispose(error: Error): void {
    this.over = error;
    this.#unwatch();
    this.drop(error);
  }

  // ---- what is asked of another tab ----------------------------------------------------------------------------------

  recorded(): Promise<string> {
    return this.ask("recorded") as Promise<string>;
  }

  abort(): void {
    const request = this.page.request;
    // Before anything is known of the session, nothing of it can be meant.
    if (request !== null || this.#role === "follower") this.send("abort", request);
  }

  answerInbox(id: string, response: string): Promise<boolean> {
    return this.ask("answerInbox", id, response) as Promise<boolean>;
  }

  clearError(): void {
    if (this.#role === "follower") this.send("clearError");
  }

  protected ask(method: Method, ...args: readonly unknown[]): Promise<unknown> {
    if (this.#dropped) return Promise.reject(this.#dropped.error);
    if (this.#role === "blocked") return Promise.reject(this.#blocked);
    return new Promise((resolve, reject) => {
      const command: Pending = { id: generateId(), method, args, resolve, reject, taken: false, ticks: 0 };
      this.pending.set(command.id, command);
      this.#give(command);
    });
  }

  /** Asks whoever runs the session; until there is somebody it waits. */
  #give(command: Pending): void {
    const { id, method, args, sentTo } = command;
    if (sentTo === this.#leader || !(this.#core || this.#role === "follower")) return;
    if (command.taken && rulesOf(method)?.once) {
      this.end(id, ({ reject }) => reject(sessionMovedError()));
      return;
    }
    command.sentTo = this.#term;
    command.ticks = 0;
    const ask: CommandMessage = { kind: "ask", leader: this.#term, id, method, args, again: sentTo !== undefined };
    if (this.#core) void this.#serve(ask, true);
    else this.#post(ask);
  }

  // ---- who runs the session ------------------------------------------------------------------------------------------

  #join(): void {
    this.#role = "joining";
    this.#dropped = undefined;
    if (typeof BroadcastChannel === "function") {
      const channel = new BroadcastChannel(this.#name);
      channel.onmessage = ({ data }) => this.#receive(data);
      this.#channel = channel;
      this.#undo.push(() => channel.close());
    }
    this.#expect();
    this.#undo.push(this.page.subscribe(() => this.#tellExtras()));
    const ticks = setInterval(() => this.#listen(), tickMs);
    this.#undo.push(() => clearInterval(ticks));
    this.#runForLeader(false);
    this.#undo.push(() => this.#withdraw());
    this.#post({ kind: "hello", tab: this.#tab });
  }

  #expect(): void {
    this.#joining = 0;
    const silent = setTimeout(() => this.#role === "joining" && !this.#leader && this.#block(), silentMs);
    this.#undo.push(() => clearTimeout(silent));
  }

  #runForLeader(takesAway: boolean): void {
    this.#withdraw();
    const lease = this.#store.lease?.bind(this.#store);
    this.#withdraw = stand(this.#name, lease, { granted: () => void this.#lead(), lost: () => this.#lose() }, takesAway);
  }

  /** Hears whether the tab that runs the session is awake. One that is not seen needs no session. */
  #listen(): void {
    const leader = this.#leader;
    const waits = this.#role === "joining";
    if (this.#role === "follower") this.#limit();
    if (leader === undefined || this.#role === "leader" || (!waits && globalThis.document?.visibilityState === "hidden")) {
      this.#silence = 0;
      return;
    }
    if (waits && this.#joining++ > shownTicks) this.#block();
    if (this.#silence === preloadTicks) this.page.core.loadAhead();
    if (this.#silence++ === silentTicks) this.#onSilentLeader();
    this.#post({ kind: "ping", leader });
  }

  /** A tab that is awake, and does not do what it was asked, is not waited for. */
  #limit(): void {
    for (const { id, method, taken, ticks } of this.pending.values()) {
      const limit = taken ? (rulesOf(method)?.begins ? Number.POSITIVE_INFINITY : answerTicks) : takenTicks;
      if (ticks > limit) this.end(id, ({ reject }) => reject(openElsewhereError()));
    }
    for (const command of this.pending.values()) command.ticks++;
  }

  /** A person decides where a tool is running that may do what it does a second time. */
  #onSilentLeader(): void {
    const phase = this.page.phase;
    if (this.#role === "follower" && phase !== "tools" && phase !== "undoing") this.takeOver();
    else this.#block();
  }

  async #lead(): Promise<void> {
    const leader = generateId();
    this.#role = "leader";
    this.#leader = leader;
    this.#post({ kind: "leads", leader });
    let core: CoreSession;
    try {
      core = await this.page.core.open();
    } catch (error) {
      if (this.#leader !== leader) return;
      const failure = fromCore(error);
      this.page.fail(failure);
      if (codeOf(failure) === "STORE_NEWER") this.page.show("outdated");
      return this.drop(error);
    }
    if (this.#leader !== leader) return;
    this.#core = core;
    this.page.show("leader");
    if (this.#followed) this.#postAll();
    this.#begin();
  }

  #follow({ leader, events, written, extras }: Extract<TabMessage, { kind: "all" }>): void {
    this.#role = "follower";
    this.#leader = leader;
    this.page.take(events, written);
    this.page.showExtras(extras);
    this.page.show("follower");
    this.#begin();
  }

  #begin(): void {
    this.#foreign = undefined;
    for (const command of [...this.pending.values()]) this.#give(command);
    this.settle();
    this.page.core.opened();
  }

  /** Another tab has it and says nothing, or the browser does not let this page stand for it. */
  #block(why = openElsewhereError()): void {
    this.#role = "blocked";
    this.#blocked = why;
    this.page.fail(why);
    this.page.show("blocked");
    this.settle(why);
  }

  #rests(): boolean {
    return atRest.has(this.page.phase);
  }

  /** Gives way to a newer page when nothing is in hand here, after some time in any case where one is told; settles then. */
  #retire(why: Error, withinMs?: number): Promise<void> {
    if (this.#role !== "leader" || this.#rests()) {
      this.#outdate(why);
      return Promise.resolve();
    }
    this.#retiring = why;
    return new Promise((resolve) => {
      const late = withinMs && setTimeout(() => this.#outdate(why), withinMs);
      this.#undo.push(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }

  /** This page is too old: it does nothing more until it is loaded anew. */
  #outdate(why: Error): void {
    if (this.over) return;
    if (this.#role === "leader") this.page.core.keepPartial();
    this.dispose(why);
    this.page.outdated(why);
  }

  #lose(): void {
    if (this.#role === "leader") this.superseded();
    else {
      this.#leave();
      this.#block();
    }
  }

  #suspend(): void {
    if (this.#role === "leader") this.page.core.keepPartial();
    this.#leave();
  }

  #leave(): void {
    // The core first: what is granted to another tab is not in use here any more.
    if (this.#role === "leader") this.page.core.close();
    this.#role = "idle";
    this.#core = undefined;
    this.#leader = undefined;
    this.#foreign = undefined;
    this.#retiring = undefined;
    this.#followed = false;
    for (const undo of this.#undo.splice(0)) undo();
    this.#channel = undefined;
    // The next leader may have received it before.
    for (const command of this.pending.values()) if (command.sentTo) command.sentTo = "somebody";
  }

  get #term(): string {
    return this.#leader ?? "";
  }

  // ---- what tabs tell each other -------------------------------------------------------------------------------------

  #post(message: TabMessage): void {
    this.#channel?.postMessage({ v: version, ...message });
  }

  #receive(data: unknown): void {
    const message = readMessage(data);
    if (!message) return;
    if ("leader" in message && message.leader === this.#leader) this.#silence = 0;
    if (message.kind === "deleted") this.page.core.deleted();
    else if (message.kind === "ask") this.#receiveCommand(message);
    else if (message.v !== version) this.#hearOther(message);
    else if (message.kind === "taken" || message.kind === "answered") {
      const command = this.pending.get(message.id);
      // One that was superseded has nothing to say.
      if (!command || command.sentTo !== message.leader) return;
      if (message.kind === "taken") command.taken = true;
      else this.end(message.id, (command) => settleWith(command, message));
    } else if (this.#role === "leader") this.#hearAsLeader(message);
    else this.#hearAsFollower(message);
  }

  /** Does what was asked, or says why not: nobody waits for nothing. */
  #receiveCommand(ask: CommandMessage & { readonly v: unknown }): void {
    const { id, leader, method, args } = ask;
    if (this.#role !== "leader" || !this.#core || (typeof leader === "string" && leader !== this.#leader)) return;
    const rules = rulesOf(method);
    let refusal: GloveError | undefined;
    if (ask.v !== version) refusal = newer(ask.v) ? olderLeads() : newerLeads();
    else if (typeof leader !== "string") refusal = malformedError("A message from another tab does not name the tab it is for.");
    else if (!rules) refusal = malformedError("Another tab called a method that tabs may not call.");
    else if (!takes(rules, args)) refusal = malformedError(`Another tab called \`${method}\` with the wrong arguments.`);
    if (refusal) this.#post({ kind: "answered", leader: this.#term, id, error: toCoreError(refusal) });
    else void this.#serve(ask, false);
  }

  /** A tab of another version. Whichever is older gives way, at its next pause, and says so. */
  #hearOther(message: TabMessage & { readonly v: unknown }): void {
    if (this.#role === "leader") {
      if (message.kind !== "hello") return;
      if (newer(message.v)) void this.#retire(newerLeads());
      if (this.#role === "leader") this.#post({ kind: "leads", leader: this.#term });
    } else if (message.kind === "leads" && newer(message.v)) this.#outdate(newerLeads());
    else if (message.kind === "leads" && message.leader !== this.#foreign) {
      this.#foreign = message.leader;
      this.#leader = undefined;
      this.#block(olderLeads());
      this.#post({ kind: "hello", tab: this.#tab });
    }
  }

  #hearAsLeader(message: TabMessage): void {
    if (message.kind === "hello") {
      this.#followed = true;
      if (this.#core) {
        this.#postAll(message.tab);
        // In the place of one that has died, perhaps.
        this.page.core.takeUp();
      } else this.#post({ kind: "leads", leader: this.#term });
    }
    if (message.kind === "ping" && message.leader === this.#leader) this.#post({ ...message, kind: "pong" });
    // The other tab became leader after this one, so only this one gives way.
    if (message.kind === "leads") this.superseded();
  }

  #hearAsFollower(message: TabMessage): void {
    switch (message.kind) {
      case "leads":
        if (message.leader === this.#leader) return;
        this.#role = "joining";
        this.#leader = message.leader;
        this.#post({ kind: "hello", tab: this.#tab });
        return;
      case "pong":
        // It is awake again.
        if (this.#role === "blocked" && message.leader === this.#leader) this.#post({ kind: "hello", tab: this.#tab });
        return;
      case "all":
        if ((message.to ?? this.#tab) === this.#tab) this.#follow(message);
        return;
      case "events":
        if (this.#followsTerm(message.leader)) this.page.take(message.events);
        return;
      case "extras":
        if (this.#followsTerm(message.leader)) this.page.showExtras(message.extras);
        return;
    }
  }

  #followsTerm(leader: string): boolean {
    return this.#role === "follower" && this.#leader === leader;
  }

  #postAll(to?: string): void {
    this.#sentExtras = this.page.extras();
    this.#post({ kind: "all", leader: this.#term, to, ...this.page.all(), extras: this.#sentExtras });
  }

  #tellExtras(): void {
    if (!this.#core || !this.#followed) return;
    const now = this.page.extras();
    const changed = Object.entries(now).filter(([key, value]) => this.#sentExtras[key as keyof Extras] !== value);
    this.#sentExtras = now;
    if (changed.length > 0) this.#post({ kind: "extras", leader: this.#term, extras: Object.fromEntries(changed) });
  }

  /** Does what was asked, here. */
  async #serve(ask: CommandMessage, own: boolean): Promise<void> {
    const { id, method, leader } = ask;
    const core = this.#core;
    if (!core) return;
    const command = this.pending.get(id);
    if (command) command.taken = true;
    else this.#post({ kind: "taken", leader, id });
    const begins = rulesOf(method)?.begins;
    if (!own && begins) this.page.fail(undefined);
    try {
      const came = await this.page.core.guard.untilTrap(this.#do(core, ask, own));
      // What the tab before has done with it is not too late.
      const value = ask.again && rulesOf(method)?.late ? true : came;
      // If another tab has taken over, the command is sent to that tab.
      if (begins && isConflict(value as string) && !(await this.holds()) && this.#core !== core) return;
      if (own) this.end(id, ({ resolve }) => resolve(value));
      else this.#post({ kind: "answered", leader, id, value });
    } catch (thrown) {
      if (this.#core !== core) return;
      const refused = fromCore(thrown);
      const error = ask.again && codeOf(refused) === "OUT_OF_PROTOCOL" ? sessionMovedError() : refused;
      if (own) return this.end(id, ({ reject }) => reject(error));
      if (begins) this.page.fail(error);
      this.#post({ kind: "answered", leader, id, error: toCoreError(error) });
    }
  }

  /** Whether this tab still runs the session. It may hear that another one has taken over by a write that is refused. */
  async holds(): Promise<boolean> {
    const core = this.#core;
    const holds = (await this.#store.holds?.().catch(() => true)) !== false;
    if (!holds && this.#core === core) this.superseded();
    return holds;
  }

  async #do(core: CoreSession, { method, args, again }: CommandMessage, own: boolean): Promise<unknown> {
    const [first] = args;
    // With a core in a worker, `ask` returns the result.
    const call = (name: Exclude<Method, "answerInbox" | "clearError">) =>
      core.ask ? core.ask(name, ...args) : (core[name] as (...args: unknown[]) => unknown).apply(core, [...args]);
    switch (method) {
      case "clearError":
        return this.page.fail(undefined);
      case "answerInbox":
        return this.page.core.answerInbox(...(args as [string, string]));
      case "abort":
        // Not the next one, when that one has ended meanwhile.
        return (first === null ? !again : first === this.page.request) && this.page.core.stop();
      case "cancelQueued":
        if (this.page.core.cancelWaiting(first as string)) return true;
        return (await call(method)) || (first === this.page.request && this.page.core.stop());
      case "request":
        // It may interrupt an answer.
        if (!own) this.page.core.flush();
        this.page.core.deliverWaiting();
    }
    return call(method);
  }
}

function newer(other: unknown): boolean {
  return typeof other === "number" && other > version;
}

/** An answer that is none ends the waiting too. */
function settleWith(
  { method, resolve, reject }: Pending,
  { value, error }: { readonly value?: unknown; readonly error?: unknown },
) {
  const failure = error === undefined ? undefined : fromCore(error);
  if (failure && "code" in failure) return reject(failure);
  if (!failure && (rulesOf(method)?.gives?.(value) ?? true)) return resolve(value);
  return reject(malformedError("The tab that runs this session sent a malformed answer."));
}
