// Messages that are sent before what uses the session's database has come. Until it has, `localStorage` has a copy, which outlives the
// page at once but not always the browser, and after a moment a small database of their own has one, which outlives both.

import type { SentRequest, StoreAdapter } from "../../ports/store.js";

/** Those of the browser's database alone have a key for copies. */
type LocalStore = StoreAdapter & { readonly localCopyKey?: string; readonly canWrite?: boolean };

/** The session's own database is waited for so long. */
const soonMs = 150;

const database = "glove-sent";
const rows = "messages";
let opened: Promise<IDBDatabase> | undefined;

interface LocalCopy {
  readonly atOnce: boolean | undefined;
  readonly stored: Promise<unknown>;
  readonly hurry: () => void;
  readonly forget: () => void;
}

/**
 * Keeps a copy where the store cannot write yet; `atOnce`: it outlives the page already. `stored` settles when the copy outlives the
 * browser, or cannot: after a moment, unless somebody is in a `hurry`. `forget` removes it when the message is where it belongs.
 */
export function keepLocalCopy(store: LocalStore, message: SentRequest): LocalCopy | undefined {
  if (store.localCopyKey === undefined || store.canWrite) return;
  const key = store.localCopyKey + message.id;
  const atOnce = inStorage((storage) => {
    storage.setItem(key, JSON.stringify(message));
    return true;
  });
  let [timer, hurry]: [ReturnType<typeof setTimeout> | undefined, () => void] = [undefined, () => {}];
  const stored = new Promise((resolve, reject) => {
    hurry = () => {
      clearTimeout(timer);
      inDatabase("readwrite", (copies) => copies.put(message, key)).then(resolve, reject);
    };
    timer = setTimeout(hurry, soonMs);
  });
  const forget = () => {
    clearTimeout(timer);
    dropLocalCopy(store, message.id);
  };
  return { atOnce, stored, hurry, forget };
}

export function dropLocalCopy(store: LocalStore, id: string): void {
  const { localCopyKey } = store;
  if (localCopyKey === undefined) return;
  const key = localCopyKey + id;
  inStorage((storage) => storage.removeItem(key));
  // Who has written or found one there has opened it.
  if (opened) inDatabase("readwrite", (copies) => copies.delete(key)).catch(() => {});
}

/** Copies of a session. */
export interface LocalCopies {
  readonly messages: readonly SentRequest[];
  /** Those that `localStorage` alone has, which may be on no disk yet. */
  readonly fleeting: ReadonlySet<string>;
}

/** Those that no page has removed. */
export async function listLocalCopies({ localCopyKey: prefix }: LocalStore): Promise<LocalCopies> {
  if (prefix === undefined) return { messages: [], fleeting: new Set() };
  const copied = inStorage((storage) => keysOf(storage, prefix).flatMap((key) => copyIn(storage, key))) ?? [];
  const asked = inDatabase<SentRequest[]>("readonly", (copies) => copies.getAll(startsWith(prefix)));
  const stored = await asked.catch(() => []);
  const ids = new Set(stored.map(({ id }) => id));
  const fleeting = new Set(copied.map(({ id }) => id).filter((id) => !ids.has(id)));
  return { messages: [...copied, ...stored], fleeting };
}

/** None where another tab has just removed it, or it is damaged: the others count all the same. */
function copyIn(storage: Storage, key: string): readonly SentRequest[] {
  try {
    return [JSON.parse(storage.getItem(key) ?? "")];
  } catch {
    return [];
  }
}

/** The session is deleted. */
export async function dropLocalCopies(prefix: string): Promise<void> {
  inStorage((storage) => {
    for (const key of keysOf(storage, prefix)) storage.removeItem(key);
  });
  await inDatabase("readwrite", (copies) => copies.delete(startsWith(prefix))).catch(() => {});
}

const keysOf = (storage: Storage, prefix: string) => Object.keys(storage).filter((key) => key.startsWith(prefix));
const startsWith = (prefix: string) => IDBKeyRange.bound(prefix, `${prefix}\uffff`);

/** Nothing where storage is forbidden, or full. */
function inStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(globalThis.localStorage);
  } catch {
    return undefined;
  }
}

/** Settles when the transaction has. */
async function inDatabase<T>(mode: IDBTransactionMode, use: (copies: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  opened ??= open();
  const transaction = (await opened).transaction(rows, mode);
  const request = use(transaction.objectStore(rows));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

function open(): Promise<IDBDatabase> {
  const opening = new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(database);
    request.onupgradeneeded = () => request.result.createObjectStore(rows);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => resolve(request.result);
  });
  const gone = () => {
    opened = undefined;
  };
  opening.then((found) => {
    found.onclose = gone;
    // Somebody deletes all databases of the page.
    found.onversionchange = () => {
      found.close();
      gone();
    };
  }, gone);
  return opening;
}
