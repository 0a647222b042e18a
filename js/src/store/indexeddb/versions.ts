// What becomes of a database of an older version, of a page that holds one open, and of a page that is older than its database.
import { stores } from "./schema.js";

export type Migration = (database: IDBDatabase, transaction: IDBTransaction) => void;

/** The first makes version 1 of nothing. One that was released is never changed: a new one is added behind it. */
export const migrations: readonly Migration[] = [
  (database) => {
    for (const name of stores) database.createObjectStore(name);
  },
];

/** Brings a database from a version to the newest, in the transaction of its opening: wholly or not at all. */
export function migrate(database: IDBDatabase, transaction: IDBTransaction, from: number, steps = migrations): void {
  for (const step of steps.slice(from)) step(database, transaction);
}

/** How long another page may hold an older version open, and what is said then. */
export const blockedMs = 3_000;
export const blocked =
  "Another tab has an older version of the database open; close or reload that tab, and this page continues.";

/** The longest that a newer version waits for this one to finish its writes; less than it waits before it says so. */
const givingWayMs = 2_800;

/** Closes a database that is deleted, or that a newer version wants: that one when what `newer` gives has settled. */
export function giveWay(newVersion: number | null, newer: () => Promise<void>, close: () => void): void {
  const longest = () => new Promise<void>((resolve) => setTimeout(resolve, givingWayMs));
  if (newVersion === null) close();
  else void Promise.race([newer(), longest()]).finally(close);
}

/** A newer version of the application has opened the database. */
export function isNewer(error: unknown): boolean {
  return error instanceof Error && error.name === "VersionError";
}
