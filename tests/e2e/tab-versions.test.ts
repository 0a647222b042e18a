// Tabs that do not fit together: messages that are none, a database that a newer version opens while an older one runs the session,
// and pages that speak another version of the tabs' own language.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inEachCore, inWorker } from "../support/core-place.js";
import { malformedMessages } from "../support/malformed-messages.js";
import { inPage, type Profile } from "../support/pages.js";
import { profiles } from "../support/profiles.js";
import { app, done, freeze, open, shown, tabOf, when } from "../support/tabs.js";

const { profile } = profiles();

const name = `await new IndexedDBStore("s").shared()`;

test("malformed messages are refused or ignored, and the tabs go on working", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    const sent = inPage(second, `return errorOf(session.sendMessage("form"));`);
    const slot = await when<string>(second, `shown.run.phase === "waiting"`, "shown.slots[0].id");
    const wrong = await inPage<unknown[]>(
      await profile.open(),
      `${malformedMessages.toString()}
       const channel = new BroadcastChannel(${name});
       const heard = [];
       channel.onmessage = ({ data }) => heard.push(data);
       const hear = async (fits) => {
         for (let tries = 0; tries < 400; tries++) {
           const found = heard.find(fits);
           if (found) return found;
           await new Promise((later) => setTimeout(later, 5));
         }
       };
       channel.postMessage({ v: 4, kind: "hello", tab: "a stranger" });
       const { leader } = await hear(({ kind }) => kind === "all");
       const wrong = [];
       for (const { name, message, refused } of malformedMessages(leader)) {
         channel.postMessage(message);
         if (!refused) continue;
         const answer = await hear(({ kind, id }) => kind === "answered" && id === message.id);
         if (answer?.error?.code !== refused) wrong.push([name, answer]);
       }
       return wrong;`,
    );
    expect(wrong).toEqual([]);
    expect([await tabOf(first), await tabOf(second)]).toEqual(["leader", "follower"]);
    expect(await inPage(second, `return session.resolveSlot("${slot}", "Ada");`)).toBe(true);
    expect(await sent).toMatchObject({ text: "all done" });
    for (const page of [first, second]) {
      expect(await inPage(page, `return (await session.sendMessage("hello")).text;`)).toBe("you said hello");
      expect(await inPage(page, "return session.getSnapshot().error ?? null;")).toBe(null);
    }
    expect(await shown(first)).toEqual(await shown(second));
    expect(await done(first)).toBe("form ");
  }));

// ---- a newer database ------------------------------------------------------------------------------------------------

/** A page of a newer version of the application: its database has one version more. */
const newer = `
  const openDatabase = IDBFactory.prototype.open;
  IDBFactory.prototype.open = function (name, version) { return openDatabase.call(this, name, version === undefined ? undefined : version + 1); };
`;
const newerBuild = inWorker ? `${newer} ${inEachCore(newer)}` : newer;

test("a newer page whose database an older one holds says what to do, and goes on by itself when that one is gone", () =>
  profile(async ({ open }) => {
    const older = await open();
    // Its connection hears of no newer version.
    await inPage(older, `await new IndexedDBStore("other").appendMessages([message("Hi")]); globalThis.held = await raw();`);
    const page = await open(newerBuild);
    const refused = await inPage<{ code: string; message: string; took: number; queue: string[] }>(
      page,
      `globalThis.session = new GloveClient({ createModel: () => createScriptedModel(() => "fine") }).session("s");
       const since = performance.now();
       const error = await session.sendMessage("Hi").catch(told);
       const took = performance.now() - since;
       return { ...error, took, queue: session.getSnapshot().queue.map(({ text }) => text) };`,
    );
    expect(refused).toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("close or reload that tab"),
      queue: ["Hi"],
    });
    expect(refused.took).toBeLessThan(6_000);
    await older.close();
    expect(
      await inPage(
        page,
        `await until(session, ({ timeline, busy, error }) => timeline.length === 2 && !busy && !error);
         return [texts(session.getSnapshot()), session.getSnapshot().queue.length];`,
      ),
    ).toEqual([["user: Hi", "agent_text: fine"], 0]);
  }));

