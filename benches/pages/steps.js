// What W10 measures in a page: steps of a session beside transactions of the same rows, and a session of 1,000 messages that is opened.
import { GloveClient, IndexedDBStore } from "glove-wasm";

const text = "x".repeat(700);
// JSON, as a checkpoint is: what is none costs an exception.
const checkpoint = JSON.stringify({ state: { phase: "idle" }, rest: "y".repeat(560) });
const median = (times) => times.sort((one, other) => one - other)[Math.floor(times.length / 2)];

/** Milliseconds of each, by turns, in groups of ten: clocks of pages are coarse. */
async function byTurns(works, groups = 20) {
  const times = works.map(() => []);
  for (let group = 0; group <= groups; group++) {
    for (const [at, work] of works.entries()) {
      const since = performance.now();
      for (let n = 0; n < 10; n++) await work();
      if (group > 0) times[at].push((performance.now() - since) / 10);
    }
  }
  return times.map(median);
}

const asked = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function bareDatabase() {
  const opening = indexedDB.open("bare", 1);
  opening.onupgradeneeded = () => {
    for (const name of ["rows", "messages", "records", "checkpoints"]) opening.result.createObjectStore(name);
  };
  return asked(opening);
}

/**
 * One transaction with the rows of a step: its messages, its records, its checkpoint and the session's own. With `reads` it asks for the
 * session's row first, and commits when that has come: what it takes to see that no other tab has the session.
 */
function transaction(database, seq, reads = false) {
  const names = ["rows", "messages", "records", "checkpoints"];
  const written = database.transaction(names, "readwrite", { durability: "relaxed" });
  const put = (name, value, key) => written.objectStore(name).put(value, key);
  const before = reads && written.objectStore("rows").get("s");
  put("messages", JSON.stringify([{ sender: "user", text }]), ["s", seq]);
  put("records", JSON.stringify([{ seq, at: 1, input: "recovered" }]), ["s", seq]);
  put("checkpoints", checkpoint, "s");
  put("rows", { seq, messages: seq }, "s");
  return new Promise((resolve, reject) => {
    written.oncomplete = resolve;
    written.onabort = () => reject(written.error);
    if (!reads) return written.commit();
    before.onsuccess = () => (before.result?.seq === seq - 1 ? written.commit() : written.abort());
  });
}

export async function steps() {
  const store = new IndexedDBStore("s");
  const database = await bareDatabase();
  let [seq, at] = [0, 0];
  await transaction(database, at);
  const step = () => {
    seq++;
    const messages = [{ sender: "user", text }];
    const records = [{ seq, at: 1, input: "recovered" }];
    return store.appendStep({ seq, firstMessage: seq - 1, messages, records, checkpoint }, "relaxed");
  };
  const [ours, bare, reads] = await byTurns([step, () => transaction(database, ++at), () => transaction(database, ++at, true)]);
  database.close();
  return { ours, bare, reads };
}

export async function resumed(count) {
  const words = "The quick brown fox jumps over the lazy dog. ".repeat(4);
  const messages = Array.from({ length: count }, (_, at) => ({ sender: at % 2 ? "agent" : "user", text: `${at} ${words}` }));
  const store = new IndexedDBStore("long");
  await store.appendMessages(messages);
  const database = await bareDatabase();
  const written = database.transaction("messages", "readwrite");
  for (const [at, message] of messages.entries()) written.objectStore("messages").put(JSON.stringify(message), at);
  await new Promise((resolve) => {
    written.oncomplete = resolve;
  });
  const client = new GloveClient({ endpoint: "/", persistSession: true, systemPrompt: "" });
  const opened = async () => {
    const session = client.session("long");
    await session.start();
    const { length } = session.getSnapshot().timeline;
    if (length !== count) throw new Error(`${length} messages came`);
    session.dispose();
  };
  const read = async () => {
    const rows = await asked(database.transaction("messages").objectStore("messages").getAll());
    return rows.map((row) => JSON.parse(row)).length;
  };
  const times = { ours: [], bare: [] };
  for (let round = 0; round <= 10; round++) {
    for (const [name, work] of Object.entries({ ours: opened, bare: read })) {
      const since = performance.now();
      await work();
      if (round > 0) times[name].push(performance.now() - since);
    }
  }
  database.close();
  return { ours: median(times.ours), bare: median(times.bare) };
}
