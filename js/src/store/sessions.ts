// The list of sessions, and the one of sessions in memory.
import { GloveError } from "../error.js";
import { MemoryStore } from "./memory.js";
import { titleOf } from "./step.js";

/** A line of the list of sessions. */
export interface SessionInfo {
  readonly id: string;
  /** What a person named it, else what a person wrote first; empty when neither is there. */
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messageCount: number;
  /** A run would go on when it is opened, or waits for a person. */
  readonly unfinished: boolean;
}

/** How a session is imported. */
export interface ImportOptions {
  /** The id to import it under; its own, or a fresh one when that is taken. */
  readonly id?: string;
  /** Takes its unfinished run over too: tools may run when it is opened, so import only what you trust. */
  readonly withRun?: boolean;
}

/** What keeps several sessions and can tell which. */
export interface SessionCatalog {
  /** The one that changed last comes first. Sessions without a message are not listed. */
  list(): Promise<readonly SessionInfo[]>;
  /** An empty title brings the first message back. */
  rename(id: string, title: string): Promise<void>;
  /** Nothing of it is kept. */
  delete(id: string): Promise<void>;
  export(id: string): Promise<string>;
  /** Gives the id that it has here. */
  import(json: string, options?: ImportOptions): Promise<string>;
}

/** Sessions in memory, gone with the page. */
export class MemorySessions implements SessionCatalog {
  readonly #stores = new Map<string, MemoryStore>();

  /** The store of a session; the same each time. */
  store(id: string): MemoryStore {
    const store = this.#stores.get(id) ?? new MemoryStore(id);
    this.#stores.set(id, store);
    return store;
  }

  async list(): Promise<readonly SessionInfo[]> {
    const all = await Promise.all([...this.#stores.values()].map(infoOf));
    return all.filter(({ messageCount }) => messageCount > 0).sort(latestFirst);
  }

  async rename(id: string, title: string): Promise<void> {
    this.#known(id).about.title = title || undefined;
  }

  async delete(id: string): Promise<void> {
    this.#stores.delete(id);
  }

  async export(id: string): Promise<string> {
    const store = this.#known(id);
    return (await import("./transfer.js")).exported(store);
  }

  async import(json: string, options: ImportOptions = {}): Promise<string> {
    const { imported } = await import("./transfer.js");
    const store = await imported(json, options, (id) => this.#stores.has(id));
    this.#stores.set(store.identifier, store);
    return store.identifier;
  }

  clear(): void {
    this.#stores.clear();
  }

  #known(id: string): MemoryStore {
    return this.#stores.get(id) ?? unknownSession(id);
  }
}

export function unknownSession(id: string): never {
  throw new GloveError("SESSION_UNKNOWN", `There is no stored session "${id}"; sessions() lists those that are.`);
}

export function latestFirst(a: SessionInfo, b: SessionInfo): number {
  return b.updatedAt - a.updatedAt || b.createdAt - a.createdAt;
}

async function infoOf(store: MemoryStore): Promise<SessionInfo> {
  const messages = await store.getMessages();
  const { title, createdAt, updatedAt, unfinished } = store.about;
  return {
    id: store.identifier,
    title: title ?? titleOf(messages) ?? "",
    createdAt,
    updatedAt,
    messageCount: messages.length,
    unfinished,
  };
}
