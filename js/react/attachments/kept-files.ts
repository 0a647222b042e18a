// The files of a draft are kept in IndexedDB until it is sent: a reload brings them back, as it does the draft's text.
import { filesKey, keepText, keptText } from "../parts/kept-text.js";
import type { Prepared } from "./prepare.js";

interface Draft {
  readonly at: number;
  readonly files: readonly Prepared[];
}

/** A tab that was closed and is opened again finds its files for so long, and this many drafts are kept at most. */
const keptMs = 3 * 24 * 60 * 60 * 1000;
const mostDrafts = 10;

/** One write after the other, so that the last one stays. */
let writing: Promise<unknown> = Promise.resolve();

/** What is attached to a draft: see `tray.ts`. */
interface Files {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getItems: () => readonly { readonly prepared?: Prepared }[];
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
  const id = keptText(mark) ?? crypto.randomUUID();
  // Files without a mark are never found, and marks without files are no harm.
  keepText(mark, files.length > 0 ? id : "");
  const write = (store: IDBObjectStore) => {
    if (files.length > 0) store.put({ at: Date.now(), files } satisfies Draft, id);
    else store.delete(id);
    sweep(store);
  };
  writing = writing.then(() => inStore("readwrite", write)).catch(() => {});
}

/** What was kept for a draft of this tab. */
export async function keptFiles(session: string): Promise<readonly Prepared[]> {
  const id = keptText(filesKey(session));
  if (!id) return [];
  await writing;
  let draft: Draft | undefined;
  try {
    await inStore("readonly", (store) => {
      store.get(id).onsuccess = ({ target }) => {
        draft = (target as IDBRequest<Draft | undefined>).result;
      };
    });
  } catch {}
  return draft?.files ?? [];
}

/** Takes out what is old, and the oldest of too many. */
function sweep(store: IDBObjectStore): void {
  const drafts: { readonly key: IDBValidKey; readonly at: number }[] = [];
  store.index("at").openKeyCursor().onsuccess = ({ target }) => {
    const cursor = (target as IDBRequest<IDBCursor | null>).result;
    if (cursor) {
      drafts.push({ key: cursor.primaryKey, at: cursor.key as number });
      cursor.continue();
      return;
    }
    const spare = drafts.length - mostDrafts;
    drafts.forEach(({ key, at }, index) => {
      if (index < spare || at < Date.now() - keptMs) store.delete(key);
    });
  };
}

function inStore(mode: IDBTransactionMode, work: (store: IDBObjectStore) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("glove-wasm-drafts", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("files").createIndex("at", "at");
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const database = request.result;
      // Each use opens it anew: a page that is left keeps nobody from deleting it.
      const end = (then: () => void) => {
        database.close();
        then();
      };
      try {
        const transaction = database.transaction("files", mode);
        transaction.oncomplete = () => end(resolve);
        transaction.onabort = () => end(() => reject(transaction.error));
        work(transaction.objectStore("files"));
      } catch (error) {
        end(() => reject(error));
      }
    };
  });
}
