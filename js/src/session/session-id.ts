// Where a page remembers the session it was on.

/** Where the id is kept when `persistSession` is true. */
export const DEFAULT_SESSION_STORAGE_KEY = "glove:session";

/** Whether a page remembers its session: with `true` in `localStorage`, or under a key and in a storage of the application. */
export type PersistSessionSetting = boolean | string | { readonly key?: string; readonly storage?: SessionStorage };

/** What is needed of a storage; `localStorage` and `sessionStorage` have it. */
export interface SessionStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The remembered id; none where nothing is remembered or the storage is not allowed. Each database has its own. */
export function readSessionId(setting: PersistSessionSetting | undefined, database?: string): string | undefined {
  return inStorage(setting, database, (storage, key) => storage.getItem(key) ?? undefined);
}

/** Remembers an id; false where that is not wanted or not allowed. */
export function rememberSessionId(setting: PersistSessionSetting | undefined, id: string, database?: string): boolean {
  const kept = inStorage(setting, database, (storage, key) => {
    // Writing costs a slow page more than reading does.
    if (storage.getItem(key) !== id) storage.setItem(key, id);
    return true;
  });
  return kept ?? false;
}

function inStorage<T>(
  setting: PersistSessionSetting | undefined,
  database: string | undefined,
  use: (storage: SessionStorage, key: string) => T,
): T | undefined {
  if (!setting) return undefined;
  const ofDatabase = database ? `:${database}` : "";
  const { key = DEFAULT_SESSION_STORAGE_KEY + ofDatabase, storage } =
    typeof setting === "object" ? setting : typeof setting === "string" ? { key: setting, storage: undefined } : {};
  try {
    // Private windows and sandboxed frames throw at the mere access.
    const where = storage ?? globalThis.localStorage;
    return where ? use(where, key) : undefined;
  } catch {
    return undefined;
  }
}