test("a newer page whose database a frozen one holds says so too, and goes on by itself when that one is gone", () =>
  profile(async (profile) => {
    const older = await open(profile);
    await inPage(older, `await session.sendMessage("look");`);
    const end = await freeze(older, profile);
    const page = await profile.open(newerBuild);
    const refused = await inPage(
      page,
      `globalThis.session = new GloveClient({ createModel: () => createScriptedModel(() => "fine") }).session("new");
       return session.sendMessage("Hi").catch(told);`,
    );
    expect(refused).toMatchObject({ code: "STORE_UNAVAILABLE", message: expect.stringContaining("close or reload that tab") });
    end();
    expect(
      await inPage(
        page,
        `await until(session, ({ timeline, busy, error }) => timeline.length === 2 && !busy && !error);
         return [texts(session.getSnapshot()), session.getSnapshot().queue.length];`,
      ),
    ).toEqual([["user: Hi", "agent_text: fine"], 0]);
  }));

/** Opens it, and gives the milliseconds until it runs the session. */
const openNewer = async (profile: Profile): Promise<[Page, number]> => {
  const page = await profile.open(newerBuild);
  const before = performance.now();
  await inPage(
    page,
    `${app} await session.start().catch(() => {}); await until(session, ({ tab, sessionReady }) => tab === "leader" && sessionReady);`,
  );
  return [page, performance.now() - before];
};
const stopped = (page: Page) =>
  when(page, `shown.tab === "outdated" && shown.error`, "[shown.error.code, shown.busy, shown.slots.length]");

test("a page that is at rest gives a newer one the session and the database at once, and says why it stopped", () =>
  profile(async (profile) => {
    const old = await open(profile);
    await inPage(old, `await session.sendMessage("look");`);
    const [fresh, ms] = await openNewer(profile);
    expect(ms).toBeLessThan(3_000);
    expect(await stopped(old)).toEqual(["STORE_NEWER", false, 0]);
    expect(await inPage(old, "return session.getSnapshot().error.message;")).toMatch(/reload this page/);
    const whole = ["user: look", "look: success seen", "agent_text: all done"];
    expect(await shown(fresh)).toEqual(whole);
    // What was there stays on the screen of the old one; what is written there stays in its queue.
    expect(await shown(old)).toEqual(whole);
    expect(await inPage(old, `return errorOf(session.sendMessage("lost?"));`)).toMatch(/^STORE_NEWER/);
    expect(await inPage(old, "return session.getSnapshot().queue.map(({ text }) => text);")).toEqual(["lost?"]);
    expect(await inPage(fresh, `return (await session.sendMessage("hello")).text;`)).toBe("you said hello");
    expect(await done(fresh)).toBe("look ");
  }));

test("a form that is open in an old page is open in the newer one, and answered there", () =>
  profile(async (profile) => {
    const old = await open(profile);
    await inPage(old, `globalThis.sent = errorOf(session.sendMessage("form"));`);
    await when(old, `shown.run.phase === "waiting" && shown.slots.length === 1`);
    const [fresh, ms] = await openNewer(profile);
    expect(ms).toBeLessThan(4_000);
    expect(await stopped(old)).toEqual(["STORE_NEWER", false, 0]);
    expect(await inPage(old, "return sent;")).toMatch(/^STORE_NEWER/);
    const slot = await when<string>(fresh, `shown.run.phase === "waiting" && shown.slots.length === 1`, "shown.slots[0].id");
    expect(await inPage(fresh, `return session.resolveSlot("${slot}", "Ada");`)).toBe(true);
    expect(await when(fresh, "!shown.busy", "texts(shown)")).toEqual([
      "user: form",
      "form: success said Ada",
      "agent_text: all done",
    ]);
  }));

