// The list of sessions, and the one of sessions in memory.
import { GloveError } from "../error.js";
import { generateSessionId } from "../session-id.js";
import { MemoryStore } from "./memory.js";
import { titleOf } from "./step.js";
import { readTranscript, writeTranscript } from "./transcript.js";

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
    const { title, createdAt, updatedAt, seq } = store.about;
    const { messages, records, checkpoint } = await store.readRun();
    const turns = await store.getTurnCount();
    const tokens = await store.getTokenConsumption();
    return writeTranscript(
      { id, ...(title !== undefined && { title }), createdAt, updatedAt, turns, tokens, seq },
      {
        messages: JSON.stringify(messages),
        records: JSON.stringify(records),
        checkpoint: checkpoint && JSON.stringify(checkpoint),
        tasks: JSON.stringify(await store.getTasks()),
        inbox: JSON.stringify(await store.getInboxItems()),
      },
    );
  }

  async import(json: string, { id, withRun }: ImportOptions = {}): Promise<string> {
    const { about, messages, tasks, inbox, texts } = readTranscript(json);
    const taken = freeId(about.id, id, this.#stores.has(id ?? about.id));
    const store = new MemoryStore(taken);
    if (withRun && texts.checkpoint !== undefined) {
      const records = JSON.parse(texts.records) as { seq?: number }[];
      const before = records[0]?.seq === undefined ? about.seq : records[0].seq - 1;
      const checkpoint = JSON.parse(texts.checkpoint) as string;
      await store.appendStep({ firstMessage: 0, messages, records: [], checkpoint, seq: before });
      await store.appendStep({ firstMessage: messages.length, messages: [], records, seq: about.seq });
    } else await store.appendMessages([...messages]);
    store.restoreCounters(about.tokens, about.turns);
    await store.addTasks(tasks);
    for (const item of inbox) await store.addInboxItem(item);
    Object.assign(store.about, { title: about.title, createdAt: about.createdAt, updatedAt: about.updatedAt });
    this.#stores.set(taken, store);
    return taken;
  }

  clear(): void {
    this.#stores.clear();
  }

  #known(id: string): MemoryStore {
    return this.#stores.get(id) ?? unknownSession(id);
  }
}

/** The id for an imported session. */
export function freeId(own: string, wanted: string | undefined, taken: boolean): string {
  if (!taken) return wanted ?? own;
  if (wanted === undefined) return generateSessionId();
  throw new GloveError("SESSION_EXISTS", `There is a session "${wanted}" already; delete it first, or import under another id.`);
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
