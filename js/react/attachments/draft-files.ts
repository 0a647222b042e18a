// The files of a draft are kept in IndexedDB until it is sent: a reload brings them back, as it does the draft's text.
import { draftText, filesKey, saveDraftText } from "../parts/draft-text.js";
import type { Prepared } from "./prepare.js";

/** A file as its bytes: one that a database gave cannot be read any more when its entry is gone, in Firefox. */
interface StoredFile extends Omit<Prepared, "file"> {
  readonly name: string;
  readonly type: string;
  readonly bytes: ArrayBuffer;
}

interface Draft {
  readonly at: number;
  readonly files: readonly StoredFile[];
}

/** A tab that was closed and is opened again finds its files for so long. */
const keptMs = 3 * 24 * 60 * 60 * 1000;

/** One write after the other, so that the last one stays. */
let writing: Promise<boolean> = Promise.resolve(true);

/** Whether what was ready by now is written down, once it is. */
export const areKept = (): Promise<boolean> => writing;

/** What is attached to a draft: see `tray.ts`. */
interface Files {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getItems: () => readonly { readonly prepared?: Prepared }[];
}

/** Whether only this page has the id, from now on until it is left: a duplicated tab comes with the storage of the other. */
async function isOwn(id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const held = (lock: Lock | null) => {
      resolve(lock !== null);
      return lock ? new Promise<never>(() => {}) : undefined;
    };
    if (globalThis.navigator.locks) navigator.locks.request(id, { ifAvailable: true }, held).catch(() => resolve(true));
    else resolve(true);
  });
}

const keeping = new WeakSet<Files>();

/** From now on, what is ready in it survives a reload. */
export function keepFilesOf(tray: Files, session: string): void {
  if (keeping.has(tray)) return;
  keeping.add(tray);
  let kept: readonly Prepared[] = [];
  const keep = () => {
    const ready = tray.getItems().flatMap(({ prepared }) => prepared ?? []);
    if (ready.length === kept.length && ready.every((one, at) => one === kept[at])) return;
    kept = ready;
    keepFiles(session, ready);
  };
  keep();
  tray.subscribe(keep);
}

/** In the place of those before. What cannot be kept stays as long as the page. */
function keepFiles(session: string, files: readonly Prepared[]): void {
  const mark = filesKey(session);
  let id = draftText(mark);
  if (!id) {
    id = crypto.randomUUID();
    void isOwn(id);
  }
  // Files without a mark are never found, and marks without files are no harm.
  saveDraftText(mark, files.length > 0 ? id : "");
  const write = async () => {
    const all = await Promise.all(files.map(keptFrom));
    await inStore("readwrite", (store) => {
      if (all.length > 0) store.put({ at: Date.now(), files: all } satisfies Draft, id);
      else store.delete(id);
      sweep(store);
    });
  };
  writing = writing.then(write).then(
    () => true,
    () => false,
  );
}

const keptFrom = async ({ file, ...rest }: Prepared): Promise<StoredFile> => ({
  ...rest,
  name: file.name,
  type: file.type,
  bytes: await file.arrayBuffer(),
});

/** What was kept for a draft of this tab. */
export async function keptFiles(session: string): Promise<readonly Prepared[]> {
  const mark = filesKey(session);
  const id = draftText(mark);
  if (!id) return [];
  // The other tab keeps its draft: what is read here is written anew, under an id of this one.
  if (!(await isOwn(id))) saveDraftText(mark, "");
  await writing;
  let draft: Draft | undefined;
  try {
    await inStore("readonly", (store) => {
      store.get(id).onsuccess = ({ target }) => {
        draft = (target as IDBRequest<Draft | undefined>).result;
      };
    });
  } catch {}
  return (draft?.files ?? []).map(({ name, type, bytes, ...rest }) => ({ ...rest, file: new File([bytes], name, { type }) }));
}

/** Takes out what is old. */
function sweep(store: IDBObjectStore): void {
  const old = store.index("at").getAllKeys(IDBKeyRange.upperBound(Date.now() - keptMs));
  old.onsuccess = () => {
    for (const key of old.result) store.delete(key);
  };
}

function inStore(mode: IDBTransactionMode, work: (store: IDBObjectStore) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("glove-wasm-drafts", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("files").createIndex("at", "at");
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const database = request.result;
      try {
        const transaction = database.transaction("files", mode);
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error);
        work(transaction.objectStore("files"));
      } catch (error) {
        reject(error);
      }
      // Close after the transaction and open again for each use: an open connection would keep another page from deleting the database.
      database.close();
    };
  });
}
