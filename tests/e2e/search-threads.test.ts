// Words in the messages of all threads, in Chromium over the browser's database: found by the keyboard, opened at their message and branch.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { openBrowser, patience } from "../support/browser.js";
import { serveLook } from "../support/look.js";
import type { Served } from "../support/server.js";

let browser: Awaited<ReturnType<typeof openBrowser>>;
let server: Served;
beforeAll(async () => {
  [server, browser] = [await serveLook({}, "threads-page"), await openBrowser()];
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const script = `Array.from({ length: 99 }, () => ({ messages }) => {
  const said = messages.findLast(({ sender, tool_results }) => sender === "user" && !tool_results).text;
  return said.startsWith("long ") ? "Some words of it. ".repeat(60) + "A **light**house stands at the end." : "Gladly: " + said;
})`;

async function profile(
  work: (open: () => Promise<Page>, context: BrowserContext) => Promise<void>,
  size = { width: 1000, height: 700 },
) {
  const context = await browser.newContext({ viewport: size });
  context.setDefaultTimeout(patience);
  try {
    await work(async () => {
      const page = await context.newPage();
      page.on("request", (request) => loaded.push(request.url()));
      await page.goto(server.url);
      await page.waitForFunction("globalThis.look");
      await page.evaluate(`look.open(${script}), 0`);
      return page;
    }, context);
  } finally {
    await context.close();
  }
}
let loaded: string[] = [];

/** Threads of nine and more, so that the field is there. */
const fill = (page: Page) =>
  page.evaluate(`(async () => {
    for (let at = 0; at < 9; at++) await client.session("t" + at).sendMessage("Plan number " + at);
    const long = client.session("long");
    for (let at = 0; at < 12; at++) await long.sendMessage("long question " + at);
    const [first] = long.getSnapshot().timeline;
    await long.sendMessage("The café by the harbour");
    const asked = long.getSnapshot().timeline.findLast(({ kind }) => kind === "user");
    await long.edit(asked.id, "The station instead");
    await client.session("t0").sendMessage("Back to the plan");
  })()`);

const field = (page: Page) => page.getByRole("searchbox", { name: "Search conversations" });
const hits = (page: Page) => page.locator("[data-glove-hits] li");
const marks = (page: Page) => page.locator("[data-glove-hits] mark").allTextContents();
const isSeen = (page: Page, text: string) =>
  page.getByRole("log").evaluate((log, text) => {
    const box = log.closest("[data-glove-scroller]")?.getBoundingClientRect();
    const found = [...log.querySelectorAll("[data-glove-entry]")].find(({ textContent }) => textContent?.includes(text));
    const rect = found?.getBoundingClientRect();
    return !!box && !!rect && rect.bottom > box.top && rect.top < box.bottom;
  }, text);

test("a hit opens its thread at its message, on the branch that has it, by the keyboard alone", () =>
  profile(async (open) => {
    const page = await open();
    await fill(page);
    loaded = [];
    expect(
      await page.evaluate(`client.catalog.run(["extras"], "readonly", ({ ask, store }) => ask(store("extras").getAllKeys()))`),
    ).toEqual([]);
    await field(page).fill("CAFE harbour");
    await expect.poll(() => hits(page).count()).toBe(2);
    expect(await marks(page)).toEqual(["café", "harbour", "café", "harbour"]);
    expect(await page.getByRole("status").getByText("Messages found: 2").count()).toBe(1);
    expect(await barriers(page, ".threads", ["region"])).toEqual([]);
    // That branch is not shown, and the thread is another one.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await field(page).evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => isSeen(page, "The café by the harbour")).toBe(true);
    expect(await page.getByText("The station instead").count()).toBe(0);

    // One that is far from the end, with Enter in the field.
    await field(page).fill("question 3");
    await expect.poll(() => marks(page)).toEqual(["question", "3"]);
    await field(page).press("Enter");
    await expect.poll(() => isSeen(page, "long question 3")).toBe(true);
    await page.waitForTimeout(300);
    expect(await isSeen(page, "long question 3")).toBe(true);
    expect(await isSeen(page, "long question 11")).toBe(false);

    await field(page).fill("lighthouse");
    await expect.poll(() => marks(page)).toEqual(["lighthouse", "lighthouse", "lighthouse"]);
    await field(page).press("Escape");
    expect(await field(page).inputValue()).toBe("");
    expect(await hits(page).count()).toBe(0);
    await field(page).fill("nothing like that");
    await page.getByText("Nothing found.").waitFor();
  }));

test("what is said in another tab is found, and what is deleted there is not, and leaves nothing", () =>
  profile(async (open) => {
    const first = await open();
    await fill(first);
    const second = await open();
    await field(second).fill("the moon");
    await second.getByText("Nothing found.").waitFor();
    await first.evaluate(`client.session("t5").sendMessage("Fly me to the moon")`);
    await expect.poll(() => hits(second).count()).toBe(2);
    await first.evaluate(`client.deleteSession("t5")`);
    await expect.poll(() => hits(second).count()).toBe(0);
    const keys = (await second.evaluate(
      `client.catalog.run(["extras"], "readonly", ({ ask, store }) => ask(store("extras").getAllKeys()))`,
    )) as string[][];
    expect(keys.filter(([id]) => id === "t5")).toEqual([]);
    expect(keys.some(([, what]) => what === "search")).toBe(true);
  }));

test("two tabs do not read at the same time, and a page whose field nobody uses loads and reads nothing", () =>
  profile(async (open) => {
    const first = await open();
    await fill(first);
    loaded = [];
    const second = await open();
    await second.waitForTimeout(500);
    const before = loaded.length;
    const locked = (page: Page) =>
      page.evaluate(
        `navigator.locks.query().then(({ held, pending }) => [held, pending].map((all) => all.filter(({ name }) => name.startsWith("glove search")).length))`,
      );
    expect(await locked(second)).toEqual([0, 0]);
    // Somebody else is at it.
    await first.evaluate(
      `void navigator.locks.request("glove search glove", () => new Promise((done) => { globalThis.free = done; }))`,
    );
    await field(second).focus();
    await expect.poll(() => locked(second)).toEqual([1, 1]);
    expect(loaded.length).toBeGreaterThan(before);
    await second.keyboard.type("plan");
    await second.getByText("Reading your conversations…").waitFor();
    await first.evaluate("free()");
    await expect.poll(() => hits(second).count()).toBeGreaterThan(5);
    await second.getByText("Reading your conversations…").waitFor({ state: "detached" });
    expect(await locked(second)).toEqual([0, 0]);
  }));

test("a message is stored where what is searched has taken all the room", () =>
  profile(async (open, context) => {
    // Before the first use: Chromium asks how much there is twice a minute.
    const devtools = await context.newCDPSession(await context.newPage());
    await devtools.send("Storage.overrideQuotaForOrigin", { origin: new URL(server.url).origin, quotaSize: 5_000_000 });
    const page = await open();
    await page.evaluate(`client.session("t0").sendMessage("Plan number 0")`);
    const taken = await page.evaluate(`(async () => {
      let rows = 0;
      let length = 400_000;
      while (length > 100) {
        const text = Array.from({ length: length / 10 }, () => Math.random().toString(36).slice(2)).join("");
        const put = ({ ask, store }) => ask(store("extras").put({ text: [text], ids: [], rows: [] }, ["t" + rows, "search", "lines"]));
        try {
          await client.catalog.run(["extras"], "relaxed", put);
          rows++;
        } catch ({ code }) {
          if (code !== "STORE_QUOTA") throw code;
          length /= 10;
        }
      }
      return rows;
    })()`);
    expect(taken).toBeGreaterThan(5);
    await page.evaluate(`client.session("t0").sendMessage("x".repeat(2_000))`);
    const kept = `client.catalog.run(["extras"], "readonly", ({ ask, store }) => ask(store("extras").getAllKeys()))`;
    expect(await page.evaluate(kept)).toEqual([["", "full"]]);
  }));
