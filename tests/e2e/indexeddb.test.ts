// The browser's database as a store, in a real browser: what it keeps, and what it does when the database fails.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { inEachCore } from "../support/core-place.js";
import { engineName, openPlaces, type Place, type Places } from "../support/engines.js";
import { html, inPage, servePackage, withProfile, wrapped } from "../support/pages.js";

let places: Places;

beforeAll(async () => {
  places = await openPlaces();
});
afterAll(() => places.close());

const profile = <T>(work: (place: Place) => Promise<T>) => places.at(work);

test("the store passes the conformance kit, over connections that are opened anew", () =>
  profile(async ({ open }) => {
    const ends = await inPage<string[]>(
      await open(),
      `const fresh = (id) => new IndexedDBStore(id, new SessionDatabase({ name: "kit" }));
       const ends = [];
       for (const { name, run } of storeConformance({ make: fresh, reopen: fresh })) {
         ends.push(await run().then((end) => end, (error) => name + ": " + error.message));
       }
       return ends;`,
    );
    expect(ends.filter((end) => end !== "passed")).toEqual([]);
    expect(ends.length).toBeGreaterThanOrEqual(60);
  }));

describe("attachments", () => {
  const image = `const data = btoa("x".repeat(60_000)); const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };`;

  test("are kept once as bytes beside the messages, and come back as they were", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `${image}
         const client = new GloveClient({ createModel: () => createScriptedModel(["a", "b"]) });
         const session = client.session("s");
         await session.sendMessage({ text: "look", images: [{ data, media_type: "image/png" }] });
         await session.sendMessage({ text: "again", images: [{ data, media_type: "image/png" }] });
         const store = new IndexedDBStore("s");
         const [media, messages, records, checkpoints] = await Promise.all(["media", "messages", "records", "checkpoints"].map((name) => rows(name)));
         const loaded = await store.getMessages();
         return {
           media: media.map((data) => [data instanceof Uint8Array, data.length]),
           text: JSON.stringify([messages, records, checkpoints]).length < 20_000,
           back: loaded.filter(({ content }) => content?.some(({ source }) => source?.data === data)).length,
         };`,
      );
      expect(found).toEqual({ media: [[true, 60_000]], text: true, back: 2 });
    }));

  test("several in one message are stored with it", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `const images = ["x", "y", "z"].map((letter) => ({ data: btoa(letter.repeat(60_000)), media_type: "image/png" }));
         const client = new GloveClient({ createModel: () => createScriptedModel(["a"]) });
         const { type } = await client.session("s").sendMessage({ text: "look", images });
         const [stored] = await new IndexedDBStore("s").getMessages();
         const back = stored.content.filter(({ source }) => source).map(({ source }) => source.data);
         return { type, media: (await rows("media")).length, back: back.join() === images.map(({ data }) => data).join() };`,
      );
      expect(found).toEqual({ type: "completed", media: 3, back: true });
    }));

  test("that the browser has lost make the session unreadable with a code, and harm no other", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `${image}
         const [store, other] = [new IndexedDBStore("s"), new IndexedDBStore("t")];
         await store.appendMessages([message("look", { content: [image] })]);
         await other.appendMessages([message("fine")]);
         const db = await raw();
         const tx = db.transaction("media", "readwrite");
         tx.objectStore("media").clear();
         await new Promise((done) => { tx.oncomplete = done; });
         db.close();
         return [await store.readRun().catch(told), (await other.getMessages()).length];`,
      );
      expect(found).toEqual([{ code: "STORE_CORRUPT", message: expect.stringContaining("attachment") }, 1]);
    }));
});

/** Makes the n-th operation that changes the database fail, in one of three ways. */
const faults = `
  globalThis.fault = { left: Infinity, way: "throws", fired: 0 };
  for (const name of ["add", "put", "delete"]) {
    const original = IDBObjectStore.prototype[name];
    IDBObjectStore.prototype[name] = function (...args) {
      if (--fault.left > 0 || fault.left < 0) return original.apply(this, args);
      fault.fired++;
      if (fault.way === "throws") throw new DOMException("injected", "DataCloneError");
      if (fault.way === "quota") throw new DOMException("injected", "QuotaExceededError");
      const request = original.apply(this, args);
      this.transaction.abort();
      return request;
    };
  }
  globalThis.failAt = (left, way) => { globalThis.fault = { left, way, fired: 0 }; };`;
