// Room for what is stored of a session where the storage is full: what the search keeps can be made again, and gives way.

import type { Durability } from "../../ports/store.js";
import type { GloveError } from "../../values/error.js";
import type { Transaction } from "../indexeddb/connection.js";
import type { StoreName } from "../indexeddb/schema.js";

const mark = ["", "full"];

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
    if (!(await makeRoom(database).catch(() => false))) throw error;
    return database.run(...work);
  }
}

/** Another write, also one of another tab, has just made room for this one too. */
const justNow = 5_000;

/** Whether there is more room now. */
async function makeRoom(database: Database): Promise<boolean> {
  const { keys, madeAt } = await database.run(["extras"], "relaxed", async ({ ask, store }) => {
    const keys = (await ask(store("extras").getAllKeys())).filter((key) => Array.isArray(key) && key[1] === "search");
    for (const key of keys) store("extras").delete(key);
    return { keys, madeAt: await ask<unknown>(store("extras").get(mark)) };
  });
  if (!keys.length) return typeof madeAt === "number" && Math.abs(Date.now() - madeAt) < justNow;
  // Behind it: a transaction that writes has no room either.
  await database.run(["extras"], "relaxed", ({ ask, store }) => ask(store("extras").put(Date.now(), mark))).catch(() => {});
  return true;
}