test("an old page finishes the tool that it runs before it gives way", () =>
  profile(async (profile) => {
    const slow = `tools.push(tool("slow", () => new Promise((later) => setTimeout(later, 1_000, "slowly"))));`;
    const [old, fresh] = [await profile.open(), await profile.open(newerBuild)];
    const make = app.replace("globalThis.client", `${slow} globalThis.client`);
    await inPage(old, `${make} await session.start(); globalThis.sent = errorOf(session.sendMessage("slow"));`);
    await when(old, `shown.run.phase === "tools"`);
    await inPage(fresh, `${make} await session.start().catch(() => {});`);
    await when(fresh, `shown.tab === "leader" && shown.timeline.length > 0 && !shown.busy`);
    expect(await shown(fresh)).toEqual(["user: slow", "slow: success slowly", "agent_text: all done"]);
    expect(await stopped(old)).toEqual(["STORE_NEWER", false, 0]);
    expect(await done(fresh)).toBe("slow ");
  }));

test("a tool that takes longer than a newer page waits is not run a second time: the person is asked there", () =>
  profile(async (profile) => {
    const slow = `tools.push(tool("slow", () => new Promise((later) => setTimeout(later, 20_000, "slowly"))));`;
    const [old, fresh] = [await profile.open(), await profile.open(newerBuild)];
    const make = app.replace("globalThis.client", `${slow} globalThis.client`);
    await inPage(old, `${make} await session.start(); globalThis.sent = errorOf(session.sendMessage("slow"));`);
    await when(old, `shown.run.phase === "tools"`);
    const before = performance.now();
    await inPage(fresh, `${make} await session.start().catch(() => {});`);
    expect(await when(fresh, "shown.approvals.length === 1", "shown.approvals[0].kind")).toBe("interrupted");
    expect(performance.now() - before).toBeLessThan(6_000);
    expect(await stopped(old)).toEqual(["STORE_NEWER", false, 0]);
    expect(await inPage(old, "return sent;")).toMatch(/^STORE_NEWER/);
    expect(await done(fresh)).toBe("slow ");
  }));

test("a long answer that an old page is showing goes on in the newer one, from what was stored", () =>
  profile(async (profile) => {
    const old = await open(profile);
    await inPage(old, `globalThis.sent = errorOf(session.sendMessage("write 1500"));`);
    await when(old, `shown.streamingText.includes("word9 ")`);
    const [fresh, ms] = await openNewer(profile);
    expect(ms).toBeLessThan(6_000);
    expect(await inPage(old, "return sent;")).toMatch(/^STORE_NEWER/);
    await when(fresh, `!shown.busy && shown.timeline.length === 2`);
    expect((await shown(fresh))[1]).toMatch(/word1499 $/);
  }));

test("all old tabs stop, the one that runs the session and those that follow", () =>
  profile(async (profile) => {
    const old = [await open(profile), await open(profile), await open(profile)];
    const [fresh] = await openNewer(profile);
    for (const page of old) expect(await stopped(page)).toEqual(["STORE_NEWER", false, 0]);
    expect(await inPage(fresh, `return (await session.sendMessage("hello")).text;`)).toBe("you said hello");
  }));

test("an old page that has not heard of the newer one gives way when it next uses its database, and what was sent is answered", () =>
  profile(async (profile) => {
    const connections = `
      globalThis.connections = [];
      const openDatabase = IDBFactory.prototype.open;
      IDBFactory.prototype.open = function (...given) {
        const request = openDatabase.apply(this, given);
        request.addEventListener("success", () => connections.push(request.result));
        return request;
      };`;
    const old = await open(profile, inEachCore(connections));
    await inPage(old, `await session.sendMessage("look");`);
    // A browser may close the connection of a page at any time.
    await inPage(old, `await inCore("for (const database of connections) database.close();");`);
    const fresh = await profile.open(newerBuild);
    // The old one looks for messages when another tab joins.
    await inPage(fresh, `${app} await session.start();`);
    expect(await inPage(fresh, `return (await errorOf(session.sendMessage("hello"))).text;`)).toBe("you said hello");
    expect(await tabOf(fresh)).toBe("leader");
    expect(await stopped(old)).toEqual(["STORE_NEWER", false, 0]);
    expect((await shown(fresh)).filter((text) => text === "user: hello")).toHaveLength(1);
  }));

