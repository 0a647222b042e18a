// Room for what is stored of a session where the storage is full: what the search keeps can be made again, and gives way.

import type { Durability } from "../../ports/store.js";
import type { GloveError } from "../../values/error.js";
import type { Transaction } from "../indexeddb/connection.js";
import type { StoreName } from "../indexeddb/schema.js";

interface Database {
  run<T>(
    names: readonly StoreName[],
    access: Durability | "readonly",
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T>;
}

/** Does some work in a transaction, and once more behind what makes room for it. */
export async function runWithRoom<T>(database: Database, ...work: Parameters<typeof database.run<T>>): Promise<T> {
  try {
    return await database.run(...work);
  } catch (error) {
    if ((error as GloveError).code !== "STORE_QUOTA") throw error;
    // Also where nothing is found: another write may just have made room.
    await makeRoom(database).catch(() => {});
    return database.run(...work);
  }
}

async function makeRoom(database: Database): Promise<void> {
  const found = await database.run(["extras"], "relaxed", async ({ ask, store }) => {
    const keys = (await ask(store("extras").getAllKeys())).filter((key) => Array.isArray(key) && key[1] === "search");
    for (const key of keys) store("extras").delete(key);
    return keys.length > 0;
  });
  // Behind it: a transaction that writes has no room either.
  if (found) await database.run(["extras"], "relaxed", ({ ask, store }) => ask(store("extras").put(Date.now(), ["", "full"])));
}
