// Sessions in memory as texts and back; loaded when somebody exports or imports one.
import { MemoryStore } from "./memory.js";
import type { ImportOptions } from "./sessions.js";
import { freeId, readTranscript, writeTranscript } from "./transcript.js";

export async function exported(store: MemoryStore): Promise<string> {
  const { title, createdAt, updatedAt, seq } = store.about;
  const { messages, records, checkpoint } = await store.readRun();
  const turns = await store.getTurnCount();
  const tokens = await store.getTokenConsumption();
  return writeTranscript(
    { id: store.identifier, ...(title !== undefined && { title }), createdAt, updatedAt, turns, tokens, seq },
    {
      messages: JSON.stringify(messages),
      records: JSON.stringify(records),
      checkpoint: checkpoint && JSON.stringify(checkpoint),
      tasks: JSON.stringify(await store.getTasks()),
      inbox: JSON.stringify(await store.getInboxItems()),
    },
  );
}

export async function imported(
  json: string,
  { id, withRun }: ImportOptions,
  isTaken: (id: string) => boolean,
): Promise<MemoryStore> {
  const { about, messages, tasks, inbox, texts } = readTranscript(json);
  const store = new MemoryStore(freeId(about.id, id, isTaken(id ?? about.id)));
  if (withRun && texts.checkpoint !== undefined) {
    const records = JSON.parse(texts.records) as { seq?: number }[];
    const before = records[0]?.seq === undefined ? about.seq : records[0].seq - 1;
    const checkpoint = JSON.parse(texts.checkpoint) as string;
    await store.appendStep({ firstMessage: 0, messages, records: [], checkpoint, seq: before });
    await store.appendStep({ firstMessage: messages.length, messages: [], records, seq: about.seq });
  } else await store.appendMessages([...messages]);
  store.restoreCounters(about.tokens, about.turns);
  await store.addTasks(tasks);
  for (const item of inbox) await store.addInboxItem(item);
  Object.assign(store.about, { title: about.title, createdAt: about.createdAt, updatedAt: about.updatedAt });
  return store;
}