const codes = `const codes = { throws: "STORE_FAILED", quota: "STORE_QUOTA", aborts: "STORE_FAILED" };`;

describe("when the n-th operation fails, for every n", () => {
  test.each(["throws", "quota", "aborts"])("and it %s: a typed error, no half step, and a retry works", (way) =>
    profile(async ({ open }) => {
      const found = await inPage<{ wrong: string[]; tried: number }>(
        await open(),
        `${faults} ${codes}
         const data = btoa("y".repeat(9_000));
         const steps = [
           step(1, 0, { messages: [message("a", { content: [{ type: "image", source: { data } }] })], checkpoint: "{}" }),
           step(2, 1, { messages: [answer("b", { usage: { tokens_in: 1, tokens_out: 1 } })] }),
           step(3, 2),
           step(4, 2, { messages: [message("c"), answer("d")], checkpoint: '{"x":1}' }),
         ];
         const whole = async (store) => JSON.stringify([await store.readRun(), await store.getTurnCount(), await store.getTokenCount()]);
         const wrong = [];
         let tried = 0;
         for (let n = 1; n < 100; n++) {
           const store = new IndexedDBStore("n" + n);
           failAt(n, "${way}");
           for (const one of steps) {
             const before = await whole(store);
             const error = await store.appendStep(one, "strict").then(() => undefined, told);
             if (!error) continue;
             tried++;
             if (error.code !== codes["${way}"]) wrong.push(n + ": " + JSON.stringify(error));
             if (await whole(new IndexedDBStore("n" + n)) !== before) wrong.push(n + ": half a step");
             await store.appendStep(one, "strict").catch((error) => wrong.push(n + ": retry " + error.message));
           }
           if (!fault.fired) {
             // Nothing was left to fail: this is how it ends without a fault.
             const end = await whole(store);
             for (let m = 1; m < n; m++) if (await whole(new IndexedDBStore("n" + m)) !== end) wrong.push(m + ": another end");
             break;
           }
         }
         return { wrong, tried };`,
      );
      expect(found.wrong).toEqual([]);
      expect(found.tried).toBeGreaterThan(10);
    }),
  );

  test("a session says so, and goes on from where it was", () =>
    profile(async ({ open }) => {
      const found = await inPage<{ wrong: string[]; tried: number }>(
        await open(),
        `${inEachCore(faults)}
         const wrong = [];
         let tried = 0, end;
         for (let n = 0; n < 100; n++) {
           let ran = 0;
           const tools = [{ name: "t", description: "", jsonSchema: { type: "object" }, do: () => "worked " + ++ran }];
           const client = new GloveClient({ createModel: () => createScriptedModel(({ messages }) =>
             messages.at(-1).tool_results ? "done" : { toolCalls: [{ name: "t" }] }), tools });
           const session = client.session("n" + n);
           await session.start();
           void inCore("failAt(" + (n || Infinity) + ', "aborts")');
           let error = await session.sendMessage("Hi").then(() => undefined, told);
           if (error) {
             tried++;
             if (!error.code.startsWith("STORE_")) wrong.push(n + ": " + JSON.stringify(error));
             const again = await session.resume().then((outcome) => outcome.type, told);
             if (again !== "completed" && session.getSnapshot().timeline.length < 3) await session.sendMessage("Hi").catch((error) => wrong.push(n + ": " + error.message));
           }
           const stored = (await new IndexedDBStore("n" + n, new SessionDatabase()).getMessages()).map(({ sender, text, tool_calls, tool_results }) =>
             [sender, text, tool_calls?.length ?? 0, tool_results?.map(({ result }) => result.data) ?? null]);
           if (n === 0) end = JSON.stringify(stored);
           else if (JSON.stringify(stored) !== end) wrong.push(n + ": " + JSON.stringify(stored));
           if (ran !== 1) wrong.push(n + ": ran " + ran);
           client.dispose();
           if (n > 0 && !(await inCore("fault.fired"))) break;
         }
         return { wrong, tried };`,
      );
      expect(found.wrong).toEqual([]);
      expect(found.tried).toBeGreaterThan(5);
    }));
});

