// The list of sessions in the browser's database: titles, renaming, deleting, exporting and importing; and stored forms of old.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inEachCore } from "../support/core-place.js";
import { inPage, type Profile } from "../support/pages.js";
import { profiles } from "../support/profiles.js";
import { root } from "../support/project.js";

const { profile } = profiles();

const client = `const client = new GloveClient({ createModel: () => createScriptedModel(["one", "two", "three"]) });`;

test("sessions are listed with their titles, the latest first, and renamed", () =>
  profile(async ({ open }) => {
    const page = await open();
    const listed = await inPage(
      page,
      `${client}
       const before = Date.now();
       for (const id of ["a", "b"]) { await client.session(id).sendMessage("  Question\\nof " + id); await new Promise((later) => setTimeout(later, 5)); }
       await client.renameSession("a", "Mine");
       const list = await client.sessions();
       const renamed = list.map(({ id, title, messageCount, unfinished }) => [id, title, messageCount, unfinished]);
       const times = list.every(({ createdAt, updatedAt }) => createdAt >= before && updatedAt >= createdAt && updatedAt <= Date.now());
       await client.renameSession("a", "");
       return [renamed, times, (await client.sessions()).map(({ title }) => title), await client.renameSession("zzz", "x").catch(told)];`,
    );
    expect(listed).toEqual([
      [
        ["b", "Question of b", 2, false],
        ["a", "Mine", 2, false],
      ],
      true,
      ["Question of b", "Question of a"],
      { code: "SESSION_UNKNOWN", message: expect.stringContaining("zzz") },
    ]);
    await page.reload();
    expect(await inPage(page, `${client} return (await client.sessions()).map(({ id }) => id);`)).toEqual(["b", "a"]);
  }));

test("a session that is deleted while its first write is prepared does not come back", () =>
  profile(async ({ open }) => {
    const slow = inEachCore(`const digest = SubtleCrypto.prototype.digest;
      SubtleCrypto.prototype.digest = async function (...args) { globalThis.hashing = true; await new Promise((later) => setTimeout(later, 200)); return digest.apply(this, args); };`);
    const stored = await inPage(
      await open(slow),
      `${client}
       const images = [{ data: btoa("z".repeat(9_000)), media_type: "image/png" }];
       void client.session("s").sendMessage("look at it", images).catch(() => {});
       while (!(await inCore("globalThis.hashing"))) await new Promise((later) => setTimeout(later, 5));
       await client.deleteSession("s");
       await new Promise((later) => setTimeout(later, 400));
       return [(await client.sessions()).length, (await rows("media")).length, (await rows("sessions")).length];`,
    );
    expect(stored).toEqual([0, 0, 0]);
  }));

test("a deleted session leaves nothing behind, and no other loses anything", () =>
  profile(async ({ open }) => {
    const found = await inPage(
      await open(),
      `${client}
       const data = btoa("z".repeat(9_000));
       const fill = async (id) => {
         const store = new IndexedDBStore(id);
         await store.appendStep(step(1, 0, { messages: [message("x", { content: [{ type: "image", source: { data } }] })], checkpoint: "{}" }), "strict");
         await store.appendStep(step(2, 1), "strict");
         await store.addTasks([{ id: "t", content: "", activeForm: "", status: "pending" }]);
         await store.setPermission("rm", "granted");
         await store.addInboxItem({ id: "i", status: "pending" });
       };
       for (const id of ["a", "ab", "a\\u0000", "b"]) await fill(id);
       const count = async () => Promise.all(["sessions", "messages", "records", "checkpoints", "media", "extras"].map(async (name) => (await rows(name)).length));
       const before = await count();
       const open = client.session("a");
       await client.deleteSession("a");
       await client.deleteSession("never there");
       return [before, await count(), open.disposed, (await client.sessions()).map(({ id }) => id).sort()];`,
    );
    expect(found).toEqual([[4, 4, 4, 4, 4, 12], [3, 3, 3, 3, 3, 9], true, ["a\u0000", "ab", "b"]]);
  }));

test("an exported session is the same one when it is imported, with its attachments, and without its permissions", () =>
  profile(async ({ open }) => {
    const exported = await inPage<string>(
      await open(),
      `${client}
       const session = client.session("s");
       await session.sendMessage({ text: "look", images: [{ data: btoa("q".repeat(9_000)), media_type: "image/png" }] });
       await session.store.addTasks([{ id: "t", content: "c", activeForm: "a", status: "pending" }]);
       await session.store.setPermission("rm", "granted");
       await client.renameSession("s", "Named");
       globalThis.before = JSON.stringify(await session.store.getMessages());
       return client.exportSession("s");`,
    );
    const other = await (await profileOf()).open();
    const found = await inPage(
      other,
      `${client}
       const json = ${JSON.stringify(exported)};
       const ids = [await client.importSession(json), await client.importSession(json), await client.importSession(json, { id: "mine" })];
       const taken = await client.importSession(json, { id: "mine" }).catch(told);
       const store = new IndexedDBStore("s");
       const session = client.session("s");
       await session.sendMessage("more");
       const [{ title, messageCount }] = await client.sessions();
       return {
         first: ids[0], fresh: ids[1] !== "s", wanted: ids[2], taken: taken.code, title, messageCount,
         media: (await rows("media")).length, permission: await store.getPermission("rm"), tasks: (await store.getTasks()).length,
         messages: JSON.stringify((await new IndexedDBStore("mine").getMessages())) === JSON.stringify(JSON.parse(json).messages),
         tokens: await store.getTokenCount(),
       };`,
    );
    expect(found).toEqual({
      first: "s",
      fresh: true,
      wanted: "mine",
      taken: "SESSION_EXISTS",
      title: "Named",
      messageCount: 4,
      media: 3,
      permission: "unset",
      tasks: 1,
      messages: true,
      tokens: 30,
    });
  }));

