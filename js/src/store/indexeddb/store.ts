// The store of a page. What it does with the database is loaded with the first use, so that a page draws before.

import type {
  Durability,
  InboxItem,
  Salvage,
  SentRequest,
  StepMarks,
  StoreAdapter,
  StoredRun,
  StoredStep,
  TokenCount,
} from "../../ports/store.js";
import { type GloveError, loadPart } from "../../values/error.js";
import { localCopyKey } from "../../values/ids.js";
import { check } from "../../values/validate-options.js";
import type { Message, PermissionStatus, Task } from "../../wire/record.js";
import { type DatabaseOptions, SessionDatabase, sharedDatabase } from "./database.js";
import type { SessionRowStore } from "./session-row-store.js";

type Method = {
  [name in keyof SessionRowStore]: SessionRowStore[name] extends (...args: never) => Promise<unknown> ? name : never;
}[keyof SessionRowStore];

/**
 * Keeps a session in the browser's database. What is stored is JSON text, so it comes back character by character. Where the
 * browser allows no database, it keeps the session in memory and says so: `storage` is `memory` then, and `warning` tells why.
 */
export class IndexedDBStore implements StoreAdapter {
  readonly #database: SessionDatabase;
  #rowStore: SessionRowStore | undefined;

  constructor(
    readonly identifier: string,
    database: SessionDatabase | DatabaseOptions = {},
  ) {
    this.#database = database instanceof SessionDatabase ? database : sharedDatabase(check("`database`", database, "object"));
  }

