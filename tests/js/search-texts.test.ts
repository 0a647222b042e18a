// Words in the messages of all threads: what is indexed, what is found, and what goes with a thread.
import { GloveClient, GloveError } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import type { SessionDatabase } from "../../js/src/store/indexeddb/database.js";
import { bringUpToDate } from "../../js/src/threads/search/build.js";
import { excerptOf, find } from "../../js/src/threads/search/find.js";
import { ThreadTexts } from "../../js/src/threads/search/thread-texts.js";
import { headKey, linesKey, most } from "../../js/src/threads/search/words-of.js";

const never = () => new AbortController().signal;
let names = 0;

async function filled(threads: Readonly<Record<string, readonly (readonly [said: string, answer: string])[]>>) {
  const answers = new Map(Object.values(threads).flat());
  const client = new GloveClient({
    createModel: () => createScriptedModel(({ messages }) => answers.get(messages.at(-1)?.text ?? "") ?? "four"),
    systemPrompt: "",
    database: { name: `search ${names++}` },
  });
  for (const [id, turns] of Object.entries(threads)) for (const [said] of turns) await client.session(id).sendMessage(said);
  return { client, database: client.catalog as unknown as SessionDatabase };
}

const read = (database: SessionDatabase, progress = () => {}) => bringUpToDate(database, { signal: never(), progress });
const found = async (database: SessionDatabase, text: string) => {
  const { hits = [] } = (await find(database, text, never())) ?? {};
  return hits.map(({ id, excerpt, marks }) => `${id}: ${marked(excerpt, marks)}`);
};
const marked = (text: string, marks: readonly (readonly [number, number])[]) =>
  marks.reduceRight((left, [from, to]) => `${left.slice(0, from)}[${left.slice(from, to)}]${left.slice(to)}`, text);
const kept = (database: SessionDatabase, id: string) =>
  database.run(["extras"], "readonly", ({ ask, store }) =>
    Promise.all([headKey(id), linesKey(id)].map((key) => ask<unknown>(store("extras").get(key)))),
  );

test("words are found in what was said and answered, whatever their accents, capitals and marks, the latest thread first", async () => {
  const { database } = await filled({
    a: [
      ["Where is the Café?", "Next to the **old** bridge."],
      ["And the bridge?", "Old, too."],
    ],
    b: [["An old CAFE", "Fine."]],
  });
  expect(await found(database, "cafe")).toEqual([]);
  expect(await read(database)).toBe(true);
  expect(await found(database, "cafe")).toEqual(["b: An old [CAFE]", "a: Where is the [Café]?"]);
  expect(await found(database, "  BRIDGE old ")).toEqual(["a: Next to the [old] [bridge]."]);
  expect(await found(database, "bri")).toEqual(["a: And the [bri]dge?", "a: Next to the old [bri]dge."]);
  expect(await found(database, "old cafe bridge")).toEqual([]);
  expect(await found(database, " ")).toEqual([]);
});

test.each([
  ["Japanese", "京都で紅葉を見たいです。", "紅葉", "京都で[紅葉]を見たいです。"],
  ["Chinese", "我想去北京看长城", "北京", "我想去[北京]看长城"],
  ["Thai", "ฉันอยากไปเที่ยวเชียงใหม่", "เชียงใหม่", "ฉันอยากไปเที่ยว[เชียงใหม่]"],
  ["Korean", "서울에서 만나요", "서울", "[서울]에서 만나요"],
  ["Arabic", "مَرْحَبًا بك", "مرحبا", "[مَرْحَبًا] بك"],
  ["a picture", "A 👩‍🍳 cooks", "👩‍🍳", "A [👩‍🍳] cooks"],
])("%s is found without spaces between its words", async (_, said, words, shown) => {
  const { database } = await filled({ a: [[said, "Fine."]] });
  await read(database);
  expect(await found(database, words)).toEqual([`a: ${shown}`]);
});

