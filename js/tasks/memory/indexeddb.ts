// A memory in the browser's database: entries, the words that they are found by, and their vectors.
import { check, checkOptions } from "../../src/values/validate-options.js";
import type { MemoryEntry, MemoryQuery, MemoryScope } from "../../src/wire/task-types.js";
import { askedWords, countsOf, type Occurrence, ranked } from "./bm25.js";
import { type EmbeddedMemoryOptions, embeddedOptions, hasTags, inOrder, lengthOf, nameOf, textOf } from "./in-memory.js";
import type { MemoryProvider } from "./provider.js";
import { type Embed, fused, nearest, usualVectors, vectorOf } from "./vectors.js";

const stores = ["entries", "words", "vectors", "channels"] as const;

interface EntryRow {
  readonly scope: string;
  readonly id: string;
  readonly entry: MemoryEntry;
  readonly words: readonly string[];
  readonly length: number;
  /** Only where it is pinned: what has no such key is not in the index of it. */
  readonly pinned?: 1;
}

interface WordRow extends Occurrence {
  readonly scope: string;
  readonly word: string;
}

interface VectorRow {
  readonly scope: string;
  readonly id: string;
  readonly vector: Float32Array;
}

interface ChannelRow {
  readonly scope: string;
  readonly entries: number;
  readonly words: number;
  /** The ids of the entries that have a vector, the newest last. */
  readonly vectors?: readonly string[];
}

/**
 * Remembers in this browser, for all tabs of its origin. A question reads what its words are in, and not the whole channel; with `embed`
 * it also reads the vectors of its newest entries (`mostVectors`).
 */
export class IndexedDBMemory implements MemoryProvider {
  readonly #name: string;
  readonly #embed: Embed | undefined;
  readonly #mostVectors: number;

  constructor(name = "glove-memory", options: EmbeddedMemoryOptions = {}) {
    this.#name = check("`name`", name, "text");
    checkOptions(check("The options", options, "object"), embeddedOptions);
    this.#embed = options.embed;
    this.#mostVectors = options.mostVectors ?? usualVectors;
  }

  async put(scope: MemoryScope, entry: MemoryEntry): Promise<void> {
    const vector = await vectorOf(this.#embed, textOf(entry));
    const counts = countsOf(entry);
    const [name, id, length] = [nameOf(scope), entry.id, lengthOf(counts)];
    await this.#within("readwrite", async (of) => {
      await remove(of, name, id);
      const words = [...counts.keys()];
      of("entries").put({ scope: name, id, entry, words, length, ...(entry.pinned && { pinned: 1 }) } satisfies EntryRow);
      for (const [word, count] of counts) of("words").put({ scope: name, word, id, count, length } satisfies WordRow);
      if (vector) await keepVector(of, { scope: name, id, vector }, this.#mostVectors);
      await count(of, name, 1, length);
    });
  }