let others: Profile | undefined;
/** A second browser profile, closed with the browser. */
async function profileOf(): Promise<Profile> {
  others ??= await new Promise<Profile>((resolve) => void profile((other) => new Promise(() => resolve(other))));
  return others;
}

test("a run goes on in an imported session only where that was asked for", () =>
  profile(async ({ open }) => {
    const found = await inPage(
      await open(),
      `const tools = [{ name: "pay", description: "", jsonSchema: { type: "object" }, requiresPermission: true, do: () => "paid" }];
       const model = () => createScriptedModel(({ messages }) => messages.at(-1).tool_results ? "done" : { toolCalls: [{ name: "pay" }] });
       const client = new GloveClient({ createModel: model, tools });
       const session = client.session("s");
       void session.sendMessage("pay").catch(() => {});
       await until(session, ({ approvals }) => approvals.length > 0);
       const json = await client.exportSession("s");
       const ids = [await client.importSession(json, { id: "with", withRun: true }), await client.importSession(json, { id: "without" })];
       const [going, ended] = ids.map((id) => client.session(id));
       await Promise.all([going.start(), ended.start()]);
       await until(going, ({ approvals }) => approvals.length > 0);
       going.approve(going.getSnapshot().approvals[0].id);
       const after = await until(going, ({ busy }) => !busy);
       const { approvals, busy } = ended.getSnapshot();
       const list = Object.fromEntries((await client.sessions()).map(({ id, unfinished }) => [id, unfinished]));
       return [texts(after), approvals.length, busy, list];`,
    );
    expect(found).toEqual([
      ["user: pay", "pay: success paid", "agent_text: done"],
      0,
      false,
      { s: true, with: false, without: false },
    ]);
  }));

test("lists in other tabs hear of a run that goes on now and then, and of its end at once", () =>
  profile(async ({ open }) => {
    const [page, other] = [await open(), await open()];
    await inPage(
      other,
      `globalThis.heard = [];
       globalThis.channel = new BroadcastChannel("glove list glove");
       channel.onmessage = () => heard.push(rows("sessions").then(([row]) => row && [row.count, row.unfinished]));`,
    );
    const rounds = 40;
    const [steps, ms] = await inPage<[steps: number, ms: number]>(
      page,
      `void inCore(${JSON.stringify(`
         globalThis.steps = 0;
         const { put } = IDBObjectStore.prototype;
         IDBObjectStore.prototype.put = function (...args) { if (this.name === "sessions") globalThis.steps++; return put.apply(this, args); };`)});
       const calls = Array.from({ length: ${rounds} }, (_, at) => ({ toolCalls: [{ name: "t", input: { at } }] }));
       const tools = [{ name: "t", description: "", jsonSchema: { type: "object" }, do: async () => "done" }];
       const client = new GloveClient({ createModel: () => createScriptedModel([...calls, "The end."]), tools, systemPrompt: "" });
       const session = client.session("s");
       const since = performance.now();
       await session.sendMessage("Hi");
       const ms = performance.now() - since;
       const steps = await inCore("globalThis.steps");
       session.dispose();
       return [steps, ms];`,
    );
    const last = () => other.evaluate("Promise.all(heard).then((heard) => heard.at(-1))");
    await expect.poll(last).toEqual([2 + 2 * rounds, false]);
    expect(steps).toBeGreaterThan(2 * rounds);
    // The first, the title, the begin, the end, and one each 50 ms.
    expect(await other.evaluate<number>("heard.length")).toBeLessThanOrEqual(4 + ms / 50);
  }));

test("a database that version 1 wrote is read, listed and gone on with", () =>
  profile(async ({ open }) => {
    const fixture = JSON.parse(readFileSync(`${root}/tests/fixtures/indexeddb/version-1.json`, "utf8"));
    const found = await inPage(
      await open(),
      `const fixture = ${JSON.stringify(fixture)};
       const db = await raw(fixture.version, (db) => { for (const name of Object.keys(fixture.stores)) db.createObjectStore(name); });
       const tx = db.transaction(Object.keys(fixture.stores), "readwrite");
       const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
       for (const [name, all] of Object.entries(fixture.stores))
         for (const [key, value] of all) tx.objectStore(name).put(value.blob ? new Blob([bytes(value.blob)]) : value, key);
       await new Promise((done, failed) => { tx.oncomplete = done; tx.onabort = failed; });
       db.close();
       const client = new GloveClient({
         createModel: () => createScriptedModel(["went on"]),
         tools: [{ name: "pay", description: "Pays", jsonSchema: { type: "object" }, requiresPermission: true, do: () => "paid" }],
       });
       const listed = await client.sessions();
       const stored = JSON.parse(await client.exportSession("s"));
       const session = client.session("s");
       await session.start();
       const { approvals } = await until(session, ({ approvals }) => approvals.length > 0);
       session.approve(approvals[0].id);
       return [listed, stored, texts(await until(session, ({ busy }) => !busy))];`,
    );
    expect(found).toEqual([fixture.listed, fixture.exported, fixture.goesOn]);
  }));