// Only Chromium lets a test say how much room there is.
test.runIf(engineName === "chromium")(
  "storage that is really full is told as such, and the session goes on when there is room",
  async () => {
    const [browser, server] = await Promise.all([openBrowser(), servePackage()]);
    await withProfile(browser, server, async ({ context, open, url }) => {
      const page = await open();
      const devtools = await context.newCDPSession(page);
      // Set before the first write: the browser remembers for a while how much room there was.
      await devtools.send("Storage.overrideQuotaForOrigin", { origin: url, quotaSize: 2_000_000 });
      const first = `globalThis.store = new IndexedDBStore("s"); await store.appendStep(step(1, 0, { messages: [message("a")] }), "strict");`;
      await inPage(page, first);
      const large = `step(2, 1, { messages: [message("x".repeat(5_000_000))] })`;
      const full = await inPage(
        page,
        `return [await store.appendStep(${large}, "strict").catch(told), (await store.getMessages()).length];`,
      );
      expect(full).toEqual([{ code: "STORE_QUOTA", message: expect.stringContaining("full") }, 1]);
      await devtools.send("Storage.overrideQuotaForOrigin", { origin: url });
      expect(await inPage(page, `await store.appendStep(${large}, "strict"); return (await store.getMessages()).length;`)).toBe(
        2,
      );
    });
    await browser.close();
    await server.close();
  },
);

describe("several tabs", () => {
  test.each([4])("%i tabs with a session each lose nothing", (tabs) =>
    profile(async ({ open }) => {
      const pages = await Promise.all(Array.from({ length: tabs }, () => open()));
      const write = (page: (typeof pages)[number], at: number) =>
        inPage(
          page,
          `const store = new IndexedDBStore("tab${at}");
           for (let n = 0; n < 50; n++) await store.appendStep(step(n + 1, 2 * n, { messages: [message("q" + n), answer("a" + n)] }), "relaxed");`,
        );
      await Promise.all(pages.map(write));
      const [page] = pages;
      if (!page) throw new Error("no tab");
      const counts = await inPage(
        page,
        `const sessions = await new SessionDatabase().list();
         return Promise.all(sessions.map(async ({ id, messageCount }) => {
           const texts = (await new IndexedDBStore(id).getMessages()).map(({ text }) => text);
           return [messageCount, texts.every((text, at) => text === (at % 2 ? "a" : "q") + Math.floor(at / 2))];
         }));`,
      );
      expect(counts).toEqual(Array.from({ length: tabs }, () => [100, true]));
    }),
  );

  test.each([4])("%i tabs on one session are told of each other by code, and lose nothing that was acknowledged", (tabs) =>
    profile(async ({ open }) => {
      const pages = await Promise.all(Array.from({ length: tabs }, () => open()));
      const ends = await Promise.all(
        pages.map((page, at) =>
          inPage<{ kept: string[]; codes: string[] }>(
            page,
            `const store = new IndexedDBStore("shared");
             const kept = [], codes = new Set();
             // All begin together.
             localStorage.setItem("ready${at}", "yes");
             while (localStorage.length < ${tabs}) await new Promise((again) => setTimeout(again, 5));
             for (let n = 0; n < 75; n++) {
               const { messages, records } = await store.readRun();
               const seq = (records.at(-1)?.seq ?? 0) + 1;
               const mine = [message("${at}." + n + "q"), answer("${at}." + n + "a")];
               await store.appendStep(step(seq, messages.length, { messages: mine }), "relaxed").then(
                 () => kept.push(...mine.map(({ text }) => text)), (error) => codes.add(error.code));
             }
             return { kept, codes: [...codes] };`,
          ),
        ),
      );
      const [page] = pages;
      if (!page) throw new Error("no tab");
      const stored = await inPage<string[]>(
        page,
        `return (await new IndexedDBStore("shared").getMessages()).map(({ text }) => text);`,
      );
      expect([...stored].sort()).toEqual(ends.flatMap(({ kept }) => kept).sort());
      // Nothing came between the two messages of a step.
      for (let at = 0; at < stored.length; at += 2) expect(stored[at + 1]).toBe(stored[at]?.replace("q", "a"));
      expect([...new Set(ends.flatMap(({ codes }) => codes))]).toEqual(["STORE_CONFLICT"]);
    }),
  );
});

