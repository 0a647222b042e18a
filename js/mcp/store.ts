// Where lists of tools and what was allowed are kept: a database of its own, so that no session, checkpoint or export has them.

import { GloveError, reasonOf } from "../src/values/error.js";
import type { McpStore } from "./types.js";

/** Lists, and what was allowed. */
const usualName = "glove-mcp";
const rows = "rows";

/** The database of the browser; where there is none, memory. */
export function usualStore(name = usualName): McpStore {
  return typeof indexedDB === "undefined" ? new McpMemory() : new McpDatabase(name);
}

class McpMemory implements McpStore {
  readonly #rows = new Map<string, string>();

  get(key: string): string | undefined {
    return this.#rows.get(key);
  }

  set(key: string, value: string): void {
    this.#rows.set(key, value);
  }

  delete(key: string): void {
    this.#rows.delete(key);
  }
}

class McpDatabase implements McpStore {
  readonly #name: string;
  #opening: Promise<IDBDatabase> | undefined;
  /** What the database did not take: some browsers have none in private windows. */
  readonly #memory = new McpMemory();

  constructor(name: string) {
    this.#name = name;
  }

  async get(key: string): Promise<string | undefined> {
    const unkept = this.#memory.get(key);
    if (unkept !== undefined) return unkept;
    const value: unknown = await this.#do("readonly", (store) => store.get(key)).catch(() => undefined);
    return typeof value === "string" ? value : undefined;
  }

  async set(key: string, value: string): Promise<void> {
    this.#memory.delete(key);
    await this.#do("readwrite", (store) => store.put(value, key)).catch(() => this.#memory.set(key, value));
  }

  async delete(key: string): Promise<void> {
    this.#memory.delete(key);
    await this.#do("readwrite", (store) => store.delete(key)).catch(() => undefined);
  }

  async #do<T>(access: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const database = await this.#open();
    return new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(rows, access);
      const request = work(transaction.objectStore(rows));
      transaction.oncomplete = () => resolve(request.result);
      const failed = () => reject(this.#unavailable(transaction.error));
      transaction.onabort = failed;
      transaction.onerror = failed;
    });
  }

  #open(): Promise<IDBDatabase> {
    this.#opening ??= new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(rows);
      request.onerror = () => reject(this.#unavailable(request.error));
      request.onsuccess = () => {
        const database = request.result;
        const forget = () => {
          this.#opening = undefined;
        };
        // A newer page, or somebody who clears the browser's data.
        database.onversionchange = () => {
          forget();
          database.close();
        };
        database.onclose = forget;
        resolve(database);
      };
    }).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  #unavailable(cause: unknown): GloveError {
    return new GloveError("STORE_UNAVAILABLE", `The database "${this.#name}" cannot be used: ${reasonOf(cause)}`, { cause });
  }
}
