// The texts of all threads of a client: read into the index while somebody searches, and searched.
import type { GloveClient } from "../../session/client.js";
import type { SessionDatabase } from "../../store/indexeddb/database.js";
import type { SessionCatalog } from "../../store/sessions.js";
import { bringUpToDate } from "./build.js";
import { type Found, find } from "./find.js";

/** What has changed is read after a pause: an answer that is being written changes its thread with every step. */
const pauseMs = 1_000;

export interface TextsState {
  /** The index is being brought up to date. */
  readonly reading: boolean;
  /** Nothing was left out because there is too much. */
  readonly all: boolean;
}

export class ThreadTexts {
  readonly #database: SessionDatabase | undefined;
  readonly #catalog: SessionCatalog | undefined;
  #state: TextsState = { reading: false, all: true };
  readonly #listeners = new Set<() => void>();
  #over: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #again = false;

  constructor(client: GloveClient) {
    const catalog = catalogOf(client);
    // Not by its class, which pages have in another file.
    this.#database = catalog && "watchers" in catalog ? (catalog as unknown as SessionDatabase) : undefined;
    this.#catalog = this.#database ? undefined : catalog;
  }

  readonly getSnapshot = (): TextsState => this.#state;

  /** The index is kept up to date as long as somebody listens. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) void this.#read();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#over?.abort();
    };
  };

  /** Some thread has changed. */
  refresh(): void {
    if (this.#listeners.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#read();
    }, pauseMs);
  }

  /** Nothing when it is no longer asked for. */
  async find(text: string, signal: AbortSignal): Promise<Found | undefined> {
    if (this.#database) return find(this.#database, text, signal);
    const hits = (await this.#catalog?.search?.(text)) ?? [];
    if (signal.aborted) return undefined;
    return { hits, total: hits.length };
  }

  async #read(): Promise<void> {
    const database = this.#database;
    if (!database) return;
    if (this.#over) {
      this.#again = true;
      return;
    }
    const over = new AbortController();
    const { signal } = over;
    this.#over = over;
    this.#again = false;
    this.#set({ reading: true });
    const work = async () => {
      const all = await bringUpToDate(database, { signal, progress: () => this.#set({}) });
      if (!signal.aborted) this.#set({ all });
    };
    try {
      const locks = database.inMemory ? undefined : (globalThis.navigator?.locks as LockManager | undefined);
      // Another tab may be at it: then little is left to do.
      await (locks?.request ? locks.request(`glove search ${database.name}`, { signal }, work) : work());
    } catch {
      // What is indexed by now can be searched, and the rest is tried again with the next change.
      if (!signal.aborted) this.#set({ all: false });
    } finally {
      this.#over = undefined;
      this.#set({ reading: false });
      if (this.#again && this.#listeners.size > 0) this.refresh();
    }
  }

  #set(change: Partial<TextsState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of [...this.#listeners]) listener();
  }
}

/** None where sessions cannot be listed. */
function catalogOf(client: GloveClient): SessionCatalog | undefined {
  try {
    return client.catalog;
  } catch {
    return undefined;
  }
}

const texts = new WeakMap<GloveClient, ThreadTexts>();

/** One for each client of a page. */
export function textsOf(client: GloveClient): ThreadTexts {
  const known = texts.get(client) ?? new ThreadTexts(client);
  texts.set(client, known);
  return known;
}
