// The way back of a phone: it closes what lies over the page, and leaves the page's own history as it was.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { showState } from "../support/look.js";
import { withPage } from "../support/look-chat.js";

const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };

/**
 * A page of a router, which writes into its entries and tells of each way back to another one. Chromium calls those first who listen longer: there a
 * router hears of a way back to where it is.
 */
const routed = `globalThis.heard = [], globalThis.at = 1, history.replaceState({ idx: 0, own: "first" }, ""), history.pushState({ idx: 1, own: "second" }, "", "#second"),
  addEventListener("popstate", ({ state }) => state.idx === at || heard.push(state)), undefined`;

const sheet = (page: Page) => page.getByRole("dialog", { name: "List the services" });
const open = async (page: Page) => {
  await page.getByRole("button", { name: "Show large: List the services" }).click();
  await sheet(page).waitFor();
};
/** Without it, as Safari and Firefox are. */
const old = (page: Page) => page.evaluate("delete globalThis.CloseWatcher, undefined");
/** What knows the way is there. */
const entryOf = (page: Page) => page.evaluate("history.state");
const isOver = (page: Page) => expect.poll(() => entryOf(page)).toHaveProperty("gloveOver");

test("the way back closes a sheet, and the history of the router stays as it is; the next one is the page's", async () => {
  await withPage(async (page) => {
    await old(page);
    await showState(page, "results");
    await page.evaluate(routed);
    const before = (await page.evaluate("history.length")) as number;
    await open(page);
    await isOver(page);
    expect(await entryOf(page)).toMatchObject({ idx: 1, own: "second" });
    await page.goBack();
    await sheet(page).waitFor({ state: "detached" });
    expect([await entryOf(page), await page.evaluate("heard")]).toEqual([{ idx: 1, own: "second" }, []]);
    await page.goBack();
    await expect.poll(() => page.evaluate("heard")).toEqual([{ idx: 0, own: "first" }]);
    expect(await page.evaluate("history.length")).toBe(before + 1);
  }, phone);
});

test("a sheet that its button closes leaves no entry to go back to, and what the router goes on to stays", async () => {
  await withPage(async (page) => {
    await old(page);
    await showState(page, "results");
    await page.evaluate(routed);
    for (const _ of [1, 2, 3]) {
      await open(page);
      await isOver(page);
      await page.getByRole("button", { name: "Close: List the services" }).click();
      await sheet(page).waitFor({ state: "detached" });
      await expect.poll(() => entryOf(page)).toEqual({ idx: 1, own: "second" });
    }
    // The router goes on while it is open, and the view goes with its page.
    await open(page);
    await isOver(page);
    await page.evaluate(`history.pushState({ idx: 2 }, "", "#third"), show("empty")`);
    await page.waitForTimeout(300);
    expect([await entryOf(page), await page.evaluate("[location.hash, heard]")]).toEqual([{ idx: 2 }, ["#third", []]]);
  }, phone);
});

test("closed and opened again at once, a sheet is closed by the next way back", async () => {
  await withPage(async (page) => {
    await old(page);
    await showState(page, "results");
    await page.evaluate(routed);
    await open(page);
    await isOver(page);
    await page.evaluate(`document.querySelector("[data-glove-open]").click()`);
    await page.evaluate(`document.querySelector("[data-glove-open]").click()`);
    await page.waitForTimeout(300);
    expect(await sheet(page).count()).toBe(1);
    await isOver(page);
    await page.goBack();
    await sheet(page).waitFor({ state: "detached" });
    expect(await page.evaluate("[location.hash, heard]")).toEqual(["#second", []]);
  }, phone);
});

test("a way back over several entries is the router's too", async () => {
  await withPage(async (page) => {
    await old(page);
    await showState(page, "results");
    await page.evaluate(routed);
    await open(page);
    await isOver(page);
    await page.evaluate("history.go(-2)");
    await sheet(page).waitFor({ state: "detached" });
    expect(await page.evaluate("heard")).toEqual([{ idx: 0, own: "first" }]);
  }, phone);
});

test("where the browser watches what is open, the history stays as it is", async () => {
  await withPage(async (page) => {
    await showState(page, "results");
    await page.evaluate(routed);
    const before = await page.evaluate("history.length");
    await page.evaluate(`{
      const { CloseWatcher } = globalThis;
      globalThis.CloseWatcher = class extends CloseWatcher { constructor() { super(); globalThis.watched = this; } };
    }`);
    await open(page);
    await expect.poll(() => page.evaluate("globalThis.watched !== undefined")).toBe(true);
    expect([await page.evaluate("history.length"), await entryOf(page)]).toEqual([before, { idx: 1, own: "second" }]);
    // As the way back of Android asks.
    await page.evaluate("watched.requestClose()");
    await sheet(page).waitFor({ state: "detached" });
    expect(await page.evaluate("heard")).toEqual([]);
  }, phone);
});

test("a picture that is shown large is closed by the way back", async () => {
  await withPage(async (page) => {
    await old(page);
    await showState(page, "messages");
    await page.evaluate(routed);
    await page.locator("[data-glove-pictures] button").first().click();
    await page.getByRole("dialog").waitFor();
    await isOver(page);
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect([await page.evaluate("heard"), await page.locator("[data-glove-pictures]").count()]).toEqual([[], 1]);
  }, phone);
});

test("with a mouse, the history is the page's alone", async () => {
  await withPage(async (page) => {
    await old(page);
    await showState(page, "results");
    await page.evaluate(routed);
    await open(page);
    await page.waitForTimeout(300);
    expect(await entryOf(page)).toEqual({ idx: 1, own: "second" });
  });
});