test("what has changed is read again, and nothing else", async () => {
  const { client, database } = await filled({ a: [["First", "one"]], b: [["Second", "two"]] });
  const progress = vi.fn();
  await read(database, progress);
  expect(progress).toHaveBeenCalledTimes(2);
  await read(database, progress);
  await client.renameSession("a", "Another title");
  await read(database, progress);
  expect(progress).toHaveBeenCalledTimes(2);
  const [, before] = structuredClone(await kept(database, "a"));
  await client.session("a").sendMessage("Third");
  await read(database, progress);
  expect(progress).toHaveBeenCalledTimes(3);
  const [, after] = await kept(database, "a");
  expect((after as { text: string[] }).text).toEqual([...(before as { text: string[] }).text, "third", "four"]);
  expect(await found(database, "third")).toEqual(["a: [Third]"]);
});

test("what a person deletes is found no more, and nothing is left of it", async () => {
  const { client, database } = await filled({ a: [["A secret", "one"]], b: [["A secret too", "two"]] });
  await read(database);
  expect(await found(database, "secret")).toHaveLength(2);
  await client.deleteSession("a");
  expect(await kept(database, "a")).toEqual([undefined, undefined]);
  const { putInTrash, restore } = await import("../../js/src/store/indexeddb/list.js");
  await putInTrash(database, "b");
  expect(await found(database, "secret")).toEqual([]);
  await restore(database, "b");
  expect(await found(database, "secret")).toEqual(["b: A [secret] too"]);
});

test("a thread that goes while it is read is not indexed", async () => {
  const { client, database } = await filled({ a: [["A secret", "one"]] });
  const { run } = database;
  let deleted = false;
  vi.spyOn(database, "run").mockImplementation(async (names, access, work) => {
    const result = await run.call(database, names, access, work as never);
    if (names.includes("messages") && names.length === 2 && !deleted) {
      deleted = true;
      await client.deleteSession("a");
    }
    return result as never;
  });
  await read(database);
  expect(deleted).toBe(true);
  expect(await kept(database, "a")).toEqual([undefined, undefined]);
});

test("what only models read is not found", async () => {
  const { client, database } = await filled({ a: [["Hello", "Hi"]] });
  await client.session("a").trigger({ reason: "a hidden reason" });
  await read(database);
  expect(await found(database, "hidden")).toEqual([]);
  expect(await found(database, "hello")).toHaveLength(1);
});

test("the index is bounded: of a thread its latest messages stay, and of all the latest threads", async () => {
  const { database } = await filled({ a: [["alpha", "one"]], b: [["beta", "two"]], c: [["gamma", "three"]] });
  const before = { ...most };
  try {
    most.session = 5;
    await read(database);
    expect(await found(database, "one")).toHaveLength(1);
    expect(await found(database, "alpha")).toEqual([]);
    most.session = before.session;
    most.all = 8;
    expect(await read(database)).toBe(false);
    expect(await kept(database, "a")).toEqual([undefined, undefined]);
    expect(await found(database, "one")).toEqual([]);
    expect(await found(database, "three")).toHaveLength(1);
  } finally {
    Object.assign(most, before);
  }
});

test("an excerpt stands around the words, and cuts nothing in two", () => {
  const text = `${"Some words before. ".repeat(40)}the lighthouse ${"and more behind it. ".repeat(400)}`;
  const { excerpt, marks } = excerptOf(text, ["lighthouse"]);
  expect(marked(excerpt, marks)).toMatch(/^…\w+ (?:[\w.]+ )*the \[lighthouse\] and .*…$/);
  expect(excerpt.length).toBeLessThanOrEqual(162);
  // The words as they were written side by side are shown before those that stand alone.
  const apart = excerptOf(`oak ${"x ".repeat(200)}an oak table`, ["oak", "table"]);
  expect(marked(apart.excerpt, apart.marks)).toMatch(/^….*an \[oak\] \[table\]$/);
  const pictures = excerptOf(`${"👍".repeat(300)} oak ${"👍".repeat(300)}`, ["oak"]);
  expect(() => encodeURIComponent(pictures.excerpt)).not.toThrow();
  // Far into a long text.
  expect(excerptOf(`${"x ".repeat(50_000)}oak`, ["oak"]).excerpt).toMatch(/oak$/);
});

