// An answer that was cut at its limit, with its button in two tabs.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
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

/** Each answer says its number; every one of them is cut, and the second of them comes as slowly as a test wants. */
const script = `Array.from({ length: 9 }, (_, at) => () => {
  globalThis.asked = (globalThis.asked ?? 0) + 1;
  const text = "part" + (at + 1) + " ";
  return { deltas: [text], every: globalThis.slow ?? 50, text, stopReason: "max_tokens" };
})`;

const answer = (page: Page) => page.locator("[data-glove-role=agent][data-glove-entry]").allTextContents();
const button = (page: Page) => page.getByRole("button", { name: "Continue" });
/** As close to each other as two pages of a browser can be. */
const pressAtOnce = (pages: readonly Page[], at = Date.now() + 400) =>
  Promise.all(
    pages.map((page) =>
      page.evaluate(
        `new Promise((done) => setTimeout(() => { document.querySelector("[data-glove-go-on]").click(); done(0); }, ${at} - Date.now()))`,
      ),
    ),
  );

test("two tabs that ask for more of an answer at once get it once, also after one that was stopped", async () => {
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  context.setDefaultTimeout(patience);
  try {
    const open = async () => {
      const page = await context.newPage();
      await page.goto(server.url);
      await page.waitForFunction("globalThis.look");
      await page.evaluate(`look.open(${script}), 0`);
      await page.locator("[data-glove-threads][data-ready]").waitFor();
      return page;
    };
    const first = await open();
    await first.getByRole("textbox", { name: "Message", exact: true }).fill("Tell");
    await first.keyboard.press("Enter");
    await button(first).waitFor();
    const second = await open();
    await second.locator("[data-glove-thread]").click();
    await button(second).waitFor();
    const both = [first, second];
    const asked = async () => (await Promise.all(both.map((page) => page.evaluate("globalThis.asked ?? 0")))) as number[];
    const shows = async (text: RegExp) => {
      for (const page of both) await expect.poll(() => answer(page)).toEqual([expect.stringMatching(text)]);
    };

    await pressAtOnce(both);
    await shows(/^part1 part2[^\d]*$/);
    await button(first).waitFor();
    // What was queued behind it would come now.
    await first.waitForTimeout(500);
    expect(await asked()).toEqual([2, 0]);
    await pressAtOnce([second, first]);
    await shows(/^part1 part2 part3[^\d]*$/);

    // It is stopped before its first word by one tab, and asked for by both again.
    await button(second).waitFor();
    await first.evaluate("globalThis.slow = 60_000");
    await button(first).click();
    await first.getByRole("button", { name: "Stop" }).click();
    await button(second).waitFor();
    await first.evaluate("globalThis.slow = 50");
    await pressAtOnce([first, second]);
    await shows(/^part1 part2 part3 part5[^\d]*$/);
    await button(second).waitFor();
    await first.waitForTimeout(500);
    expect(await asked()).toEqual([5, 0]);
    for (const page of both) expect(await page.getByRole("alert").count()).toBe(0);
  } finally {
    await context.close();
  }
});