describe("versions", () => {
  test("an old tab lets go of the database when a newer version comes, and says then that it is too old", () =>
    profile(async ({ open }) => {
      const old = await open();
      await inPage(old, `globalThis.store = new IndexedDBStore("s"); await store.appendMessages([message("old")]);`);
      const took = await inPage(
        await open(),
        `const since = performance.now(); (await raw(99)).close(); return performance.now() - since;`,
      );
      expect(took).toBeLessThan(3000);
      const refused = await inPage(
        old,
        `return [await store.getMessages().catch(told), await store.appendMessages([message("x")]).catch(told)];`,
      );
      const error = { code: "STORE_NEWER", message: expect.stringContaining("reload") };
      expect(refused).toEqual([error, error]);
      expect(
        await inPage(old, `const db = await raw(99); const all = await rows("messages", db); db.close(); return all.length;`),
      ).toBe(1);
    }));

  test("a session over a newer database says so, and nothing is damaged", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `(await raw(99, (db) => db.createObjectStore("future"))).close();
         const session = new GloveClient({ createModel: () => createScriptedModel(["x"]) }).session("s");
         const refused = await session.sendMessage("Hi").catch(told);
         const db = await raw(99);
         return [refused.code, session.getSnapshot().error?.code, session.getSnapshot().storage, [...db.objectStoreNames]];`,
      );
      expect(found).toEqual(["STORE_NEWER", "STORE_NEWER", "indexeddb", ["future"]]);
    }));

  test("an upgrade that another tab blocks ends with a code within three seconds or so, and works once that tab is gone", () =>
    profile(async ({ open }) => {
      const holder = await open();
      await inPage(holder, `globalThis.held = await raw(1, (db) => db.createObjectStore("sessions"));`);
      const page = await open();
      const blocked = await inPage<{ error: { code: string }; took: number }>(
        page,
        `globalThis.connection = new Connection("glove", [() => {}, () => {}]);
         globalThis.use = () => connection.run(["sessions"], "readonly", async ({ ask, store }) => ask(store("sessions").count()));
         const since = performance.now();
         const error = await use().catch(told);
         return { error, took: performance.now() - since };`,
      );
      expect(blocked.error).toEqual({ code: "STORE_UNAVAILABLE", message: expect.stringContaining("tab") });
      expect(blocked.took).toBeLessThan(3500);
      await holder.close();
      expect(await inPage(page, `return use();`)).toBe(0);
    }));

  test("an upgrade that fails changes nothing", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `await new IndexedDBStore("s").appendMessages([message("kept")]);
         const broken = new Connection("glove", [() => {}, (db) => { db.createObjectStore("new"); throw new Error("broken"); }]);
         const failed = await broken.run(["sessions"], "readonly", async () => {}).catch(told);
         const db = await raw();
         return [failed.code, db.version, [...db.objectStoreNames].includes("new"), (await rows("messages", db)).length];`,
      );
      expect(found).toEqual(["STORE_FAILED", 1, false, 1]);
    }));
});

