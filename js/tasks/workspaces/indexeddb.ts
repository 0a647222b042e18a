// A workspace in the browser's database, for browsers whose private file system pages cannot write to.
import { decodeUtf8, encodeUtf8 } from "../../src/values/utf8.js";
import { isLeased, leaseOf } from "./lease.js";
import { isSame, type TaskWorkspace, type WorkspaceEntry } from "./workspace.js";

const database = "glove-tasks";
const store = "files";

interface Row {
  readonly workspace: string;
  readonly path: string;
  readonly content: Uint8Array;
}

/** A workspace in IndexedDB. */
export class IndexedDBTaskWorkspace implements TaskWorkspace {
  readonly name: string;
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
    this.name = `database/${id}`;
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    const row = await within("readonly", (files) => files.get([this.#id, path]) as IDBRequest<Row | undefined>);
    return row?.content;
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === "string" ? encodeUtf8(content) : content.slice();
    await within("readwrite", (files) => files.put({ workspace: this.#id, path, content: bytes } satisfies Row));
  }

  async swap(path: string, before: Uint8Array | undefined, content: string): Promise<boolean> {
    let same = false;
    await within("readwrite", (files) => {
      const reading = files.get([this.#id, path]) as IDBRequest<Row | undefined>;
      reading.onsuccess = () => {
        same = isSame(reading.result?.content, before);
        if (same) files.put({ workspace: this.#id, path, content: encodeUtf8(content) } satisfies Row);
      };
      return reading;
    });
    return same;
  }

  async append(path: string, content: string): Promise<void> {
    await within("readwrite", (files) => {
      const reading = files.get([this.#id, path]) as IDBRequest<Row | undefined>;
      reading.onsuccess = () => {
        const before = reading.result ? decodeUtf8(reading.result.content) : "";
        files.put({ workspace: this.#id, path, content: encodeUtf8(before + content) } satisfies Row);
      };
      return reading;
    });
  }

  async remove(path: string): Promise<void> {
    await within("readwrite", (files) => files.delete([this.#id, path]));
  }

  async list(folder: string): Promise<readonly WorkspaceEntry[]> {
    // What follows "/" in the order of letters is "0".
    const range = IDBKeyRange.bound([this.#id, `${folder}/`], [this.#id, `${folder}0`], false, true);
    const rows = await within("readonly", (files) => files.getAll(range) as IDBRequest<Row[]>);
    return rows.map(({ path, content }) => ({ path, size: content.length }));
  }

  lease(): Promise<(() => void) | undefined> {
    return leaseOf(this.name);
  }

  leased(): Promise<boolean> {
    return isLeased(this.name);
  }
}

/** The ids of the workspaces in the database. */
export async function databaseIds(): Promise<string[]> {
  const keys = await within("readonly", (files) => files.getAllKeys());
  return [...new Set((keys as [string, string][]).map(([id]) => id))];
}

export async function deleteFromDatabase(id: string): Promise<void> {
  await within("readwrite", (files) => files.delete(IDBKeyRange.bound([id], [id, []])));
}

/** Does one thing in a transaction, and gives what came of it when that is written. */
async function within<T>(mode: IDBTransactionMode, work: (files: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opened = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = opened.transaction(store, mode, { durability: "strict" });
      const request = work(transaction.objectStore(store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was aborted"));
    });
  } finally {
    opened.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const openRequest = indexedDB.open(database, 1);
    openRequest.onupgradeneeded = () => openRequest.result.createObjectStore(store, { keyPath: ["workspace", "path"] });
    openRequest.onsuccess = () => resolve(openRequest.result);
    openRequest.onerror = () => reject(openRequest.error);
    openRequest.onblocked = () => reject(new Error("another tab keeps the database closed"));
  });
}
