// Threads that nobody has looked at, and titles that a model gives, in two tabs of Chromium over the browser's database.
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

/** Tools end when the test says so, and what would be shown outside of the page is written down. */
const before = `
  globalThis.shown = [];
  globalThis.Notification = class {
    static permission = "granted";
    constructor(title, { body }) { shown.push(title + ": " + body); }
    close() {}
  };
  globalThis.badge = 0;
  navigator.setAppBadge = async (count) => void (badge = count);
  globalThis.hide = (hidden) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, value: hidden ? "hidden" : "visible" });
    document.dispatchEvent(new Event("visibilitychange"));
  };
`;
const wait = `{ name: "wait", description: "", jsonSchema: { type: "object" }, do: () => new Promise((done) => { globalThis.goOn = done; }) }`;

async function tabs(work: (open: (script?: string, more?: string) => Promise<Page>) => Promise<void>) {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  context.setDefaultTimeout(patience);
  await context.addInitScript(before);
  try {
    await work(async (script = `["Gladly."]`, more = "{ unread: true }") => {
      const page = await context.newPage();
      await page.goto(server.url);
      await start(page, script, more);
      return page;
    });
  } finally {
    await context.close();
  }
}

async function start(page: Page, script: string, more: string): Promise<void> {
  await page.waitForFunction("globalThis.look");
  await page.evaluate(`document.title = "Shop", look.open(${script}, { tools: [${wait}] }, ${more}), 0`);
  await page.locator("[data-glove-threads][data-ready]").waitFor();
}

const say = async (page: Page, text: string) => {
  await page.getByRole("textbox", { name: "Message", exact: true }).fill(text);
  await page.keyboard.press("Enter");
};
const begun = (page: Page) => expect.poll(() => page.evaluate("typeof globalThis.goOn")).toBe("function");
const begin = (page: Page) => page.getByRole("button", { name: "New conversation" }).click();
const row = (page: Page, title: string) => page.locator("[data-glove-thread]", { hasText: title });
const unread = (page: Page) => page.locator("[data-glove-thread][data-unread]").allInnerTexts();
const untilUnread = (page: Page, titles: readonly string[]) =>
  expect.poll(async () => (await unread(page)).map((text) => text.split("\n")[0])).toEqual(titles);
const untilTitle = (page: Page, title: string) => expect.poll(() => page.title()).toBe(title);

test("what came in a thread that was left is marked in both tabs, also after a reload, until it is looked at in one of them", () =>
  tabs(async (open) => {
    const first = await open(`[{ toolCalls: [{ name: "wait" }] }, "Done."]`);
    const second = await open();
    // It has returned to the conversation of the first one.
    await begin(second);
    await say(first, "Clean up");
    await begun(first);
    await begin(first);
    await untilTitle(first, "Shop");
    await first.evaluate("globalThis.goOn()");
    for (const page of [first, second]) {
      await untilUnread(page, ["Clean up"]);
      await untilTitle(page, "(1) Shop");
      await expect.poll(() => page.evaluate("badge")).toBe(1);
    }
    expect(await barriers(first, ".threads", ["region"])).toEqual([]);
    await first.reload();
    await start(first, `["Gladly."]`, "{ unread: true }");
    await untilUnread(first, ["Clean up"]);
    await untilTitle(first, "(1) Shop");
    await row(second, "Clean up").click();
    for (const page of [first, second]) {
      await untilUnread(page, []);
      await untilTitle(page, "Shop");
      await expect.poll(() => page.evaluate("badge")).toBe(0);
    }
    expect(await first.evaluate("shown")).toEqual([]);
  }));

test("a hidden tab notifies of its answer, unless another tab shows the thread", () =>
  tabs(async (open) => {
    const first = await open(`[{ toolCalls: [{ name: "wait" }] }, "Done.", { toolCalls: [{ name: "wait" }] }, "Done again."]`);
    const second = await open();
    await say(first, "Clean up");
    await begun(first);
    await row(second, "Clean up").click();
    await second.locator("[data-glove-message]", { hasText: "Clean up" }).waitFor();
    await first.evaluate("hide(true)");
    await first.evaluate("globalThis.goOn()");
    await second.locator("[data-glove-message]", { hasText: "Done." }).waitFor();
    await untilUnread(second, []);
    await first.waitForTimeout(2_500);
    expect(await first.evaluate("shown")).toEqual([]);

    await begin(second);
    await first.evaluate("hide(false), delete globalThis.goOn");
    await say(first, "More");
    await begun(first);
    await first.evaluate("hide(true)");
    await first.evaluate("globalThis.goOn()");
    await expect.poll(() => first.evaluate("shown"), { timeout: patience / 3 }).toEqual(["Clean up: answer"]);
    await untilUnread(second, ["Clean up"]);
    expect(await second.evaluate("shown")).toEqual([]);
    await first.evaluate("hide(false)");
    await untilUnread(second, []);
  }));

test("the title that a model gives is in both tabs and after a reload, and a name that another tab gives meanwhile wins", () =>
  tabs(async (open) => {
    const named = `{ titles: [{ text: "Fares to Rome", until: new Promise((done) => { globalThis.give = done; }) }] }`;
    const first = await open(`["Hello."]`, named);
    const second = await open();
    await say(first, "What does a train to Rome cost?");
    await row(second, "What does a train").waitFor();
    await first.locator("[data-glove-message]", { hasText: "Hello." }).waitFor();
    await first.evaluate("globalThis.give()");
    for (const page of [first, second]) await row(page, "Fares to Rome").waitFor();
    await first.reload();
    await start(first, `["Hello."]`, `{ titles: [{ text: "No", until: new Promise((done) => { globalThis.give = done; }) }] }`);
    await row(first, "Fares to Rome").waitFor();

    await begin(first);
    await say(first, "Plan a trip");
    await first.locator("[data-glove-message]", { hasText: "Hello." }).waitFor();
    await row(second, "Plan a trip").waitFor();
    const id = await row(second, "Plan a trip").getAttribute("data-glove-thread");
    await second.evaluate(`client.renameSession(${JSON.stringify(id)}, "Mine")`);
    await first.evaluate("globalThis.give()");
    await row(first, "Mine").waitFor();
    await first.waitForTimeout(300);
    expect(await second.evaluate("client.sessions().then((all) => all.map(({ title }) => title).sort())")).toEqual([
      "Fares to Rome",
      "Mine",
    ]);
  }));