  /** @internal Another one like it in a worker takes its place: with these options, and what only a page can do is done. */
  moves(): DatabaseOptions {
    this.#database.askToPersist();
    return { name: this.#database.name };
  }

  /** @internal With what the keys of local copies of its messages begin. */
  get localCopyKey(): string {
    return localCopyKey(this.#database.name, this.identifier);
  }

  /** @internal What uses the database is there. */
  get canWrite(): boolean {
    return this.#rowStore !== undefined;
  }

  /** @internal When nothing of it is on its way any more. */
  written(): Promise<unknown> {
    return this.#database.written(this.identifier);
  }

  /** @internal So long something of it is on its way elsewhere. */
  waitsFor(written: Promise<unknown>): void {
    this.#database.write(this.identifier, () => written).catch(() => {});
  }

  /** @internal It is used in a moment. */
  ahead(): void {
    this.#database.ahead();
    this.#load().catch(() => {});
  }

  #load(): Promise<SessionRowStore> {
    if (this.#loading) return this.#loading;
    const loading = loadPart(import("./session-row-store.js")).then(
      ({ SessionRowStore }) => new SessionRowStore(this.identifier, this.#database),
    );
    this.#loading = loading;
    const failed = () => {
      this.#loading = undefined;
    };
    // Set before other callers continue: calls after them must come later.
    loading.then((rowStore) => {
      this.#rowStore = rowStore;
    }, failed);
    return loading;
  }
  #loading: Promise<SessionRowStore> | undefined;

  /** Calls keep their order, because all wait for one promise. */
  #ask<M extends Method>(method: M, ...args: Parameters<SessionRowStore[M]>): ReturnType<SessionRowStore[M]> {
    let copies: readonly unknown[] = args;
    try {
      // What is given may be changed before it is stored.
      copies = args.map(copied);
    } catch {
      // What cannot be copied is refused where it is stored.
    }
    const ask = (rowStore: SessionRowStore) =>
      (rowStore[method] as (...args: readonly unknown[]) => Promise<unknown>).apply(rowStore, [...copies]);
    return (this.#rowStore ? ask(this.#rowStore) : this.#load().then(ask)) as ReturnType<SessionRowStore[M]>;
  }

  get storage(): "indexeddb" | "memory" {
    return this.#database.inMemory ? "memory" : "indexeddb";
  }

  get warning(): GloveError | undefined {
    return this.#rowStore ? this.#rowStore.warning : this.#database.absent;
  }

  /** A session that is lost begins anew. */
  forget(): void {
    this.#load()
      .then((rowStore) => rowStore.forget())
      .catch(() => {});
  }

  // ---- between tabs ------------------------------------------------------------------------------------------------

  async shared(): Promise<string | undefined> {
    return this.#database.shared(this.identifier);
  }

  onNewer(listener: () => Promise<void>): () => void {
    return this.#database.onNewer(listener);
  }

  onLate(listener: () => void): () => void {
    return this.#database.onLate(listener);
  }

  keepSent(message: SentRequest): Promise<void> {
    return this.#ask("keepSent", message);
  }

  dropSent(id: string): Promise<void> {
    return this.#ask("dropSent", id);
  }

  listSent(): Promise<readonly SentRequest[]> {
    return this.#ask("listSent");
  }

  // ---- what is done with its rows ----------------------------------------------------------------------------------

  appendStep(step: StoredStep, durability?: Durability): Promise<void> {
    return this.#ask("appendStep", step, durability);
  }

  appendStepText(text: string, durability: Durability, marks?: StepMarks): Promise<void> {
    return this.#ask("appendStepText", text, durability, marks);
  }

  readRun(): Promise<StoredRun> {
    return this.#ask("readRun");
  }

  readRunText(): Promise<string> {
    return this.#ask("readRunText");
  }

  salvage(): Promise<Salvage> {
    return this.#ask("salvage");
  }

  claim(): Promise<void> {
    return this.#ask("claim");
  }

  holds(): Promise<boolean> {
    return this.#ask("holds");
  }

  lease(holder: string, ms: number, takesAway?: boolean): Promise<boolean> {
    return this.#ask("lease", holder, ms, takesAway);
  }

  getMessages(): Promise<Message[]> {
    return this.#ask("getMessages");
  }

  /** A finished run gives way: the session goes on from its messages. */
  appendMessages(msgs: Message[]): Promise<void> {
    return this.#ask("appendMessages", msgs);
  }

  getTokenCount(): Promise<number> {
    return this.#ask("getTokenCount");
  }

  /** The counters one by one. */
  getTokenConsumption(): Promise<TokenCount> {
    return this.#ask("getTokenConsumption");
  }

  addTokens(count: number | TokenCount): Promise<void> {
    return this.#ask("addTokens", count);
  }

  getTurnCount(): Promise<number> {
    return this.#ask("getTurnCount");
  }

  incrementTurn(): Promise<void> {
    return this.#ask("incrementTurn");
  }

  resetCounters(): Promise<void> {
    return this.#ask("resetCounters");
  }

  getTasks(): Promise<Task[]> {
    return this.#ask("getTasks");
  }

  addTasks(tasks: Task[]): Promise<void> {
    return this.#ask("addTasks", tasks);
  }

  updateTask(taskId: string, updates: Partial<Omit<Task, "id">>): Promise<void> {
    return this.#ask("updateTask", taskId, updates);
  }

  /** An answer for these very arguments comes before the one for the tool. */
  getPermission(toolName: string, input?: unknown): Promise<PermissionStatus> {
    return this.#ask("getPermission", toolName, input);
  }

  setPermission(toolName: string, status: PermissionStatus, input?: unknown): Promise<void> {
    return this.#ask("setPermission", toolName, status, input);
  }

  getInboxItems(): Promise<InboxItem[]> {
    return this.#ask("getInboxItems");
  }

  addInboxItem(item: InboxItem): Promise<void> {
    return this.#ask("addInboxItem", item);
  }

  updateInboxItem(id: string, updates: Partial<InboxItem>): Promise<void> {
    return this.#ask("updateInboxItem", id, updates);
  }

  getResolvedInboxItems(): Promise<InboxItem[]> {
    return this.#ask("getResolvedInboxItems");
  }
}

/** A copy of plain data, in which what is of a class is the same: how that is stored, it says itself (`toJSON`). */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== "object" || value === null) return value;
  const kind = Object.getPrototypeOf(value);
  // Each frame has a prototype of plain objects of its own.
  if (kind && Object.getPrototypeOf(kind)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copied(part)]));
}