describe("a connection that died", () => {
  const dying = `
    const original = IDBDatabase.prototype.transaction;
    let dead = 0, opened = 0;
    IDBDatabase.prototype.transaction = function (...args) {
      if (dead-- > 0) throw new DOMException("Connection to Indexed Database server lost. Refresh the page to try again", "UnknownError");
      return original.apply(this, args);
    };
    const open = IDBFactory.prototype.open;
    IDBFactory.prototype.open = function (...args) { opened++; return open.apply(this, args); };`;

  test("is opened again, once", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `${dying}
         const store = new IndexedDBStore("s");
         await store.appendMessages([message("1")]);
         dead = 1;
         await store.appendMessages([message("2")]);
         dead = 2;
         const failed = await store.appendMessages([message("3")]).catch(told);
         await store.appendMessages([message("4")]);
         return [opened, failed.code, (await store.getMessages()).map(({ text }) => text)];`,
      );
      expect(found).toEqual([4, "STORE_UNAVAILABLE", ["1", "2", "4"]]);
    }));

  test("is opened again when the browser is closing it", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `let last;
         const open = IDBFactory.prototype.open;
         IDBFactory.prototype.open = function (...args) {
           const request = open.apply(this, args);
           request.addEventListener("success", () => { last = request.result; });
           return request;
         };
         const store = new IndexedDBStore("s");
         await store.appendStep(step(1, 0, { messages: [message("1")] }), "strict");
         last.close();
         await store.appendStep(step(2, 1, { messages: [message("2")] }), "strict");
         return (await store.getMessages()).length;`,
      );
      expect(found).toBe(2);
    }));

  test("may have stored a step whose end was not heard; it is not stored twice", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `const store = new IndexedDBStore("s");
         await store.appendStep(step(1, 0, { messages: [message("1")] }), "strict");
         const original = IDBDatabase.prototype.transaction;
         let lost = 1;
         IDBDatabase.prototype.transaction = function (...args) {
           const tx = original.apply(this, args);
           if (args[1] !== "readwrite" || lost-- <= 0) return tx;
           // Completed on the disk, but the page is told that the connection broke.
           Object.defineProperty(tx, "oncomplete", { set(done) { tx.addEventListener("complete", () => tx.onabort()); } });
           Object.defineProperty(tx, "error", { value: new DOMException("lost", "UnknownError") });
           return tx;
         };
         await store.appendStep(step(2, 1, { messages: [message("2")] }), "strict");
         return (await store.getMessages()).map(({ text }) => text);`,
      );
      expect(found).toEqual(["1", "2"]);
    }));

  test("is opened again for all that were at work on it, who hear of its end one after another", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `const [one, two] = ["one", "two"].map((id) => new IndexedDBStore(id));
         await Promise.all([one, two].map((store) => store.appendStep(step(1, 0, { messages: [message("1")] }), "strict")));
         let opened = 0, lost = 2, again;
         const reopened = new Promise((resolve) => { again = resolve; });
         const open = IDBFactory.prototype.open;
         IDBFactory.prototype.open = function (...args) {
           if (++opened === 1) setTimeout(again);
           return open.apply(this, args);
         };
         const original = IDBDatabase.prototype.transaction;
         IDBDatabase.prototype.transaction = function (...args) {
           const tx = original.apply(this, args);
           if (args[1] !== "readwrite" || lost-- <= 0) return tx;
           const isFirst = lost === 1;
           const told = () => (isFirst ? tx.onabort() : reopened.then(() => tx.onabort()));
           Object.defineProperty(tx, "oncomplete", { set() { tx.addEventListener("complete", told); } });
           Object.defineProperty(tx, "error", { value: new DOMException("lost", "UnknownError") });
           return tx;
         };
         await Promise.all([one, two].map((store) => store.appendStep(step(2, 1, { messages: [message("2")] }), "strict")));
         const kept = await Promise.all([one, two].map(async (store) => (await store.getMessages()).map(({ text }) => text).join()));
         return [opened, ...kept];`,
      );
      expect(found).toEqual([1, "1,2", "1,2"]);
    }));
});