test("what is searched gives way to a message where the storage is full, and does not take the room again at once", async () => {
  const { client, database } = await filled({ a: [["First", "one"]], b: [["Second", "two"]] });
  await read(database);
  const { run } = database;
  vi.spyOn(database, "run").mockImplementation(async (names, access, work) => {
    const kept = await run.call(database, ["extras"], "readonly", ({ ask, store }) => ask(store("extras").getAllKeys()));
    const isFull = (kept as unknown[][]).some((key) => key[1] === "search");
    if (isFull && names.includes("messages") && access !== "readonly") throw new GloveError("STORE_QUOTA", "It is full.");
    return run.call(database, names, access, work as never) as never;
  });
  expect(await client.session("a").sendMessage("Third")).toMatchObject({ type: "completed" });
  expect((await client.session("a").messages()).map(({ text }) => text)).toEqual(["First", "one", "Third", "four"]);
  expect(await read(database)).toBe(false);
  expect(await kept(database, "b")).toEqual([undefined, undefined]);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 86_400_000 });
  try {
    expect(await read(database)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
  expect(await found(database, "third")).toEqual(["a: [Third]"]);
});

test.each<[string, (client: Awaited<ReturnType<typeof filled>>["client"]) => Promise<unknown>]>([
  ["a name", (client) => client.renameSession("a", "Another name")],
  ["a session that is imported", async (client) => client.importSession(await client.exportSession("b"), { id: "c" })],
  ["the removal of a session", (client) => client.deleteSession("b")],
])("what is searched gives way to %s where the storage is full", async (_, write) => {
  const { client, database } = await filled({ a: [["First", "one"]], b: [["Second", "two"]] });
  await read(database);
  const { run } = database;
  vi.spyOn(database, "run").mockImplementation(async (names, access, work) => {
    const kept = await run.call(database, ["extras"], "readonly", ({ ask, store }) => ask(store("extras").getAllKeys()));
    const isFull = (kept as unknown[][]).some((key) => key[1] === "search");
    if (isFull && names.includes("sessions") && access !== "readonly") throw new GloveError("STORE_QUOTA", "It is full.");
    return run.call(database, names, access, work as never) as never;
  });
  const before = (await client.sessions()).map(({ id, title }) => `${id} ${title}`);
  await write(client);
  expect((await client.sessions()).map(({ id, title }) => `${id} ${title}`)).not.toEqual(before);
  expect(await kept(database, "b")).toEqual([undefined, undefined]);
});

test("a thread that goes and comes again while it is read has nothing of the one before", async () => {
  const { client, database } = await filled({ a: [["A secret", "one"]] });
  const { run } = database;
  let deleted = false;
  vi.spyOn(database, "run").mockImplementation(async (names, access, work) => {
    const result = await run.call(database, names, access, work as never);
    if (names.includes("messages") && names.length === 2 && !deleted) {
      deleted = true;
      await client.deleteSession("a");
      await new Promise((later) => setTimeout(later, 5));
      await client.session("a").sendMessage("Anew");
    }
    return result as never;
  });
  await read(database);
  expect(JSON.stringify(await kept(database, "a"))).not.toContain("secret");
  await read(database);
  expect(await found(database, "anew")).toEqual(["a: [Anew]"]);
});

test("an index that could not be written is not told to be whole, and one that nobody waited for is", async () => {
  const { client, database } = await filled({ a: [["First", "one"]] });
  const { run } = database;
  vi.spyOn(database, "run").mockImplementation(async (names, access, work) => {
    if (access !== "readonly") throw new GloveError("STORE_QUOTA", "It is full.");
    return run.call(database, names, access, work as never) as never;
  });
  const texts = new ThreadTexts(client as never);
  texts.subscribe(() => {})();
  await vi.waitFor(() => expect(texts.getSnapshot()).toEqual({ reading: false, all: true }));
  const stop = texts.subscribe(() => {});
  await vi.waitFor(() => expect(texts.getSnapshot()).toEqual({ reading: false, all: false }));
  stop();
});
