// What a list of threads reads and does, over the browser's database or over a catalog of the application.

import { SessionDatabase } from "../store/indexeddb/database.js";
import { listName, type SessionCatalog, type SessionInfo } from "../store/sessions.js";
import { watchPage } from "../tabs/page-life.js";
import { GloveError, loadPart } from "../values/error.js";
import { isOver } from "./thread.js";

/** A session, and its place among the others: the highest comes first. */
export interface Listed extends SessionInfo {
  readonly order: number;
}

export interface ThreadSource {
  /** It stores a change as soon as that could be drawn: what is shown is stored then. */
  readonly near?: true;
  list(): Promise<readonly Listed[]>;
  /** Without it the whole list is read. */
  read?(ids: readonly string[]): Promise<readonly Listed[]>;
  rename(id: string, title: string): Promise<void>;
  archive(id: string, archived: boolean): Promise<void>;
  markUnread(id: string, unread: boolean): Promise<void>;
  /** What keeps deleted sessions until they are removed, also when the page goes. */
  readonly trash?: {
    put(id: string): Promise<void>;
    restore(id: string): Promise<void>;
    /** Removes what nobody has brought back in time. */
    purge(id: string): Promise<boolean>;
  };
  /** The sessions that some tab has open; nothing where that cannot be told. */
  open?(): Promise<ReadonlySet<string> | undefined>;
  subscribe(changed: (id?: string) => void): () => void;
}

export function sourceOf(catalog: SessionCatalog): ThreadSource {
  return catalog instanceof SessionDatabase ? databaseSource(catalog) : catalogSource(catalog);
}

function databaseSource(database: SessionDatabase): ThreadSource {
  const work = () => loadPart(import("../store/indexeddb/list.js"));
  return {
    near: true,
    list: async () => (await work()).readList(database),
    read: async (ids) => (await work()).readSome(database, ids),
    rename: (id, title) => database.rename(id, title),
    archive: async (id, archived) => (await work()).archive(database, id, archived),
    markUnread: async (id, unread) => (await work()).markUnread(database, id, unread),
    trash: {
      put: async (id) => (await work()).putInTrash(database, id),
      restore: async (id) => (await work()).restore(database, id),
      purge: async (id) => (await work()).remove(database, id, isOver),
    },
    async open() {
      const locks = globalThis.navigator?.locks as LockManager | undefined;
      if (!locks?.query || database.inMemory) return undefined;
      const { held = [] } = await locks.query();
      // Their locks are named after them (`SessionDatabase.shared`).
      const own = `glove [${JSON.stringify(database.name)},`;
      const names = held.map(({ name = "" }) => name).filter((name) => name.startsWith(own));
      return new Set(names.map((name) => String(JSON.parse(name.slice(own.length, -1)))));
    },
    subscribe(changed) {
      database.watchers.add(changed);
      let channel: BroadcastChannel | undefined;
      const listen = () => {
        if (channel || database.none || typeof BroadcastChannel !== "function") return;
        channel = new BroadcastChannel(listName(database.name));
        channel.onmessage = ({ data }) => typeof data?.id === "string" && changed(data.id);
      };
      const close = () => {
        channel?.close();
        channel = undefined;
      };
      listen();
      // A page that was put away has missed what happened meanwhile.
      const back = () => {
        listen();
        changed();
      };
      const unwatch = watchPage({ frozen: () => {}, hidden: close, back });
      return () => {
        unwatch();
        close();
        database.watchers.delete(changed);
      };
    },
  };
}

function catalogSource(catalog: SessionCatalog): ThreadSource {
  /** Where the catalog does not keep it. */
  const marked = new Set<string>();
  const listed = (infos: readonly SessionInfo[]) =>
    infos.map((info) => ({ ...info, ...(marked.has(info.id) && { unread: true }), order: info.updatedAt }));
  const { read } = catalog;
  return {
    list: async () => listed(await catalog.list()),
    ...(read && { read: async (ids) => listed(await read.call(catalog, ids)) }),
    rename: (id, title) => catalog.rename(id, title),
    archive: async (id, archived) => {
      if (!catalog.archive) throw new GloveError("CATALOG_UNSUPPORTED", unsupported);
      return catalog.archive(id, archived);
    },
    async markUnread(id, unread) {
      if (catalog.markUnread) await catalog.markUnread(id, unread);
      else if (unread) marked.add(id);
      else marked.delete(id);
    },
    subscribe(changed) {
      const undo = catalog.subscribe?.(changed);
      if (undo || typeof document === "undefined") return undo ?? (() => {});
      // Another tab or device may have changed something while nobody looked.
      const look = () => document.visibilityState === "visible" && changed();
      document.addEventListener("visibilitychange", look);
      return () => document.removeEventListener("visibilitychange", look);
    },
  };
}

const unsupported =
  "Threads cannot be archived, because the client's `catalog` has no `archive(id, archived)`; add it, or offer no archive.";
