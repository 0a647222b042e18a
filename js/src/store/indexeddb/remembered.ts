// Which sessions were stored, kept in another place than they are: a browser that finds its database damaged throws it away.

/** Nothing is remembered where that is not allowed. */
function inStorage<T>(database: string, session: string, use: (storage: Storage, key: string) => T): T | undefined {
  try {
    return use(globalThis.localStorage, `glove:stored:${JSON.stringify([database, session])}`);
  } catch {
    return undefined;
  }
}

export function rememberStored(database: string, session: string): void {
  inStorage(database, session, (storage, key) => storage.setItem(key, "1"));
}

export function forgetStored(database: string, session: string): void {
  inStorage(database, session, (storage, key) => storage.removeItem(key));
}

export function wasStored(database: string, session: string): boolean {
  return inStorage(database, session, (storage, key) => storage.getItem(key) !== null) ?? false;
}
