// The database of an application, and its sessions as a whole: what is done with them is loaded when somebody does it.

import type { Core } from "../../ports/core.js";
import type { Durability } from "../../ports/store.js";
import { type GloveError, loadPart } from "../../values/error.js";
import { check } from "../../values/validate-options.js";
import type { ImportOptions, SessionCatalog, SessionInfo } from "../sessions.js";
import type { Connection, Transaction } from "./connection.js";
import type { InMemory } from "./in-memory.js";
import { isRow, orderOf, type StoreName } from "./schema.js";

/** The browser's database. */
export interface DatabaseOptions {
  /** Applications on one origin tell their sessions apart by it; `glove` unless given. */
  readonly name?: string | undefined;
  /** Asks the browser, once, never to clear this origin's storage by itself. Some browsers ask the person. */
  readonly persist?: boolean | undefined;
}

export class SessionDatabase implements SessionCatalog {
  readonly name: string;
  /** Once it was loaded. */
  #connection: Connection | undefined;
  /** Takes over where there is no database. */
  #memory: InMemory | undefined;
  readonly #persist: boolean;
  #asked = false;
  /** The order of the last write that this page knows. */
  #latest = 0;
  readonly #writing = new Map<string, Set<Promise<unknown>>>();

  /** `none`: there is no database, and nobody is told that sessions are in memory then. */
  constructor(
    options: DatabaseOptions = {},
    /** @internal */
    readonly none = false,
  ) {
    const { name = "glove", persist = false } = check("The options", options, "object");
    this.name = name;
    this.#persist = persist;
  }

  /** Why sessions are kept in memory, when they are. Known once anything was asked. */
  get absent(): GloveError | undefined {
    return this.#connection?.absent;
  }

  /** @internal There is no database, as far as that is known. */
  get inMemory(): boolean {
    return this.none || this.absent !== undefined;
  }

  /** @internal Does some work in one transaction: all of it is stored, or nothing. */
  async run<T>(
    names: readonly StoreName[],
    access: Durability | "readonly",
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    return (await this.#rows()).run(names, access, work);
  }

  async #rows(): Promise<Connection | InMemory> {
    const connection = this.none ? undefined : (this.#connection ?? (await this.#connect()));
    if (!(await connection?.isThere())) {
      const { InMemory } = await loadPart(import("./in-memory.js"));
      this.#memory ??= new InMemory();
      return this.#memory;
    }
    this.askToPersist();
    return connection as Connection;
  }

  async #connect(): Promise<Connection> {
    const { Connection } = await loadPart(import("./session-row-store.js"));
    this.#connection ??= new Connection(
      this.name,
      undefined,
      () => this.#giveWay(),
      () => {
        for (const listener of [...this.#loadPart]) listener();
      },
    );
    return this.#connection;
  }

  /** @internal It is used in a moment. */
  ahead(): void {
    if (!this.none && !this.#connection) this.#connect().catch(() => {});
  }

  async list(): Promise<readonly SessionInfo[]> {
    this.ahead();
    return (await list()).list(this);
  }

  /** @internal The order of what is written now, in its transaction. */
  async next({ ask, store }: Transaction): Promise<number> {
    if (this.#latest === 0) {
      for (const row of await ask<unknown[]>(store("sessions").getAll()))
        if (isRow(row)) this.#latest = Math.max(this.#latest, orderOf(row));
    }
    return this.order();
  }

  /** @internal The same behind a write of this page. */
  order(): number {
    this.#latest = Math.max(Date.now(), this.#latest + 1);
    return this.#latest;
  }

  async rename(id: string, title: string): Promise<void> {
    await (await list()).rename(this, id, title);
  }

  async delete(id: string): Promise<void> {
    await (await list()).remove(this, id);
  }

  /** @internal Who shows the list in this page, told the id of each session that changed. */
  readonly watchers = new Set<(id: string) => void>();

  /** @internal When nothing of this session is on its way any more. */
  written(id: string): Promise<unknown> {
    return Promise.allSettled(this.#writing.get(id) ?? []);
  }

  /** @internal The name that all tabs have for one of its sessions; none for what is in memory. */
  async shared(id: string): Promise<string | undefined> {
    await this.#rows();
    return this.inMemory ? undefined : `glove ${JSON.stringify([this.name, id])}`;
  }

  /** @internal Calls it when a newer version of the application wants the database. Gives its undo. */
  onNewer(listener: () => Promise<void>): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
  readonly #listeners = new Set<() => Promise<void>>();

  /** @internal Calls it when the database opens after it was given up. Gives its undo. */
  onLate(listener: () => void): () => void {
    this.#loadPart.add(listener);
    return () => void this.#loadPart.delete(listener);
  }
  readonly #loadPart = new Set<() => void>();

  /** Sessions end first, and what they have begun to write. */
  async #giveWay(): Promise<void> {
    await Promise.allSettled([...this.#listeners].map((listener) => listener()));
    await Promise.allSettled([...this.#writing.values()].flatMap((writes) => [...writes]));
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

  /** With the core also a damaged one: what can be read of it, and in `damage` what cannot. */
  async export(
    id: string,
    /** @internal */
    core?: Core,
  ): Promise<string> {
    return (await loadPart(import("../maintenance-chunk.js"))).exported(this, id, core);
  }

  async import(json: string, options: ImportOptions = {}): Promise<string> {
    const parts = Promise.all([loadPart(import("../maintenance-chunk.js")), loadPart(import("./session-row-store.js"))]);
    const [{ imported }, { runWithRoom, tellChanged }] = await parts;
    const id = await imported({ run: (...work) => runWithRoom(this, ...work) }, json, options);
    tellChanged(this, id);
    return id;
  }

  /** Closes the connection; it is opened again when needed. */
  close(): void {
    this.#connection?.close();
    if (this.none) this.#memory = undefined;
  }

  /** @internal Workers cannot ask. */
  askToPersist(): void {
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

const list = () => loadPart(import("./list.js"));
