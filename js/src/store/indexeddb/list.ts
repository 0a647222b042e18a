// The list of the sessions in a database, and what is done with one of them as a whole; loaded when somebody asks for it.
import type { TokenCount } from "../../ports/store.js";
import { loadPart } from "../../values/error.js";
import { isInside, localCopyKey } from "../../values/ids.js";
import { check } from "../../values/validate-options.js";
import { dropLocalCopies } from "../local/local-copy.js";
import { type SessionInfo, unknownSession } from "../sessions.js";
import { addTokens } from "../step.js";
import type { Watched } from "./change-channel.js";
import type { Connection } from "./connection.js";
import { allOf, isRow, orderOf, type SessionRow, stores } from "./schema.js";

/** A session of the list, and when it changed last: later than all that changed before it, whatever the clock says. */
export interface ListedSession extends SessionInfo {
  readonly order: number;
}

/** What is needed of a database. */
export interface ListedDatabase extends Pick<Connection, "run">, Watched {
  shared(id: string): Promise<string | undefined>;
  written(id: string): Promise<unknown>;
}

/** What uses the database; it keeps what other tabs were told, so there is one. */
const used = () => loadPart(import("./session-row-store.js"));

/** All that are listed, the latest first, and those that are deleted and can be brought back. */
export async function readList(database: ListedDatabase): Promise<readonly ListedSession[]> {
  const [ids, rows] = await database.run(["sessions"], "readonly", ({ ask, store }) =>
    Promise.all([ask(store("sessions").getAllKeys()), ask<unknown[]>(store("sessions").getAll())]),
  );
  const whole = rows.filter(isRow).filter(({ id, count }) => count > 0 && !isInside(id));
  whole.sort((a, b) => orderOf(b) - orderOf(a) || b.created - a.created);
  const damaged = ids.filter((_, at) => !isRow(rows[at])).map((id) => damagedInfo(String(id)));
  return [...whole.map(infoOf), ...damaged];
}

/** Some of them; those that are not listed are left out. */
export async function readSome(database: ListedDatabase, ids: readonly string[]): Promise<readonly ListedSession[]> {
  const rows = await database.run(["sessions"], "readonly", ({ ask, store }) =>
    Promise.all(ids.map((id) => ask<unknown>(store("sessions").get(id)))),
  );
  return rows.flatMap((row, at) => {
    if (isInside(ids[at] ?? "")) return [];
    if (isRow(row)) return row.count > 0 ? [infoOf(row)] : [];
    return row === undefined ? [] : [damagedInfo(ids[at] ?? "")];
  });
}

export async function list(database: ListedDatabase): Promise<readonly SessionInfo[]> {
  return (await readList(database)).filter(({ deletedAt }) => deletedAt === undefined).map(({ order: _, ...info }) => info);
}

export async function rename(database: ListedDatabase, id: string, title: string): Promise<void> {
  await change(database, id, ({ title: _, asked, ...row }) => ({
    ...row,
    ...(title && { title }),
    ...(asked !== undefined && { asked: false }),
  }));
}

/** Whether a model is to be asked for its title: true once, of what nobody has named. */
export async function claimTitle(database: ListedDatabase, id: string): Promise<boolean> {
  return database.run(["sessions"], "relaxed", async ({ ask, store }) => {
    const row = await ask<unknown>(store("sessions").get(id));
    if (!isRow(row) || row.title !== undefined || row.asked !== undefined || row.deleted !== undefined) return false;
    store("sessions").put({ ...row, asked: true }, id);
    return true;
  });
}

/** What the model said, if anything, unless a person has named it meanwhile; and what asking took. */
export async function giveTitle(
  database: ListedDatabase,
  id: string,
  title: string | undefined,
  usage: TokenCount | undefined,
): Promise<void> {
  const { runWithRoom, tellChanged } = await used();
  await runWithRoom(database, ["sessions"], "relaxed", async ({ ask, store }) => {
    const row = await ask<unknown>(store("sessions").get(id));
    // It was removed meanwhile.
    if (!isRow(row)) return;
    const named = title && row.asked && row.title === undefined && { title };
    store("sessions").put({ ...row, ...named, ...(usage && { tokens: addTokens(row.tokens, usage) }) }, id);
  });
  tellChanged(database, id);
}

