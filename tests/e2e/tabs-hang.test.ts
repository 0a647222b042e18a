// A tab that runs a session and hangs, what becomes of its session, and what it does when it wakes.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inEachCore } from "../support/core-place.js";
import { inPage } from "../support/pages.js";
import { profiles } from "../support/profiles.js";
import { app, asked, cores, done, killHung, noLocks, open, shown, tabOf, takeOver, when } from "../support/tabs.js";

const { profile } = profiles({
  "/still": async ({ url }) => {
    await new Promise((later) => setTimeout(later, Number(new URL(url).search.slice(1))));
    return new Response();
  },
});

const begins = `localStorage.setItem("hangs", "yes");`;
/** The page stands still and hears of nothing, as in an endless loop, without its work. It says before that it begins. */
const still = (ms: number) =>
  `${begins} { const asked = new XMLHttpRequest(); asked.open("GET", "/still?${ms}", false); asked.send(); }`;
const hang = (page: Page, ms: number) => page.evaluate(`setTimeout(() => { ${still(ms)} })`);
/** In a loop, for `killHung`, which looks for the process that works. */
const loop = (page: Page, ms: number) =>
  page.evaluate(`setTimeout(() => { ${begins} for (const end = Date.now() + ${ms}; Date.now() < end;); })`);
/** From the moment when the page hangs. */
const hangs = (page: Page) => page.waitForFunction(() => localStorage.getItem("hangs") === "yes", undefined, { polling: 20 });

test("a tab that hangs while its session waits is superseded within two seconds, and follows when it wakes", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    await inPage(first, `globalThis.sent = errorOf(session.sendMessage("form"));`);
    const slot = await asked(second);
    await takeOver(second, () => hang(first, 6_000), 2_500);
    expect(await when(second, `shown.run.phase === "waiting"`, "shown.slots.map(({ id }) => id)")).toEqual([slot]);
    expect(await inPage(second, `return session.resolveSlot("${slot}", "Ada");`)).toBe(true);
    expect(await when(second, "!shown.busy", "texts(shown)")).toEqual([
      "user: form",
      "form: success said Ada",
      "agent_text: all done",
    ]);
    // What it asked for is answered where the session runs now.
    expect(await inPage(first, "return (await sent).text;")).toBe("all done");
    expect([await tabOf(first), await tabOf(second)]).toEqual(["follower", "leader"]);
    expect(await shown(first)).toEqual(await shown(second));
    expect(await done(first)).toBe("form form ");
  }));

test("a tab that hangs while it writes that a tool begins does not run it when it wakes: the person is asked elsewhere", () =>
  profile(async (profile) => {
    // Its page hangs when the write is done, before it hears of that.
    const stuck = inEachCore(`
      const begin = IDBDatabase.prototype.transaction;
      IDBDatabase.prototype.transaction = function (names, mode, options) {
        const transaction = begin.call(this, names, mode, options);
        if (options?.durability === "strict" && globalThis.armed) {
          globalThis.armed = false;
          transaction.addEventListener("complete", () => atPage(${JSON.stringify(still(6_000))}));
        }
        return transaction;
      };`);
    const [first, second] = [await open(profile, stuck), await open(profile)];
    await inPage(first, `globalThis.sent = errorOf(session.sendMessage("pay"));`);
    const question = await when<string>(second, "shown.approvals.length === 1", "shown.approvals[0].id");
    // The permission is written; the tool would begin behind it.
    await inPage(first, `void inCore("globalThis.armed = true"); session.approve("${question}");`);
    await hangs(second);
    await inPage(second, `await session.takeOver();`);
    const asked = await when<{ id: string; kind: string }[]>(
      second,
      `shown.approvals[0]?.kind === "interrupted"`,
      "shown.approvals",
    );
    expect(await done(second)).toBe(null);
    await when(first, `shown.tab === "follower" && shown.approvals.length === 1`);
    await new Promise((later) => setTimeout(later, 300));
    expect(await done(second)).toBe(null);
    await inPage(second, `session.approve("${asked[0]?.id}");`);
    expect(await inPage(first, "return (await sent).text;")).toBe("all done");
    expect(await done(second)).toBe("pay ");
    expect(await shown(first)).toEqual(await shown(second));
  }));

