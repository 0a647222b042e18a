// Messages that are sent before what uses the database has come: until it has, they stand in `localStorage`, which is there at once.
import type { SentRequest, StoreAdapter } from "../ports/store.js";

/** Only a store of the browser's database has a key for it. Nothing where storage is forbidden, or full. */
export function inStorage<T>(store: StoreAdapter, use: (storage: Storage, key: string) => T): T | undefined {
  const { asideKey } = store as { readonly asideKey?: string };
  try {
    return asideKey === undefined ? undefined : use(globalThis.localStorage, asideKey);
  } catch {
    return undefined;
  }
}

/** Whether it had to, and could. */
export const keepAside = (store: StoreAdapter, message: SentRequest): boolean =>
  !(store as { readonly canWrite?: boolean }).canWrite &&
  !!inStorage(store, (storage, key) => {
    storage.setItem(key + message.id, JSON.stringify(message));
    return true;
  });

export const dropAside = (store: StoreAdapter, id: string): void =>
  inStorage(store, (storage, key) => storage.removeItem(key + id));
