// What is damaged in the browser's database: it hides nothing else, what can be opened is, and what cannot is named.
import { expect, test } from "vitest";
import { inPage } from "../support/pages.js";
import { profiles } from "../support/profiles.js";

const { profile } = profiles();

/** Two sessions, and `change(store, work)`: changes what is stored past the package. */
const two = `
  const client = new GloveClient({ createModel: () => createScriptedModel(() => "fine") });
  for (const id of ["a", "b"]) await client.session(id).sendMessage("Hi " + id);
  client.dispose();
  const change = async (store, work) => {
    const db = await raw();
    const transaction = db.transaction(store, "readwrite");
    work(transaction.objectStore(store));
    await new Promise((done) => { transaction.oncomplete = done; });
    db.close();
  };
  const later = new GloveClient({ createModel: () => createScriptedModel(() => "fine") });
  const errorOf = (promise) => promise.then(() => "fine", ({ code, message }) => code + ": " + message);`;

test("a row that is none hides no other session from the list", () =>
  profile(async ({ open }) => {
    const found = await inPage(
      await open(),
      `${two}
       await change("sessions", (store) => store.put(null, "a"));
       return (await later.sessions()).map(({ id, title, damaged }) => [id, title, damaged ?? false]);`,
    );
    expect(found).toEqual([
      ["b", "Hi b", false],
      ["a", "", true],
    ]);
  }));

const cut = (text: string) =>
  `store.get(["a", 0]).onsuccess = ({ target }) => store.put({ ...target.result, text: ${text} }, ["a", 0])`;
const unreadable = "agent_text: [A message that cannot be read.]";

test.each([
  [
    "a text of another type",
    "messages",
    `store.put({ count: 1, text: 5 }, ["a", 0])`,
    "row 0 of its messages",
    [unreadable, "agent_text: fine"],
  ],
  [
    "a text that is cut off",
    "messages",
    cut(`target.result.text.slice(0, -5)`),
    "cannot be read",
    [unreadable, "agent_text: fine"],
  ],
  [
    "a sender that is unknown",
    "messages",
    cut(`target.result.text.replace("user", "root")`),
    "sender",
    [unreadable, "agent_text: fine"],
  ],
  [
    "a row of messages that is null",
    "messages",
    `store.put(null, ["a", 0])`,
    "has 1 of its messages",
    [unreadable, "agent_text: fine"],
  ],
  [
    "a row of messages that is missing",
    "messages",
    `store.delete(["a", 0])`,
    "has 1 of its messages",
    [unreadable, "agent_text: fine"],
  ],
  ["a checkpoint of another type", "checkpoints", `store.put(7, "a")`, "its checkpoint", ["user: Hi a", "agent_text: fine"]],
  [
    "a checkpoint that is cut off",
    "checkpoints",
    `store.put('{"version":2,', "a")`,
    "cannot be read",
    ["user: Hi a", "agent_text: fine"],
  ],
  [
    "a row in the list that is null",
    "sessions",
    `store.put(null, "a")`,
    "its row in the list",
    ["user: Hi a", "agent_text: fine"],
  ],
  [
    "a row in the list with wrong types",
    "sessions",
    `store.put({ id: "a", count: "x" }, "a")`,
    "its row in the list",
    ["user: Hi a", "agent_text: fine"],
  ],
])("a session with %s is read, exported and repaired, and is left as it is", (_, store, work, place, shown) =>
  profile(async ({ open }) => {
    const page = await open();
    const found = await inPage<Record<string, unknown>>(
      page,
      `${two}
       await change("${store}", (store) => { ${work}; });
       const stored = async () => JSON.stringify(await Promise.all(["sessions", "messages", "records", "checkpoints"].map((name) => rows(name))));
       const before = await stored();
       const session = later.session("a");
       await session.start();
       const { error } = session.getSnapshot();
       const shown = texts(session.getSnapshot());
       const sent = await errorOf(session.sendMessage("More"));
       const queue = session.getSnapshot().queue.map(({ text }) => text);
       const copy = await later.exportSession("a");
       const same = before === await stored();
       const repaired = later.session(await later.repairSession("a"));
       await repaired.start();
       const again = texts(repaired.getSnapshot());
       const ids = new Set((await later.sessions()).map(({ id }) => id));
       return {
         opened: error.code + ": " + error.message, shown, sent: sent.slice(0, 13), queue, same, again,
         damage: JSON.parse(copy).damage?.map(({ place }) => place), imported: await errorOf(later.importSession(copy)),
         goesOn: await errorOf(repaired.sendMessage("Go on")), kept: ids.has("a"), other: await errorOf(later.session("b").sendMessage("More")),
       };`,
    );
    expect(found).toMatchObject({
      opened: expect.stringMatching(new RegExp(`^STORE_CORRUPT: .*${place}.*Export it, or repair it`)),
      ...{
        shown,
        sent: "STORE_CORRUPT",
        queue: ["More"],
        same: true,
        again: shown,
        imported: "fine",
        goesOn: "fine",
        kept: true,
        other: "fine",
      },
    });
    expect(found.damage).toHaveLength(1);
  }),
);

test.each([
  ["whose checkpoint is missing", "checkpoints", `store.delete("a")`],
  [
    "whose number of records is none",
    "sessions",
    `store.get("a").onsuccess = ({ target }) => store.put({ ...target.result, seq: "x" }, "a")`,
  ],
])("a session %s goes on from what is there", (_, store, work) =>
  profile(async ({ open }) => {
    const page = await open();
    const found = await inPage(
      page,
      `${two}
       await change("${store}", (store) => { ${work}; });
       const session = later.session("a");
       return [await errorOf(session.sendMessage("More")), await errorOf(session.sendMessage("And more")), texts(session.getSnapshot())];`,
    );
    const all = ["user: Hi a", "agent_text: fine", "user: More", "agent_text: fine", "user: And more", "agent_text: fine"];
    expect(found).toEqual(["fine", "fine", all]);
    await page.reload();
    expect(
      await inPage(
        page,
        `const session = new GloveClient({ createModel: () => createScriptedModel(() => "fine") }).session("a");
         await session.start();
         return texts(session.getSnapshot());`,
      ),
    ).toEqual(all);
  }),
);

test("the session that was written last comes first, whatever the clock says", () =>
  profile(async ({ open }) => {
    const found = await inPage(
      await open(),
      `${two}
       const now = Date.now;
       Date.now = () => now() - 3_600_000;
       for (const id of ["a", "c"]) await later.session(id).sendMessage("Hi " + id);
       return (await later.sessions()).map(({ id }) => id);`,
    );
    expect(found).toEqual(["c", "a", "b"]);
  }));