describe("a transaction that does not answer", () => {
  /** From now on, another connection holds up all that is asked of the database; and half a minute is a third of a second. */
  const silent = `
    const interval = setInterval;
    window.setInterval = (tick, ms) => interval(tick, ms / 100);
    let silent = false;
    const silence = () => new Promise((held, refuse) => {
      silent = true;
      const opening = indexedDB.open("glove");
      opening.onerror = () => refuse(opening.error);
      opening.onsuccess = () => {
        const transaction = opening.result.transaction([...opening.result.objectStoreNames], "readwrite");
        const hold = () => {
          held();
          if (silent) transaction.objectStore("sessions").get("none").onsuccess = hold;
          else opening.result.close();
        };
        transaction.objectStore("sessions").get("none").onsuccess = hold;
      };
    });
    const speak = () => { silent = false; };`;

  test("is given up with a code, stores nothing, and the next one works", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `${silent}
         const store = new IndexedDBStore("s");
         await store.appendStep(step(1, 0, { messages: [message("1")] }), "strict");
         await silence();
         const failed = await store.appendStep(step(2, 1, { messages: [message("2")] }), "strict").catch(told);
         speak();
         const between = (await store.getMessages()).length;
         await store.appendStep(step(2, 1, { messages: [message("2")] }), "strict");
         return [failed, between, (await store.getMessages()).length];`,
      );
      const failed = { code: "STORE_UNAVAILABLE", message: expect.stringContaining("does not respond") };
      expect(found).toEqual([failed, 1, 2]);
    }));

  test("parks the run, which goes on when it is resumed", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `${silent}
         const tools = [{ name: "t", description: "", jsonSchema: { type: "object" }, do: async () => { await silence(); return "worked"; } }];
         const client = new GloveClient({ createModel: () => createScriptedModel([{ toolCalls: [{ name: "t" }] }, "done"]), tools });
         const session = client.session("s");
         const failed = await session.sendMessage("Hi").catch(told);
         speak();
         const { phase } = session.getSnapshot().run;
         await session.resume();
         return [failed.code, phase, texts(session.getSnapshot()), (await new IndexedDBStore("s").getMessages()).length];`,
      );
      expect(found).toEqual(["STORE_UNAVAILABLE", "paused", ["user: Hi", "t: success worked", "agent_text: done"], 4]);
    }));

  // Private windows of WebKit leave a transaction that was given a Blob like this.
  test.runIf(engineName === "webkit")("as one that was given a Blob, holds up nothing behind it", () =>
    profile(async ({ open }) => {
      const found = await inPage(
        await open(),
        `${silent}
         const store = new IndexedDBStore("s");
         const database = new SessionDatabase();
         const put = ({ ask, store }) => ask(store("media").put(new Blob(["x"]), ["s", "k"]));
         const failed = await database.run(["media"], "relaxed", put).catch(told);
         await store.appendStep(step(1, 0, { messages: [message("1")] }), "strict");
         return [failed.code, (await store.getMessages()).length];`,
      );
      expect(found).toEqual(["STORE_UNAVAILABLE", 1]);
    }),
  );
});

describe("without a database", () => {
  const work = `
    const events = [];
    const subscribers = [{ record: (type, data) => events.push([type, data.code]) }];
    const client = new GloveClient({ createModel: () => createScriptedModel(["one", "two"]), subscribers });
    const session = client.session("s");
    await session.sendMessage("Hi");
    session.dispose();
    const again = client.session("s");
    await again.start();
    const [listed] = await client.sessions();
    return [again.getSnapshot().storage, events.filter(([type]) => type === "warning")[0], listed.title, texts(await until(again, ({ timeline }) => timeline.length === 2))];`;
  const expected = ["memory", ["warning", "STORAGE_MEMORY"], "Hi", ["user: Hi", "agent_text: one"]];

  test("a session is kept in memory and says so", () =>
    profile(async ({ open }) => {
      const none = `Object.defineProperty(self, "indexedDB", { value: undefined, configurable: true });`;
      expect(await inPage(await open(`${none} ${inEachCore(none)}`), work)).toEqual(expected);
    }));

  test("also in a frame that is allowed no storage", () =>
    profile(async ({ open, url }) => {
      const framed = `<base href="${url}/">${html}<script>(${wrapped(work)}).then(
        (end) => parent.postMessage({ end }, "*"), (error) => parent.postMessage({ error: String(error) }, "*"));</script>`;
      const page = await open();
      const found = await page.evaluate(
        `new Promise((resolve) => {
           addEventListener("message", ({ data }) => resolve(data), { once: true });
           const frame = document.createElement("iframe");
           frame.sandbox = "allow-scripts";
           frame.srcdoc = ${JSON.stringify(framed)};
           document.body.append(frame);
         })`,
      );
      expect(found).toEqual({ end: expected });
    }));
});

