// Which sessions were stored, kept in other places than they are: a browser that finds its database damaged throws it away.

const keyOf = (database: string, session: string) => `glove:stored:${JSON.stringify([database, session])}`;

/** Nothing is remembered where that is not allowed. */
function inStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(globalThis.localStorage);
  } catch {
    return undefined;
  }
}

const lateMs = 1_000;

/** Changes to files, one after the other. */
let changing: Promise<unknown> = Promise.resolve();

/**
 * A file of this name as well, which is on the disk at once: Chromium keeps what is in `localStorage` from it for some seconds. Gives
 * whether that worked.
 */
function inFiles(key: string, use: (folder: FileSystemDirectoryHandle, name: string) => Promise<unknown>): Promise<boolean> {
  const used = changing
    .then(() => navigator.storage.getDirectory())
    .then((folder) => use(folder, encodeURIComponent(key)))
    .then(
      () => true,
      () => false,
    );
  // Nobody waits for a browser that does not answer.
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, lateMs, false));
  const inTime = Promise.race([used, late]);
  changing = inTime;
  return inTime;
}

export async function rememberStored(database: string, session: string): Promise<void> {
  const key = keyOf(database, session);
  inStorage((storage) => storage.setItem(key, "1"));
  await inFiles(key, (folder, name) => folder.getFileHandle(name, { create: true }));
}

export async function forgetStored(database: string, session: string): Promise<void> {
  const key = keyOf(database, session);
  inStorage((storage) => storage.removeItem(key));
  await inFiles(key, (folder, name) => folder.removeEntry(name));
}

export async function wasStored(database: string, session: string): Promise<boolean> {
  const key = keyOf(database, session);
  return (
    (inStorage((storage) => storage.getItem(key)) ?? null) !== null || inFiles(key, (folder, name) => folder.getFileHandle(name))
  );
}