test("a tab that hangs while it writes a step does not do it when it wakes", () =>
  profile(async (profile) => {
    const step = `tools.push(tool("charge", async (display) => {
      await display.pushAndWait({ input: "Sure?" });
      return display.step("charge", () => { note("charged"); return "charged"; });
    }));`;
    const stuck = inEachCore(`
      const begin = IDBDatabase.prototype.transaction;
      IDBDatabase.prototype.transaction = function (names, mode, options) {
        const transaction = begin.call(this, names, mode, options);
        // The answer, and then the step.
        if (options?.durability === "strict" && globalThis.armed > 0 && --globalThis.armed === 0) {
          transaction.addEventListener("complete", () => atPage(${JSON.stringify(still(6_000))}));
        }
        return transaction;
      };`);
    const [first, second] = [await profile.open(stuck), await profile.open()];
    for (const page of [first, second]) {
      await inPage(page, `${app.replace("globalThis.client", `${step} globalThis.client`)} await session.start();`);
    }
    await inPage(first, `void session.sendMessage("charge").catch(() => {});`);
    const slot = await when<string>(second, `shown.run.phase === "waiting"`, "shown.slots[0].id");
    await inPage(first, `void inCore("globalThis.armed = 2"); session.resolveSlot("${slot}", true);`);
    await hangs(second);
    await inPage(second, `await session.takeOver();`);
    await when(second, `shown.approvals[0]?.kind === "interrupted"`);
    await when(first, `shown.tab === "follower" && shown.approvals.length === 1`);
    await new Promise((later) => setTimeout(later, 300));
    expect(await done(second)).toBe("charge ");
  }));

test.each(cores)(
  "a tab with its core %s that hangs in a tool blocks the others, who say so; it goes on when it wakes, or a person takes the session over",
  (_, core) =>
    profile(async (profile) => {
      const endless = `tools.push(tool("count", () => { ${still(4_000)} return "counted"; }), tool("spin", () => { ${still(8_000)} }));`;
      const [first, second] = [await profile.open(core), await profile.open(core)];
      for (const page of [first, second]) {
        await inPage(page, `${app.replace("globalThis.client", `${endless} globalThis.client`)} await session.start();`);
      }
      await inPage(second, `globalThis.sent = errorOf(session.sendMessage("count"));`);
      expect(await when(second, `shown.tab === "blocked"`, "shown.error.code")).toBe("SESSION_OPEN_ELSEWHERE");
      expect(await inPage(second, `return (await errorOf(session.sendMessage("hello")));`)).toMatch(/takeOver\(\)/);
      expect(await when(second, `shown.tab === "follower"`, "shown.error")).toBe(undefined);
      expect(await inPage(second, "return (await sent).text;")).toBe("all done");
      expect(await done(second)).toBe("count ");

      await inPage(second, `void session.sendMessage("spin").catch(() => {});`);
      await when(second, `shown.tab === "blocked"`);
      await inPage(second, `await session.takeOver();`);
      expect(await tabOf(second)).toBe("leader");
      const { id } = await when<{ id: string }>(second, "shown.approvals.length === 1", "shown.approvals[0]");
      expect(await done(second)).toBe("count spin ");
      await inPage(second, `session.reject("${id}"); await until(session, ({ busy }) => !busy);`);
      await when(first, `shown.tab === "follower"`);
      await when(first, "!shown.busy");
      expect(await shown(first)).toEqual(await shown(second));
    }),
);

test("a hidden tab whose timers stand still keeps its session", () =>
  profile(async (profile) => {
    const slow = `const now = setTimeout; globalThis.setTimeout = (work, ms, ...more) => now(work, ms > 0 ? 60_000 : 0, ...more); globalThis.setInterval = () => 0;`;
    const [first, second] = [await open(profile, slow), await open(profile)];
    await new Promise((later) => setTimeout(later, 4_000));
    expect([await tabOf(first), await tabOf(second)]).toEqual(["leader", "follower"]);
  }));

test("without locks a tab that hangs is superseded as well", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile, noLocks), await open(profile, noLocks)];
    await takeOver(second, () => hang(first, 5_000), 2_500);
    expect(await inPage(second, `return (await session.sendMessage("hello")).text;`)).toBe("you said hello");
    await when(first, `shown.tab === "follower"`);
    expect(await shown(first)).toEqual(["user: hello", "agent_text: you said hello"]);
  }));

test("an answer that was on its way when its tab was killed reaches the tool in the next", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    await inPage(first, `void session.sendMessage("form").catch(() => {});`);
    const slot = await asked(second);
    await loop(first, 20_000);
    await hangs(second);
    expect(await inPage(second, `return session.resolveSlot("${slot}", "Ada");`)).toBe(true);
    await takeOver(second, () => killHung(profile));
    expect(await when(second, "!shown.busy", "texts(shown)")).toEqual([
      "user: form",
      "form: success said Ada",
      "agent_text: all done",
    ]);
  }));