test("the browser is asked to keep its storage once, and only when the application wants it", () =>
  profile(async ({ open }) => {
    const found = await inPage(
      await open(),
      `let asked = 0;
       // WebKitGTK has none.
       Object.defineProperty(navigator, "storage", { value: { persist: async () => { asked++; return false; } } });
       await new IndexedDBStore("s", new SessionDatabase()).getMessages();
       const before = asked;
       const database = new SessionDatabase({ persist: true });
       await new IndexedDBStore("s", database).getMessages();
       await new IndexedDBStore("t", database).getMessages();
       return [before, asked];`,
    );
    expect(found).toEqual([0, 1]);
  }));

test("a full storage hides nothing: the session is opened to be read, says so, and goes on when there is room", () =>
  profile(async ({ open }) => {
    const page = await open();
    const make = `const client = new GloveClient({ createModel: () => createScriptedModel(["one", "two"]) }); const session = client.session("s");`;
    await inPage(page, `${make} await session.sendMessage("Hi"); client.dispose();`);
    const found = await inPage(
      page,
      `const full = 'IDBObjectStore.prototype.put = () => { throw new DOMException("injected", "QuotaExceededError"); };';
       void inCore("var put = IDBObjectStore.prototype.put; " + full);
       ${make}
       await session.start();
       // It looks for room first.
       for (let tries = 0; tries < 200 && !session.getSnapshot().error; tries++) await new Promise((later) => setTimeout(later, 10));
       const { sessionReady, error } = session.getSnapshot();
       const opened = [texts(session.getSnapshot()), sessionReady, error?.code];
       const refused = await session.sendMessage("More").catch(({ code }) => code);
       const kept = session.getSnapshot();
       void inCore("IDBObjectStore.prototype.put = put;");
       const outcome = await session.resume();
       return { opened, refused, kept: [texts(kept).at(-1), kept.run.phase], text: outcome.text, stored: (await new IndexedDBStore("s").getMessages()).length };`,
    );
    expect(found).toEqual({
      opened: [["user: Hi", "agent_text: one"], true, "STORE_QUOTA"],
      refused: "STORE_QUOTA",
      kept: ["user: More", "paused"],
      text: "one",
      stored: 4,
    });
  }));

test("a database that does not open is waited for once, and used when it opens late", () =>
  profile(async ({ open }) => {
    const page = await open();
    const held = `
      const begin = indexedDB.open.bind(indexedDB);
      globalThis.held = [];
      // The limit of opening is a timer: it passes at once. Others stay: on a busy machine what they limit takes its time.
      const timeout = globalThis.setTimeout;
      globalThis.setTimeout = (work, ms, ...args) => timeout(work, ms === 10_000 ? 20 : ms, ...args);
      IDBFactory.prototype.open = function (...args) {
        const request = {};
        held.push(() => {
          const real = begin(...args);
          for (const name of ["onupgradeneeded", "onsuccess", "onerror"]) real[name] = (event) => {
            Object.defineProperties(request, { result: { get: () => real.result, configurable: true }, transaction: { get: () => real.transaction, configurable: true } });
            request[name]?.(event);
          };
        });
        return request;
      };`;
    const found = await inPage<{ codes: string[]; opens: number; late: string[] }>(
      page,
      `${inEachCore(held)}
       const client = new GloveClient({ createModel: () => createScriptedModel(["one"]) });
       const session = client.session("s");
       const codes = [await session.start().catch(({ code }) => code), session.getSnapshot().error?.code];
       const opens = await inCore("for (const go of held) go(); held.length");
       while (!(await session.start().then(() => true, () => false)));
       await session.sendMessage("Hi");
       return { codes, opens, late: texts(session.getSnapshot()) };`,
    );
    expect(found).toEqual({ codes: ["STORE_UNAVAILABLE", "STORE_UNAVAILABLE"], opens: 1, late: ["user: Hi", "agent_text: one"] });
  }));
