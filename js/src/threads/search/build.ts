// Reads the sessions that have changed into the index: a little at a time, when the page has nothing else to do, in one tab.

import type { Transaction } from "../../store/indexeddb/connection.js";
import type { SessionDatabase } from "../../store/indexeddb/database.js";
import { allOf, isRow, type MessagesRow, orderOf, type SessionRow } from "../../store/indexeddb/schema.js";
import { isInside } from "../../values/ids.js";
import {
  addTo,
  cutToSize,
  fullKey,
  type Head,
  headKey,
  isHead,
  linesKey,
  linesOf,
  type MutableLines,
  messagesOf,
  most,
  sizeOf,
} from "./words-of.js";

/** So many rows of messages are read at once; a step has written each of them. */
const rowsAtOnce = 16;
/** Somebody waits for what is found: a page that always has something to do reads on all the same. */
const longestWait = 300;
/** Where it has given way to messages, it is made again after so long. */
const fullMs = 86_400_000;

export interface Reading {
  readonly signal: AbortSignal;
  /** Told after each session that was read. */
  progress(): void;
}

/** The sessions of the list, the one that changed last first. */
export async function listedSessions(database: SessionDatabase): Promise<readonly SessionRow[]> {
  const rows = await database.run(["sessions"], "readonly", ({ ask, store }) => ask<unknown[]>(store("sessions").getAll()));
  return rows
    .filter(isRow)
    .filter(isListed)
    .sort((a, b) => orderOf(b) - orderOf(a));
}

const isListed = ({ id, count, deleted }: SessionRow) => count > 0 && deleted === undefined && !isInside(id);

/** Brings the index up to date. False where there is more than it holds: then it has the sessions that changed last. */
export async function bringUpToDate(database: SessionDatabase, reading: Reading): Promise<boolean> {
  const { signal } = reading;
  let left = most.all;
  let all = true;
  for (const { id, count } of await listedSessions(database)) {
    const [head, full] = await database.run(["extras"], "readonly", ({ ask, store }) =>
      Promise.all([headKey(id), fullKey].map((key) => ask<unknown>(store("extras").get(key)))),
    );
    if (signal.aborted) return all;
    if (typeof full === "number" && Math.abs(Date.now() - full) < fullMs) return false;
    const known = isHead(head) ? head : undefined;
    if (left <= 0) {
      all = false;
      if (known) await forget(database, id);
    } else if (known?.count === count) left -= known.size;
    else {
      await idle();
      if (signal.aborted) return all;
      left -= await readSession(database, id, known, signal);
      reading.progress();
    }
  }
  return all;
}

async function forget(database: SessionDatabase, id: string): Promise<void> {
  await database.run(["extras"], "relaxed", async ({ store }) => {
    store("extras").delete(headKey(id));
    store("extras").delete(linesKey(id));
  });
}

/** Reads what is new in a session. Gives how much is kept of it. */
async function readSession(database: SessionDatabase, id: string, known: Head | undefined, signal: AbortSignal): Promise<number> {
  let lines: MutableLines = { text: [], ids: [], rows: [] };
  let next = 0;
  let count = 0;
  let created: number | undefined;
  if (known) {
    const kept = await database.run(["extras"], "readonly", ({ ask, store }) =>
      ask<MutableLines | undefined>(store("extras").get(linesKey(id))),
    );
    if (kept) [lines, next] = [kept, known.next];
  }
  for (let more = true; more; ) {
    const found = await database.run(["sessions", "messages"], "readonly", (transaction) => rowsFrom(transaction, id, next));
    if (!found.session || (created ?? found.session.created) !== found.session.created) return 0;
    ({ count, created } = found.session);
    for (const [key, row] of found.rows) {
      addTo(lines, linesOf(messagesOf(row?.text), key));
      next = key + 1;
    }
    cutToSize(lines);
    more = found.rows.length >= rowsAtOnce;
    if (more) await idle();
    if (signal.aborted) return 0;
  }
  const size = sizeOf(lines);
  const head: Head = { v: 1, count, next, size };
  return database.run(["sessions", "extras"], "relaxed", async ({ ask, store }) => {
    // Nothing is kept of what was deleted meanwhile, also where another has its id now.
    const row = await ask<unknown>(store("sessions").get(id));
    if (!isRow(row) || !isListed(row) || row.created !== created) return 0;
    store("extras").put(head, headKey(id));
    store("extras").put(lines, linesKey(id));
    return size;
  });
}

async function rowsFrom({ ask, store }: Transaction, id: string, first: number) {
  const range = globalThis.IDBKeyRange?.bound([id, first], [id, []]) ?? allOf(id);
  const [session, keys, rows] = await Promise.all([
    ask<unknown>(store("sessions").get(id)),
    ask(store("messages").getAllKeys(range, rowsAtOnce)),
    ask<MessagesRow[]>(store("messages").getAll(range, rowsAtOnce)),
  ]);
  const found = keys.map((key, at) => [(key as [string, number])[1], rows[at] as MessagesRow] as const);
  // What stands in for a database gives all of them.
  return { session: isRow(session) ? session : undefined, rows: found.filter(([key]) => key >= first) };
}

const idle = () =>
  new Promise<void>((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve(), { timeout: longestWait });
    else setTimeout(resolve, 0);
  });
