// Reading a session whole.
import { storeError } from "../errors.js";
import { arrayOf } from "../json-text.js";
import type { Transaction } from "./connection.js";
import { type Media, putBack, type StoredText } from "./media.js";
import { allOf, isRow, type MessagesRow, type SessionRow } from "./schema.js";

export interface SessionRows {
  readonly session: SessionRow | undefined;
  readonly messages: readonly MessagesRow[];
  readonly records: readonly StoredText[];
  readonly checkpoint: StoredText | undefined;
  readonly media: ReadonlyMap<string, Media>;
}

/** The stores that `readRows` reads. */
export const read = ["sessions", "messages", "records", "checkpoints", "media"] as const;

export async function readRows({ ask, store }: Transaction, id: string): Promise<SessionRows> {
  const all = allOf(id);
  const [session, messages, records, checkpoint, keys, data] = await Promise.all([
    ask<SessionRow | undefined>(store("sessions").get(id)),
    ask<MessagesRow[]>(store("messages").getAll(all)),
    ask<StoredText[]>(store("records").getAll(all)),
    ask<StoredText | undefined>(store("checkpoints").get(id)),
    ask(store("media").getAllKeys(all)),
    ask<Media[]>(store("media").getAll(all)),
  ]);
  const media = new Map(keys.map((key, at) => [(key as string[])[1] ?? "", data[at] as Media]));
  return { session, messages, records, checkpoint, media };
}

/** The messages and records as JSON arrays, and the checkpoint as it is. */
export async function textsOf({ session, messages, records, checkpoint, media }: SessionRows) {
  if (session !== undefined && !isRow(session)) damaged("its row in the list of sessions cannot be read");
  const found = messages.reduce((sum, row) => sum + (Number.isFinite(row?.count) ? row.count : 0), 0);
  const expected = session?.count ?? 0;
  if (found !== expected) damaged(`the database has ${found} of its messages, but ${expected} were stored`);
  const text = (place: string, stored: StoredText | undefined) =>
    isText(stored) ? putBack(stored, media) : damaged(`${place} is no text`);
  const texts = (place: string, stored: readonly (StoredText | undefined)[]) =>
    Promise.all(stored.map(async (one, at) => text(`row ${at} of its ${place}`, one)));
  return {
    messages: arrayOf(
      await texts(
        "messages",
        messages.map((row) => row?.text),
      ),
    ),
    records: arrayOf(await texts("records", records)),
    checkpoint: checkpoint === undefined ? undefined : await text("its checkpoint", checkpoint),
  };
}

function damaged(what: string): never {
  throw storeError("corrupt", `This session is damaged: ${what}.`);
}

export function isText(stored: StoredText | undefined): stored is StoredText {
  if (typeof stored === "string") return true;
  return Array.isArray(stored?.pieces) && Array.isArray(stored.media);
}