/** Puts it away, or back to the others. */
export async function archive(database: ListedDatabase, id: string, archived: boolean): Promise<void> {
  await change(database, id, ({ archived: _, ...row }) => (archived ? { ...row, archived } : row));
}

export async function markUnread(database: ListedDatabase, id: string, unread: boolean): Promise<void> {
  await change(database, id, ({ unread: _, ...row }) => (unread ? { ...row, unread } : row));
}

/** Lists it no more; `restore` brings it back, until somebody removes what is there. */
export async function putInTrash(database: ListedDatabase, id: string): Promise<void> {
  await change(database, id, (row) => ({ ...row, deleted: Date.now() }));
}

export async function restore(database: ListedDatabase, id: string): Promise<void> {
  await change(database, id, ({ deleted: _, ...row }) => row);
}

async function change(database: ListedDatabase, id: string, changed: (row: SessionRow) => SessionRow): Promise<void> {
  const { runWithRoom, tellChanged } = await used();
  await runWithRoom(database, ["sessions"], "relaxed", async ({ ask, store }) => {
    const row = await ask<unknown>(store("sessions").get(id));
    // Not awaited: the transaction completes with this write.
    store("sessions").put(changed(isRow(row) ? row : unknownSession(id)), id);
  });
  tellChanged(database, id);
}

/** Nothing of it is kept. With `isOver` only where the time says so since which it is deleted: somebody may have brought it back. */
export async function remove(
  database: ListedDatabase,
  id: string,
  isOver: (deleted: number | undefined) => boolean = () => true,
): Promise<boolean> {
  check("`id`", id, "text");
  const { forgetStored, runWithRoom, tellChanged, tellDeleted } = await used();
  // What is on its way here would bring it back.
  await database.written(id);
  const all = await database.run(["sessions"], "readonly", ({ ask, store }) => ask(store("sessions").getAllKeys()));
  const removed = await runWithRoom(database, stores, "relaxed", async ({ ask, store }) => {
    const row = await ask<Partial<SessionRow> | undefined>(store("sessions").get(id));
    if (!isOver(row?.deleted)) return false;
    const keysOf = (name: (typeof stores)[number]) => (name === "sessions" || name === "checkpoints" ? id : allOf(id));
    await Promise.all(stores.map((name) => ask(store(name).delete(keysOf(name)))));
    return true;
  });
  if (!removed) return false;
  await forgetStored(database.name, id);
  await dropLocalCopies(localCopyKey(database.name, id));
  const shared = await database.shared(id);
  if (shared) tellDeleted(shared);
  tellChanged(database, id);
  // The sessions of its agents go with it.
  for (const key of all) if (isInside(String(key), id)) await remove(database, String(key));
  return true;
}

/** What cannot be read is listed too, so that it can be exported or deleted, and hides no other session. */
function damagedInfo(id: string): ListedSession {
  return { id, title: "", createdAt: 0, updatedAt: 0, messageCount: 0, unfinished: false, damaged: true, order: 0 };
}

function infoOf(row: SessionRow): ListedSession {
  const { id, title, first, created, updated, count, unfinished, archived, unread, deleted, phase, asks, queued } = row;
  return {
    id,
    title: title ?? first ?? "",
    createdAt: created,
    updatedAt: updated,
    messageCount: count,
    unfinished,
    ...(archived && { archived }),
    ...(unread && { unread }),
    ...(deleted !== undefined && { deletedAt: deleted }),
    ...(phase && { phase }),
    ...(asks && { asks }),
    ...(queued && { queued }),
    order: orderOf(row),
  };
}
