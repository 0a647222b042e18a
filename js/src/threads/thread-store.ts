// The threads of a client, kept up to date: read once, and then only what changed, however many there are.

import type { GloveClient } from "../session/client.js";
import type { GloveSession } from "../session/session.js";
import type { SessionInfo } from "../store/sessions.js";
import { nextFrame } from "../timing/next-frame.js";
import { asError } from "../values/error.js";
import { omitUndefined } from "../values/omit-undefined.js";
import { check } from "../values/validate-options.js";
import { type Listed, sourceOf, type ThreadSource } from "./source.js";
import { isOver, isSameThread, mayRun, type ThreadInfo, threadOf, undoMs } from "./thread.js";

/** What there is of threads, as one immutable value; a thread that did not change is the same object. */
export interface ThreadsState {
  /** The latest first. */
  readonly threads: readonly ThreadInfo[];
  readonly archived: readonly ThreadInfo[];
  /** Those that can be brought back for some seconds, the one that was deleted last first. */
  readonly deleted: readonly ThreadInfo[];
  /** The list has been read. */
  readonly ready: boolean;
  /** Why the list could not be read, or the last change not be made. */
  readonly error: Error | undefined;
}

/** What can be done with threads. Each is the same function as long as the client; who does not await one reads the error in `error`. */
export interface ThreadActions {
  /** Sets the title; an empty one brings the first message back. */
  rename(id: string, title: string): Promise<void>;
  /** Puts it away. A message that a person writes to it brings it back. */
  archive(id: string): Promise<void>;
  unarchive(id: string): Promise<void>;
  /** Takes it off the list; it is removed for good ten seconds later, unless `restore` brings it back. */
  remove(id: string): Promise<void>;
  restore(id: string): Promise<void>;
  /** Reads the list again. */
  refresh(): void;
}

type ThreadEdit = { readonly [Key in "title" | "archived" | "deletedAt"]?: SessionInfo[Key] | undefined };

/** What was asked for, and is shown until the list has been read with it: from its beginning on, or once it is stored. */
interface Change {
  readonly id: string;
  readonly info: ThreadEdit;
  done: boolean;
}

/** What this page runs itself, of stores that do not say. */
type Live = Required<Pick<Listed, "phase" | "asks" | "queued">>;

const empty: ThreadsState = { threads: [], archived: [], deleted: [], ready: false, error: undefined };
/** A tab that crashed says nothing: so often those that run are looked after. */
const lookMs = 2_000;

export class ThreadStore {
  readonly #client: GloveClient;
  #source: ThreadSource | undefined;
  readonly #listeners = new Set<() => void>();
  #undo: (() => void)[] = [];
  #listed = new Map<string, Listed>();
  /** Of a thread that runs the place that it had before: it moves when a run begins or ends, and not with each step. */
  readonly #places = new Map<string, number>();
  #visible = new Map<string, ThreadInfo>();
  #open: ReadonlySet<string> | undefined;
  readonly #live = new Map<string, Live>();
  readonly #sessions = new Map<string, GloveSession>();
  /** Deleted here, where nothing else keeps that. */
  readonly #deleted = new Map<string, number>();
  #changes: Change[] = [];
  #all = true;
  readonly #dirty = new Set<string>();
  #frame: (() => void) | undefined;
  #drawn: (() => void) | undefined;
  #due = false;
  #reading = false;
  #ready = false;
  /** Why the list could not be read, and why what was asked for was not done. */
  #failure: Error | undefined;
  #error: Error | undefined;
  #state = empty;
  #sorted: readonly ThreadInfo[] = [];
  readonly #purged = new Set<string>();
  #purging: ReturnType<typeof setTimeout> | undefined;
  #looking: ReturnType<typeof setTimeout> | undefined;

  constructor(client: GloveClient) {
    this.#client = client;
  }

