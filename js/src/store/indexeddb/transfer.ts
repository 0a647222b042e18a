// Stored sessions as texts and back; loaded when somebody exports or imports one.

import type { Core } from "../../ports/core.js";
import type { SessionDamage } from "../../ports/store.js";
import { generateId } from "../../values/ids.js";
import { listIn } from "../errors.js";
import { arrayBody, arrayOf } from "../json-text.js";
import { readable } from "../salvage.js";
import { type ImportOptions, unknownSession } from "../sessions.js";
import { isUnfinished } from "../step.js";
import { freeId, readTranscript, writeTranscript } from "../transcript.js";
import type { Connection } from "./connection.js";
import { type Media, takeOut } from "./media.js";
import { readRows, type SessionRows, textsOf } from "./read.js";
import { salvageRows } from "./salvage.js";
import { type MessagesRow, type SessionRow, stores } from "./schema.js";
import { titleOf } from "./title.js";

export async function exported(database: Pick<Connection, "run">, id: string, core?: Core): Promise<string> {
  const { rows, extras } = await database.run(stores, "readonly", async (transaction) => {
    const { ask, store } = transaction;
    const extras = [ask(store("extras").get([id, "tasks"])), ask(store("extras").get([id, "inbox"]))];
    return { rows: await readRows(transaction, id), extras: await Promise.all(extras) };
  });
  const salvage = core && (await readable(await salvageRows(database, id), core));
  const [tasks = "[]", inbox = "[]"] = listsOf(extras, salvage?.damage);
  if (salvage?.damage.length) return writeDamaged(id, rows, salvage, tasks, inbox);
  const { title, created, updated, turns, tokens, seq } = rows.session ?? unknownSession(id);
  const { messages, records, checkpoint } = await textsOf(rows);
  const about = { id, ...(title !== undefined && { title }), createdAt: created, updatedAt: updated, turns, tokens, seq };
  return writeTranscript(about, { messages, records, checkpoint: checkpoint && JSON.stringify(checkpoint), tasks, inbox });
}

/** The same form without a run, and what cannot be read beside it. */
function writeDamaged(
  id: string,
  { session }: SessionRows,
  { messages, damage }: Awaited<ReturnType<typeof readable>>,
  tasks: string,
  inbox: string,
): string {
  const { title, created, updated } = (session ?? {}) as Partial<Record<string, unknown>>;
  const time = (value: unknown) => (Number.isFinite(value) ? (value as number) : 0);
  const about = { createdAt: time(created), updatedAt: time(updated), turns: 0, tokens: { tokens_in: 0, tokens_out: 0 }, seq: 0 };
  return writeTranscript(
    { id, ...(typeof title === "string" && { title }), ...about },
    { messages, records: "[]", tasks, inbox, damage: JSON.stringify(damage) },
  );
}

/** The tasks and the inbox as they are stored; what is no list is named, or refused where it cannot be. */
function listsOf(extras: readonly unknown[], damage: SessionDamage[] | undefined): string[] {
  return (["tasks", "inbox"] as const).map((place, at) => {
    const stored = extras[at] ?? "[]";
    try {
      listIn(place, stored);
      return stored as string;
    } catch (error) {
      if (!damage) throw error;
      damage.push({ place, reason: "not a list", ...(typeof stored === "string" && { stored }) });
      return "[]";
    }
  });
}

export async function imported(database: Pick<Connection, "run">, json: string, options: ImportOptions): Promise<string> {
  const { about, texts, messages, tasks, inbox } = readTranscript(json);
  const media = new Map<string, Media>();
  const withRun = options.withRun && texts.checkpoint !== undefined;
  const kept = {
    messages: await takeOut(arrayBody(texts.messages), media),
    records: withRun ? await takeOut(arrayBody(texts.records), media) : "",
    checkpoint: withRun ? (JSON.parse(texts.checkpoint ?? '""') as string) : "",
  };
  const checkpoint = await takeOut(kept.checkpoint, media);
  const first = titleOf(messages);
  const added = await database.run(stores, "strict", async (transaction) => {
    const { ask, store } = transaction;
    const wanted = options.id ?? about.id;
    const id = freeId(about.id, options.id, (await ask(store("sessions").getKey(wanted))) !== undefined);
    const row: SessionRow = {
      id,
      count: messages.length,
      seq: withRun ? about.seq : 0,
      turns: about.turns,
      tokens: about.tokens,
      created: about.createdAt,
      updated: about.updatedAt,
      ...(first !== undefined && { first }),
      ...(about.title !== undefined && { title: about.title }),
      unfinished: Boolean(withRun) && (kept.records !== "" || isUnfinished(kept.checkpoint)),
      records: kept.records !== "",
      write: generateId(),
    };
    const messagesRow: MessagesRow = { count: messages.length, text: kept.messages };
    const writes: IDBRequest[] = [store("sessions").add(row, id)];
    if (messages.length > 0) writes.push(store("messages").add(messagesRow, [id, 0]));
    if (kept.records !== "") writes.push(store("records").add(kept.records, [id, about.seq]));
    if (withRun) writes.push(store("checkpoints").put(checkpoint, id));
    for (const [key, data] of media) writes.push(store("media").put(data, [id, key]));
    if (tasks.length > 0) writes.push(store("extras").put(texts.tasks, [id, "tasks"]));
    if (inbox.length > 0) writes.push(store("extras").put(arrayOf([arrayBody(texts.inbox)]), [id, "inbox"]));
    await Promise.all(writes.map((request) => ask(request)));
    return id;
  });
  return added;
}