test.each(cores)("an answer in the moment of taking over is the answer, and a second one is none: with the core %s", (_, core) =>
  profile(async (profile) => {
    const [first, second] = [await open(profile, core), await open(profile, core)];
    await inPage(first, `void session.sendMessage("form").catch(() => {});`);
    const slot = await asked(second);
    await inPage(
      second,
      `globalThis.taken = until(session, ({ tab }) => tab === "leader").then(() => Promise.all([session.resolveSlot("${slot}", "Ada"), session.resolveSlot("${slot}", "Eve")]));`,
    );
    await first.close();
    expect(await second.evaluate("taken")).toEqual([true, false]);
    expect(await when(second, "!shown.busy", "texts(shown)")).toContain("form: success said Ada");
  }),
);

test.each(cores)(
  "what was answered in two tabs at once is answered once, and the other one is told: with the core %s",
  (_, core) =>
    profile(async (profile) => {
      const pages = [await open(profile, core), await open(profile, core), await open(profile, core)] as const;
      const [first, second, third] = pages;
      void inPage(first, `void session.sendMessage("form").catch(() => {});`);
      const slot = await when<string>(third, "shown.slots.length === 1", "shown.slots[0].id");
      await when(second, "shown.slots.length === 1");
      const listen = `globalThis.heard = []; session.addSubscriber({ record: (type, data) => type === "error" && heard.push(data.code) });`;
      await Promise.all([second, third].map((page) => inPage(page, listen)));
      await hang(first, 1_000);
      await hangs(second);
      const both = await Promise.all(
        [second, third].map((page, at) => inPage(page, `return session.resolveSlot("${slot}", "${at}");`)),
      );
      expect(both.sort()).toEqual([false, true]);
      await when(first, "!shown.busy");
      await new Promise((later) => setTimeout(later, 100));
      expect((await Promise.all([second, third].map((page) => page.evaluate("heard")))).flat()).toEqual(["DISPLAY_REMOVED"]);
    }),
);

test("an item of the inbox that is answered in one tab is answered in all, by one answer", () =>
  profile(async (profile) => {
    const [first, second, third] = [await open(profile), await open(profile), await open(profile)];
    const item = { id: "i", tag: "visa", request: "Is it there?", status: "pending", blocking: false };
    await inPage(first, `await session.store.addInboxItem(${JSON.stringify(item)}); client.dispose();`);
    for (const page of [second, third]) await when(page, `shown.tab !== "blocked" && shown.inbox.length === 1`);
    const answers = await Promise.all([
      inPage(second, `return session.answerInbox("i", "yes");`),
      inPage(third, `return session.answerInbox("i", "no");`),
    ]);
    expect(answers.filter(Boolean)).toHaveLength(1);
    const response = answers[0] ? "yes" : "no";
    for (const page of [second, third]) {
      expect(await when(page, `shown.inbox[0].status === "resolved"`, "shown.inbox[0].response")).toBe(response);
    }
  }));

test("a session that is deleted in one tab is closed in all, with a word, and does not come back", () =>
  profile(async (profile) => {
    const pages = [await open(profile), await open(profile), await open(profile)] as const;
    const [first, second, third] = pages;
    await inPage(first, `await session.sendMessage("hello"); globalThis.sent = errorOf(session.sendMessage("form"));`);
    await when(third, "shown.slots.length === 1");
    await inPage(third, `await client.deleteSession("s");`);
    for (const page of [first, second]) {
      expect(await when(page, "shown.error", "shown.error.code")).toBe("SESSION_DELETED");
      expect(await inPage(page, `return [session.disposed, await errorOf(session.sendMessage("more"))];`)).toEqual([
        true,
        expect.stringMatching(/^SESSION_CLOSED/),
      ]);
    }
    expect(await inPage(first, "return sent;")).toMatch(/^SESSION_CLOSED/);
    await new Promise((later) => setTimeout(later, 200));
    expect(await inPage(second, "return (await client.sessions()).length;")).toBe(0);
    // Its id can be used anew, in any tab.
    const again = `const again = client.session("s"); await again.start();`;
    expect(await inPage(second, `${again} await again.sendMessage("anew"); return texts(again.getSnapshot());`)).toEqual([
      "user: anew",
      "agent_text: you said anew",
    ]);
    expect(await inPage(third, `${again} return [again.getSnapshot().tab, texts(again.getSnapshot())];`)).toEqual([
      "follower",
      ["user: anew", "agent_text: you said anew"],
    ]);
  }));