  readonly getSnapshot = (): ThreadsState => this.#state;
  readonly getServerSnapshot = (): ThreadsState => empty;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  };

  readonly actions: ThreadActions = {
    rename: (id, title) => {
      check("`title`", title, "text");
      return this.#act(id, title ? { title } : {}, (source) => source.rename(id, title));
    },
    archive: (id) => this.#act(id, { archived: true }, (source) => source.archive(id, true)),
    unarchive: (id) => this.#act(id, { archived: false }, (source) => source.archive(id, false)),
    remove: (id) =>
      this.#act(id, { deletedAt: Date.now() }, async ({ trash }) => {
        if (trash) await trash.put(id);
        else this.#deleted.set(id, Date.now());
      }),
    restore: (id) =>
      this.#act(id, { deletedAt: undefined }, async ({ trash }) => {
        if (trash) await trash.restore(id);
        else this.#deleted.delete(id);
      }),
    refresh: () => this.#changed(),
  };

  /** Says nothing where that cannot be kept. */
  async markUnread(id: string, unread: boolean): Promise<void> {
    try {
      this.#source ??= sourceOf(this.#client.catalog);
      await this.#source.markUnread(id, unread);
    } catch {
      return;
    }
    this.#changed(id);
  }

  // ---- its life --------------------------------------------------------------------------------------------------

  #start(): void {
    try {
      this.#source ??= sourceOf(this.#client.catalog);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#undo.push(this.#source.subscribe((id) => this.#changed(id)));
    const says = this.#source.trash !== undefined;
    const opened = ({ session }: { readonly session: GloveSession }) => {
      this.#sessions.set(session.sessionId, session);
      if (!says) this.#follow(session);
    };
    this.#undo.push(this.#client.onSession(opened));
    this.#all = true;
    void this.#read(this.#source);
  }

  #stop(): void {
    for (const undo of this.#undo.splice(0)) undo();
    clearTimeout(this.#looking);
    this.#live.clear();
    this.#sessions.clear();
    this.#purged.clear();
  }

  /** What a session of this page does, where its store does not tell the list. */
  #follow(session: GloveSession): void {
    const look = () => {
      const { run, approvals, slots, queue } = session.getSnapshot();
      const phase = run.phase === "interrupted" ? "paused" : run.phase;
      const asks = approvals.length > 0 || slots.some(({ waits, status }) => waits && status === "pending");
      const queued = queue.length;
      const { sessionId } = session;
      const before = this.#live.get(sessionId);
      if (before?.phase === phase && before.asks === asks && before.queued === queued) return;
      this.#live.set(sessionId, { phase, asks, queued });
      const begins = before?.phase === "idle" && phase !== "idle";
      const ends = before && before.phase !== "idle" && phase === "idle";
      // Whoever writes to it wants it back.
      const isBack = before && (begins || queued > (before.queued ?? 0)) && this.#deleted.delete(sessionId);
      if (begins || ends || isBack) this.#changed(sessionId);
      this.#show();
    };
    this.#undo.push(session.subscribe(look));
    look();
  }

  // ---- reading ---------------------------------------------------------------------------------------------------

  /** Reads what changed with the next frame: once for all until then. */
  #changed(id?: string): void {
    if (id === undefined) this.#all = true;
    else this.#dirty.add(id);
    const source = this.#source;
    if (this.#listeners.size === 0 || !source) return;
    this.#frame ??= nextFrame(() => {
      this.#frame = undefined;
      void this.#read(source);
    });
  }

  async #read(source: ThreadSource): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const ids = [...this.#dirty];
    const some = this.#all ? undefined : source.read;
    this.#all = false;
    this.#dirty.clear();
    const done = this.#changes.filter(({ done }) => done);
    try {
      const found = await (some ? some(ids) : source.list());
      if (some) for (const id of ids) this.#listed.delete(id);
      else this.#listed.clear();
      for (const info of found) this.#listed.set(info.id, info);
      await this.#look(source);
      this.#failure = undefined;
      this.#ready = true;
    } catch (error) {
      this.#all = this.#all || !some;
      for (const id of ids) this.#dirty.add(id);
      this.#failure = asError(error);
    }
    this.#changes = this.#changes.filter((change) => !done.includes(change));
    this.#reading = false;
    this.#show();
    this.#purgeLater();
    // What came meanwhile. What failed is tried again with the next change.
    if (!this.#failure && (this.#all || this.#dirty.size > 0)) this.#changed([...this.#dirty][0]);
  }

  /** Whether those that run are open anywhere: a page that crashed had no time to say that it stopped. */
  async #look(source: ThreadSource): Promise<void> {
    clearTimeout(this.#looking);
    const running = [...this.#listed.values()].some(mayRun);
    this.#open = running ? await source.open?.().catch(() => undefined) : undefined;
    if (!this.#open || this.#listeners.size === 0) return;
    this.#looking = setTimeout(async () => {
      await this.#look(source);
      this.#show();
    }, lookMs);
  }

  // ---- what is asked of it ---------------------------------------------------------------------------------------

  #act(id: string, info: ThreadEdit, work: (source: ThreadSource) => Promise<void>): Promise<void> {
    const change: Change = { id: check("`id`", id, "text"), info, done: false };
    const show = () => {
      this.#changes.push(change);
      this.#show();
    };
    const acting = async () => {
      try {
        this.#source ??= sourceOf(this.#client.catalog);
        const { near } = this.#source;
        if (!near) show();
        await work(this.#source);
        if (near) show();
      } catch (error) {
        this.#changes = this.#changes.filter((other) => other !== change);
        this.#fail(error);
        throw error;
      } finally {
        change.done = true;
        this.#changed(id);
      }
    };
    this.#error = undefined;
    const acted = acting();
    // It is in the state; nobody needs to catch it.
    acted.catch(() => {});
    return acted;
  }

  #fail(error: unknown): void {
    this.#error = asError(error);
    this.#show();
  }

  /** Removes what was deleted and not brought back in time, and comes again for the rest. */
  #purgeLater(): void {
    clearTimeout(this.#purging);
    const deleted = this.#sorted.filter(({ id, deletedAt }) => deletedAt !== undefined && !this.#purged.has(id));
    if (deleted.length === 0) return;
    const first = Math.min(...deleted.map(({ deletedAt = 0 }) => deletedAt));
    const left = Math.min(undoMs, first + undoMs - Date.now());
    this.#purging = setTimeout(
      () => {
        for (const { id, deletedAt } of deleted) if (isOver(deletedAt)) void this.#purge(id);
        this.#show();
        this.#purgeLater();
      },
      Math.max(0, left),
    );
  }

  async #purge(id: string): Promise<void> {
    const trash = this.#source?.trash;
    // What cannot be removed now is tried again when the list is shown again.
    this.#purged.add(id);
    try {
      if (!trash) {
        await this.#client.deleteSession(id);
        this.#listed.delete(id);
      } else if (await trash.purge(id)) this.#sessions.get(id)?.deleted();
      this.#purged.delete(id);
    } catch (error) {
      this.#fail(error);
    }
    if (!trash) this.#deleted.delete(id);
    this.#changed(id);
  }

  // ---- what it shows ---------------------------------------------------------------------------------------------

  /** At most once a frame. */
  #show(): void {
    if (this.#drawn) {
      this.#due = true;
      return;
    }
    this.#drawn = nextFrame(() => {
      this.#drawn = undefined;
      if (!this.#due) return;
      this.#due = false;
      this.#show();
    });
    const state = this.#build();
    if (!state) return;
    this.#state = state;
    this.#purgeLater();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Nothing when it is as before. */
  #build(): ThreadsState | undefined {
    const visible = new Map<string, ThreadInfo>();
    for (const listed of this.#listed.values()) {
      const thread = this.#thread(listed);
      const before = this.#visible.get(thread.id);
      const { order } = listed;
      if (!(before?.running && thread.running)) this.#places.set(thread.id, order);
      visible.set(thread.id, before && isSameThread(before, thread) ? before : thread);
    }
    const error = this.#failure ?? this.#error;
    const isSame = visible.size === this.#visible.size && [...visible].every(([id, thread]) => this.#visible.get(id) === thread);
    const before = this.#state;
    this.#visible = visible;
    for (const id of this.#places.keys()) if (!visible.has(id)) this.#places.delete(id);
    const place = ({ id }: ThreadInfo) => this.#places.get(id) ?? 0;
    const all = [...visible.values()].sort((a, b) => place(b) - place(a));
    const isIn = all.every((thread, at) => thread === this.#sorted[at]) && all.length === this.#sorted.length;
    const deleted = all.filter(({ deletedAt }) => deletedAt !== undefined && !isOver(deletedAt));
    // Time alone ends that one can be brought back.
    const isAsBefore = isSame && isIn && deleted.length === before.deleted.length;
    if (isAsBefore && before.ready === this.#ready && before.error === error) return undefined;
    this.#sorted = all;
    const there = all.filter(({ deletedAt }) => deletedAt === undefined);
    return {
      threads: kept(
        before.threads,
        there.filter(({ archived }) => !archived),
      ),
      archived: kept(
        before.archived,
        there.filter(({ archived }) => archived),
      ),
      deleted: kept(
        before.deleted,
        deleted.sort((a, b) => (b.deletedAt ?? 0) - (a.deletedAt ?? 0)),
      ),
      ready: this.#ready,
      error,
    };
  }

  #thread({ order: _, ...listed }: Listed): ThreadInfo {
    const { id } = listed;
    const deletedAt = this.#deleted.get(id);
    let info: Omit<SessionInfo, keyof ThreadEdit> & ThreadEdit = {
      ...listed,
      ...this.#live.get(id),
      ...(deletedAt !== undefined && { deletedAt }),
    };
    for (const change of this.#changes) if (change.id === id) info = { ...info, ...change.info };
    return threadOf(omitUndefined(info) as unknown as SessionInfo, this.#open?.has(id) ?? true);
  }
}

/** The list before where it has the same. */
function kept(before: readonly ThreadInfo[], now: readonly ThreadInfo[]): readonly ThreadInfo[] {
  return before.length === now.length && now.every((thread, at) => thread === before[at]) ? before : now;
}

const stores = new WeakMap<GloveClient, ThreadStore>();

/** One for each client. */
export function threadsOf(client: GloveClient): ThreadStore {
  const store = stores.get(client) ?? new ThreadStore(client);
  stores.set(client, store);
  return store;
}
