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

test.each([
  ["messages", `store.put({ count: 1, text: 5 }, ["a", 0])`, "row 0 of its messages"],
  ["checkpoints", `store.put(7, "a")`, "its checkpoint"],
])("a wrong value in %s is named, with its place, and the other session works", (store, put, place) =>
  profile(async ({ open }) => {
    const found = await inPage<string[]>(
      await open(),
      `${two}
       await change("${store}", (store) => ${put});
       return [await errorOf(later.session("a").start()), await errorOf(later.session("b").sendMessage("More"))];`,
    );
    expect(found).toEqual([expect.stringMatching(new RegExp(`^STORE_CORRUPT: .*${place}`)), "fine"]);
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