  async query(scope: MemoryScope, { text, top_k, pinned, tags }: MemoryQuery): Promise<readonly MemoryEntry[]> {
    const name = nameOf(scope);
    const question = pinned ? undefined : await vectorOf(this.#embed, text);
    return this.#within("readonly", async (of) => {
      if (pinned) {
        const rows = await done<EntryRow[]>(of("entries").index("pinned").getAll([name, 1]));
        return inOrder(rows.map(({ entry }) => entry).filter((entry) => hasTags(entry, tags))).slice(0, top_k);
      }
      const channel = await done<ChannelRow | undefined>(of("channels").get(name));
      if (!channel) return [];
      const found = await Promise.all(askedWords(text).map((word) => done<WordRow[]>(of("words").getAll(below([name, word])))));
      const byWords = ranked(found, channel.entries, channel.words);
      const rows = question ? await done<VectorRow[]>(of("vectors").getAll(below([name]))) : [];
      const ids = question
        ? fused(
            byWords,
            nearest(
              question,
              rows.map(({ id, vector }) => [id, vector] as const),
            ),
          )
        : byWords;
      const best: MemoryEntry[] = [];
      // As many at once as are wanted: without tags those are all.
      for (let at = 0; at < ids.length && best.length < top_k; at += top_k) {
        const next = ids.slice(at, at + top_k).map((id) => done<EntryRow | undefined>(of("entries").get([name, id])));
        for (const row of await Promise.all(next)) if (row && hasTags(row.entry, tags)) best.push(row.entry);
      }
      return best.slice(0, top_k);
    });
  }

  async delete(scope: MemoryScope, id: string): Promise<boolean> {
    return this.#within("readwrite", (of) => remove(of, nameOf(scope), id));
  }

  /** All or nothing, and written before it is said to be. */
  async #within<T>(
    mode: IDBTransactionMode,
    work: (of: (store: (typeof stores)[number]) => IDBObjectStore) => Promise<T>,
  ): Promise<T> {
    const opened = await open(this.#name);
    try {
      const transaction = opened.transaction(stores, mode, { durability: "strict" });
      const written = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was aborted"));
      });
      written.catch(() => {});
      let result: T;
      try {
        result = await work((store) => transaction.objectStore(store));
      } catch (error) {
        try {
          transaction.abort();
        } catch {
          // It was aborted by what failed.
        }
        throw error;
      }
      await written;
      return result;
    } finally {
      opened.close();
    }
  }
}

type Stores = (store: (typeof stores)[number]) => IDBObjectStore;

/** Takes an entry away, with its words and its vector. */
async function remove(of: Stores, scope: string, id: string): Promise<boolean> {
  const row = await done<EntryRow | undefined>(of("entries").get([scope, id]));
  if (!row) return false;
  of("entries").delete([scope, id]);
  of("vectors").delete([scope, id]);
  for (const word of row.words) of("words").delete([scope, word, id]);
  await count(of, scope, -1, -row.length, id);
  return true;
}

/** Keeps a vector, and the newest beside it: what a question reads has a bound, however much is remembered. */
async function keepVector(of: Stores, row: VectorRow, most: number): Promise<void> {
  const { scope, id } = row;
  of("vectors").put(row);
  const channel = await done<ChannelRow | undefined>(of("channels").get(scope));
  const known =
    channel?.vectors ??
    (await done<[string, string][]>(of("vectors").getAllKeys(below([scope])) as IDBRequest)).map(([, id]) => id);
  const vectors = [...known.filter((other) => other !== id), id];
  for (const old of vectors.splice(0, Math.max(0, vectors.length - most))) of("vectors").delete([scope, old]);
  of("channels").put({ entries: 0, words: 0, ...channel, scope, vectors } satisfies ChannelRow);
}

async function count(of: Stores, scope: string, entries: number, words: number, gone?: string): Promise<void> {
  const row = await done<ChannelRow | undefined>(of("channels").get(scope));
  of("channels").put({
    ...row,
    ...(row?.vectors && { vectors: row.vectors.filter((id) => id !== gone) }),
    scope,
    entries: (row?.entries ?? 0) + entries,
    words: (row?.words ?? 0) + words,
  } satisfies ChannelRow);
}

/** All keys that begin with these. */
const below = (key: readonly string[]) => IDBKeyRange.bound([...key], [...key, []]);

function done<T>(request: IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as T);
    request.onerror = () => reject(request.error);
  });
}

function open(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const openRequest = indexedDB.open(name, 1);
    openRequest.onupgradeneeded = () => {
      const { result } = openRequest;
      const entries = result.createObjectStore("entries", { keyPath: ["scope", "id"] });
      entries.createIndex("pinned", ["scope", "pinned"]);
      result.createObjectStore("words", { keyPath: ["scope", "word", "id"] });
      result.createObjectStore("vectors", { keyPath: ["scope", "id"] });
      result.createObjectStore("channels", { keyPath: "scope" });
    };
    openRequest.onsuccess = () => resolve(openRequest.result);
    openRequest.onerror = () => reject(openRequest.error);
    openRequest.onblocked = () => reject(new Error("another tab keeps the database closed"));
  });
}
