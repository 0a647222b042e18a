// The database of an application: its sessions, listed, renamed, deleted, exported and imported.
import type { GloveError } from "../../error.js";
import { tellDeleted } from "../../tabs/protocol.js";
import {
  type ImportOptions,
  latestFirst,
  MemorySessions,
  type SessionCatalog,
  type SessionInfo,
  unknownSession,
} from "../sessions.js";
import { Connection } from "./connection.js";
import { allOf, type SessionRow, stores } from "./schema.js";

/** The browser's database. */
export interface DatabaseOptions {
  /** Applications on one origin tell their sessions apart by it; `glove` unless given. */
  readonly name?: string | undefined;
  /** Asks the browser, once, never to clear this origin's storage by itself. Some browsers ask the person. */
  readonly persist?: boolean | undefined;
}

export class SessionDatabase implements SessionCatalog {
  readonly name: string;
  /** @internal */
  readonly connection: Connection;
  /** @internal Takes over where the browser allows no database. */
  readonly memory = new MemorySessions();
  readonly #persist: boolean;
  #asked = false;
  readonly #writing = new Map<string, Set<Promise<unknown>>>();

  constructor({ name = "glove", persist = false }: DatabaseOptions = {}) {
    this.name = name;
    this.connection = new Connection(name);
    this.#persist = persist;
  }

  /** Why sessions are kept in memory, when they are. Known once anything was asked. */
  get absent(): GloveError | undefined {
    return this.connection.absent;
  }

  /** @internal The sessions in memory, when there is no database. */
  async elsewhere(): Promise<MemorySessions | undefined> {
    if (!(await this.connection.isThere())) return this.memory;
    this.#askToPersist();
    return undefined;
  }

  async list(): Promise<readonly SessionInfo[]> {
    const memory = await this.elsewhere();
    if (memory) return memory.list();
    const rows = await this.connection.run(["sessions"], "readonly", ({ ask, store }) =>
      ask<SessionRow[]>(store("sessions").getAll()),
    );
    return rows
      .filter(({ count }) => count > 0)
      .map(infoOf)
      .sort(latestFirst);
  }

  async rename(id: string, title: string): Promise<void> {
    const memory = await this.elsewhere();
    if (memory) return memory.rename(id, title);
    await this.connection.run(["sessions"], "relaxed", async ({ ask, store }) => {
      const row = await ask<SessionRow | undefined>(store("sessions").get(id));
      const { title: _, ...rest } = row ?? unknownSession(id);
      await ask(store("sessions").put(title ? { ...rest, title } : rest, id));
    });
  }

  async delete(id: string): Promise<void> {
    const memory = await this.elsewhere();
    if (memory) return memory.delete(id);
    // What is on its way here would bring it back.
    await Promise.allSettled(this.#writing.get(id) ?? []);
    await this.connection.run(stores, "relaxed", async (transaction) => {
      await Promise.all(stores.map((name) => transaction.ask(transaction.store(name).delete(keysOf(name, id)))));
    });
    tellDeleted(this.shared(id));
  }

  /** @internal The name that all tabs have for one of its sessions. */
  shared(id: string): string {
    return `glove ${JSON.stringify([this.name, id])}`;
  }

  /** @internal A write of this session is on its way. */
  async write<T>(id: string, work: () => Promise<T>): Promise<T> {
    const writing = this.#writing.get(id) ?? new Set();
    this.#writing.set(id, writing);
    const write = work();
    writing.add(write);
    try {
      return await write;
    } finally {
      writing.delete(write);
      if (writing.size === 0) this.#writing.delete(id);
    }
  }

  async export(id: string): Promise<string> {
    const memory = await this.elsewhere();
    if (memory) return memory.export(id);
    return (await import("./transfer.js")).exported(this.connection, id);
  }

  async import(json: string, options: ImportOptions = {}): Promise<string> {
    const memory = await this.elsewhere();
    if (memory) return memory.import(json, options);
    return (await import("./transfer.js")).imported(this.connection, json, options);
  }

  /** Closes the connection; it is opened again when needed. */
  close(): void {
    this.connection.close();
  }

  #askToPersist(): void {
    if (!this.#persist || this.#asked) return;
    this.#asked = true;
    globalThis.navigator?.storage?.persist?.().catch(() => {});
  }
}

const shared = new Map<string, SessionDatabase>();

/** One for each name in a page. */
export function sharedDatabase(options: DatabaseOptions): SessionDatabase {
  const name = options.name ?? "glove";
  const database = shared.get(name) ?? new SessionDatabase(options);
  shared.set(name, database);
  return database;
}

function keysOf(name: (typeof stores)[number], id: string): IDBValidKey | IDBKeyRange {
  return name === "sessions" || name === "checkpoints" ? id : allOf(id);
}

function infoOf({ id, title, first, created, updated, count, unfinished }: SessionRow): SessionInfo {
  return { id, title: title ?? first ?? "", createdAt: created, updatedAt: updated, messageCount: count, unfinished };
}
