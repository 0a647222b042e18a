// What stands in for the database where there is none: the same rows in maps, gone with the page.
import type { Transaction } from "./connection.js";
import { typed } from "./failures.js";
import { type StoreName, stores } from "./schema.js";

interface Entry {
  readonly key: IDBValidKey;
  readonly value: unknown;
}

type Rows = Map<string, Map<string, Entry>>;

/** Transactions, one after the other, each stored wholly or not at all. */
export class InMemory {
  /** The rows of each session. */
  readonly #stores = new Map<StoreName, Rows>(stores.map((name) => [name, new Map()]));
  #running: Promise<unknown> = Promise.resolve();

  run<T>(_names: readonly StoreName[], _access: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const running = this.#running.then(async () => {
      const writes: (() => void)[] = [];
      const store = (name: StoreName) => storeOf(this.#stores.get(name) as Rows, writes);
      const result = await work({ store, ask: async (request) => request.result });
      for (const write of writes) write();
      return result;
    });
    this.#running = running.catch(() => {});
    return running.catch((error: unknown) => {
      throw typed(error);
    });
  }
}

/** What is used of a store. What is written is there when the transaction is over. */
function storeOf(sessions: Rows, writes: (() => void)[]): IDBObjectStore {
  const entry = (key: IDBValidKey) => sessions.get(sessionOf(key))?.get(JSON.stringify(key));
  const entries = (range?: IDBKeyRange) => {
    const chosen = range ? [sessions.get(sessionOf(range))] : [...sessions.values()];
    return chosen.flatMap((rows) => [...(rows?.values() ?? [])]);
  };
  const put = (value: unknown, key: IDBValidKey) => {
    const session = sessionOf(key);
    writes.push(() => {
      const rows = sessions.get(session) ?? new Map<string, Entry>();
      sessions.set(session, rows.set(JSON.stringify(key), { key, value }));
    });
    return {};
  };
  return {
    get: (key: IDBValidKey) => ({ result: entry(key)?.value }),
    getKey: (key: IDBValidKey) => ({ result: entry(key)?.key }),
    getAll: (range?: IDBKeyRange) => ({ result: entries(range).map(({ value }) => value) }),
    getAllKeys: (range?: IDBKeyRange) => ({ result: entries(range).map(({ key }) => key) }),
    put,
    add: put,
    delete(key: IDBValidKey | IDBKeyRange) {
      const session = sessionOf(key);
      writes.push(() => void (isRange(key) ? sessions.delete(session) : sessions.get(session)?.delete(JSON.stringify(key))));
      return {};
    },
  } as unknown as IDBObjectStore;
}

const isRange = (key: IDBValidKey | IDBKeyRange): key is IDBKeyRange => typeof key === "object" && "lower" in key;

/** A key is the id of a session, or begins with it; a range has all keys of a session. */
function sessionOf(key: IDBValidKey | IDBKeyRange): string {
  return String([isRange(key) ? key.lower : key].flat()[0]);
}
