// A session with everything in it, over a database whose n-th operation fails, for every n and in each way: it fails with a code,
// goes on when it is resumed, and comes to the same end, with every tool run once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { engineName, openPlaces, type Places } from "../support/engines.js";
import { application } from "../support/kill-app.js";
import { inPage } from "../support/pages.js";

let places: Places;

beforeAll(async () => {
  places = await openPlaces();
});
afterAll(() => places.close());

/** `failAt(database, n, way)`: the n-th operation on this database that can fail in this way does. */
const faults = `
  const plans = new Map();
  const failAt = (database, n, way) => plans.set(database, { left: n, way, count: 0 });
  const due = (database, ways) => {
    const plan = plans.get(database);
    if (!plan || !ways.includes(plan.way)) return undefined;
    plan.count++;
    return --plan.left === 0 ? plan.way : undefined;
  };
  for (const method of ["get", "getAll", "getAllKeys", "getKey", "add", "put", "delete"]) {
    const original = IDBObjectStore.prototype[method];
    IDBObjectStore.prototype[method] = function (...args) {
      const way = due(this.transaction.db.name, ["throws", "is full", "aborts"]);
      if (way === "throws") throw new DOMException("injected", "DataCloneError");
      if (way === "is full") throw new DOMException("injected", "QuotaExceededError");
      const request = original.apply(this, args);
      if (way === "aborts") this.transaction.abort();
      return request;
    };
  }
  const begin = IDBDatabase.prototype.transaction;
  IDBDatabase.prototype.transaction = function (...args) {
    const plan = plans.get(this.name);
    if (due(this.name, ["is lost"]) || plan?.lost) {
      // The first time the connection is opened again; it is lost once more, and then there.
      plan.lost = !plan.lost;
      throw new DOMException("Connection to Indexed Database server lost", "UnknownError");
    }
    return begin.apply(this, args);
  };`;

const run = `
  const ranBy = new Map();
  const report = (id, kind, what) => { if (kind === "ran") ranBy.set(id, [...(ranBy.get(id) ?? []), JSON.parse(what)]); };
  ${application}
  /** Goes on with it after each failure; gives the codes of those. */
  const insist = async (id) => {
    const session = app(id);
    let unread = false;
    const { store } = session;
    const read = store.getPermission.bind(store);
    store.getPermission = (...asked) => read(...asked).catch((error) => { unread = true; throw error; });
    const codes = [];
    const failed = (error) => { codes.push(error.code); };
    for (let tries = 0, before = -1; tries < 6 && before < codes.length; tries++) {
      before = codes.length;
      await session.start().catch(failed);
      const stored = await session.messages().catch((error) => { failed(error); return undefined; });
      if (stored?.length === 0) await session.sendMessage("Order it").catch(failed);
      // Also writes what the last failure has left.
      else if (stored) await session.resume().catch((error) => { if (error.code !== "OUT_OF_PROTOCOL") failed(error); });
      // Resuming leaves when a person is asked.
      if (stored) await until(session, ({ busy }) => !busy);
      const { error } = session.getSnapshot();
      // There may be nothing to resume.
      if (error && error.code !== "OUT_OF_PROTOCOL" && before === codes.length) failed(error);
    }
    const { count } = plans.get(id);
    plans.delete(id);
    const stored = (await new IndexedDBStore("s", new SessionDatabase({ name: id })).getMessages()).map(({ sender, text, tool_results, is_compaction }) =>
      [sender, is_compaction ? "" : text, tool_results?.map(({ result }) => [result.status, result.data]) ?? []]);
    return { count, codes, shown: texts(session.getSnapshot()), stored, ran: ranBy.get(id), unread };
  };`;

interface End {
  readonly count: number;
  readonly codes: string[];
  readonly shown: string[];
  readonly stored: unknown[];
  readonly ran: string[];
  /** The permission of a tool could not be read. */
  readonly unread: boolean;
}

const inEveryEngine = [
  ["aborts", "STORE_FAILED", 60],
  ["is lost", "STORE_UNAVAILABLE", 20],
] as const;
// What throws never comes to the engine, so one of them is enough.
const thrown = [
  ["throws", "STORE_FAILED", 60],
  ["is full", "STORE_QUOTA", 60],
] as const;

test.each(engineName === "chromium" ? [...inEveryEngine, ...thrown] : inEveryEngine)(
  "the n-th operation of the database %s, for every n",
  (way, code, least) =>
    places.at(async ({ open }) => {
      const page = await open();
      const { count, end, ends } = await inPage<{ count: number; end: End; ends: (End & { n: number })[] }>(
        page,
        `${faults} ${run}
       failAt("whole", Infinity, "${way}");
       const end = await insist("whole");
       const { count } = end;
       const all = Array.from({ length: count }, (_, at) => at + 1);
       const ends = await Promise.all(all.map(async (n) => {
         failAt("n" + n, n, "${way}");
         return { n, ...(await insist("n" + n)) };
       }));
       return { count, end, ends };`,
      );
      expect(end.codes).toEqual([]);
      expect([...end.ran].sort()).toEqual(["list", "look", "pay", "send"]);
      expect(count).toBeGreaterThan(least);
      const expected = JSON.stringify([end.shown, end.stored, end.ran]);
      // A summary that cannot be made is left out, and a call whose permission cannot be read does not run.
      const short = JSON.stringify([
        end.shown.filter((text) => !/^compaction/.test(text)),
        end.stored.filter(isNoSummary),
        end.ran,
      ]);
      const ways = new Set([expected, short]);
      const wrong = ends.flatMap(({ n, codes, shown, stored, ran, unread }) => {
        const found = JSON.stringify([shown, stored, ran]);
        if (!codes.every((found) => found === code)) return [`${n}: ${codes.join(" ")}`];
        if (ways.has(found)) return [];
        const refused = shown.some((text) => /^pay: error The tool "pay" was not run/.test(text)) && !ran.includes("pay");
        return refused && unread ? [] : [`${n} (${codes}): ${found}`];
      });
      expect(wrong).toEqual([]);
      // Some hit what a session can do without.
      expect(ends.filter(({ codes }) => codes.length > 0).length).toBeGreaterThan(way === "is lost" ? 10 : count / 2);
    }),
);

const isNoSummary = (message: unknown) => JSON.stringify(message) !== '["user","",[]]';