test("an old page that is opened beside a newer one takes nothing away from it", () =>
  profile(async (profile) => {
    const [fresh] = await openNewer(profile);
    const old = await profile.open();
    await inPage(old, `${app} await session.start().catch(() => {});`);
    expect(await inPage(fresh, `return (await session.sendMessage("hello")).text;`)).toBe("you said hello");
    expect(await tabOf(fresh)).toBe("leader");
    await fresh.close();
    // Alone it cannot open what the newer one has written, and says so.
    expect(await stopped(old)).toEqual(["STORE_NEWER", false, 0]);
  }));

// ---- another version of the messages ---------------------------------------------------------------------------------

/** A page whose messages to other tabs are of the version before, or the next. */
const speaks = (v: number) => `
  const post = BroadcastChannel.prototype.postMessage;
  BroadcastChannel.prototype.postMessage = function (message) { return post.call(this, { ...message, v: ${v} }); };
  const listen = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, "onmessage");
  // Its own version is the same to itself: what it hears of others is as far from that.
  Object.defineProperty(BroadcastChannel.prototype, "onmessage", {
    set(hear) { listen.set.call(this, ({ data }) => hear({ data: { ...data, v: data.v + 4 - ${v} } })); },
  });
`;

test("a page of a newer version gets the session of an older one that is at rest", () =>
  profile(async (profile) => {
    const old = await open(profile);
    await inPage(old, `await session.sendMessage("hello");`);
    const fresh = await profile.open(speaks(5));
    await inPage(fresh, `${app} await session.start().catch(() => {});`);
    await when(fresh, `shown.tab === "leader" && shown.timeline.length === 2 && !shown.error`);
    expect(await when(old, `shown.tab === "outdated"`, "shown.error.code")).toBe("TAB_VERSION");
    expect(await inPage(fresh, `return (await session.sendMessage("again")).text;`)).toBe("you said again");
  }));

test("a page of a newer version says that an older one is in the middle of something, and gets the session at its end or by hand", () =>
  profile(async (profile) => {
    const old = await open(profile);
    await inPage(old, `globalThis.sent = errorOf(session.sendMessage("write 600"));`);
    await when(old, `shown.streamingText !== ""`);
    const fresh = await profile.open(speaks(5));
    await inPage(fresh, `${app} await session.start().catch(() => {});`);
    expect(await when(fresh, `shown.tab === "blocked"`, "shown.error.code")).toBe("TAB_VERSION");
    expect(await inPage(old, "return (await sent).type;")).toBe("completed");
    await when(fresh, `shown.tab === "leader" && shown.timeline.length === 2 && !shown.error`);
    expect(await tabOf(old)).toBe("outdated");

    const [second, third] = [await profile.open(speaks(5)), await profile.open(speaks(6))];
    await fresh.close();
    await inPage(second, `${app} await session.start(); globalThis.sent = errorOf(session.sendMessage("write 3000"));`);
    await when(second, `shown.streamingText !== ""`);
    await inPage(third, `${app} await session.start().catch(() => {});`);
    await when(third, `shown.tab === "blocked"`);
    await inPage(third, "await session.takeOver();");
    expect(await tabOf(third)).toBe("leader");
    expect(await when(second, `shown.tab === "outdated"`, "shown.error.code")).toBe("TAB_VERSION");
    expect(await inPage(second, "return sent;")).toMatch(/^TAB_VERSION/);
  }));

test("a page of an older version that is opened beside a newer one is told to be loaded anew", () =>
  profile(async (profile) => {
    const fresh = await open(profile);
    const old = await profile.open(speaks(3));
    await inPage(old, `${app} await session.start().catch(() => {});`);
    expect(await when(old, `shown.tab === "outdated"`, "shown.error.code")).toBe("TAB_VERSION");
    expect(await inPage(fresh, `return (await session.sendMessage("hello")).text;`)).toBe("you said hello");
  }));
