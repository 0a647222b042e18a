// A damaged session in the browser's database, row by row.

import type { Salvage, SessionDamage } from "../../ports/store.js";
import { elementsOf } from "../json-text.js";
import type { Connection } from "./connection.js";
import { type Media, putBack, type StoredText } from "./media.js";
import { isText, read, readRows } from "./read.js";
import { allOf, isRow, type MessagesRow } from "./schema.js";

/** A number that is wrong is not to make a list that long. */
const maxMissing = 10_000;

export async function salvageRows(database: Pick<Connection, "run">, id: string): Promise<Salvage> {
  const { rows, keys } = await database.run(read, "readonly", async (transaction) => {
    const rows = await readRows(transaction, id);
    return { rows, keys: await transaction.ask(transaction.store("messages").getAllKeys(allOf(id))) };
  });
  const { session, messages, records, checkpoint, media } = rows;
  const texts: string[] = [];
  const damage: SessionDamage[] = [];
  if ((session !== undefined || messages.length > 0) && !isRow(session)) {
    damage.push({ place: "session", reason: "not a row of a session", stored: JSON.stringify(session) ?? "" });
  }
  const textOf = async (place: string, stored: StoredText | undefined): Promise<string | undefined> => {
    if (!isText(stored)) {
      damage.push({ place, reason: "not a text" });
      return undefined;
    }
    return putBack(stored, media).catch((error: Error) => {
      damage.push({ place, reason: error.message });
      return without(stored, media);
    });
  };
  const missing = (upTo: unknown) => {
    if (!Number.isSafeInteger(upTo)) return;
    const length = Math.min(upTo as number, texts.length + maxMissing);
    while (texts.length < length) texts.push("");
  };
  for (const [at, row] of (messages as (MessagesRow | null | undefined)[]).entries()) {
    const [, first] = keys[at] as [string, number];
    missing(first);
    const stored = row?.text;
    // The core says why it is no message.
    const text = isText(stored) ? await textOf(`messages[${first}]`, stored) : undefined;
    texts.push(...(text === undefined ? [JSON.stringify(row)] : elementsOf(text)));
    missing(first + Number(row?.count));
  }
  missing(session?.count);
  const run = await Promise.all([
    ...records.map((record, at) => textOf(`records[${at}]`, record)),
    checkpoint === undefined ? undefined : textOf("checkpoint", checkpoint),
  ]);
  const state = run.pop();
  for (const [at, text] of run.entries()) {
    if (text !== undefined && !isJson(`[${text}]`)) {
      damage.push({ place: `records[${at}]`, reason: "no whole JSON", stored: text });
    }
  }
  return { texts, damage, checkpoint: state };
}

/** A message whose attachment is lost is a message still. */
function without(stored: StoredText, media: ReadonlyMap<string, Media>): Promise<string> | string {
  if (typeof stored === "string") return stored;
  const found = new Map(media);
  for (const key of stored.media) if (!found.has(key)) found.set(key, new Uint8Array());
  return putBack(stored, found).catch(() => stored.pieces.join(""));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
