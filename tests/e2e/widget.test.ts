// The chat in the corner of a site, in Chromium: by keyboard alone, on a phone, over a reload, and what it loads when.
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { openBrowser } from "../support/browser.js";
import { openLook, serveLook } from "../support/look.js";
import type { Served } from "../support/server.js";

let browser: Awaited<ReturnType<typeof openBrowser>>;
let server: Served;
beforeAll(async () => {
  [server, browser] = [await serveLook({}, "widget-page"), await openBrowser()];
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const tools = `[
  { name: "wait", description: "", jsonSchema: { type: "object" }, do: () => new Promise((done) => { globalThis.goOn = done; }), idempotent: true },
]`;
const long = JSON.stringify(Array.from({ length: 60 }, (_, at) => `Line ${at}`).join("\n\n"));

async function site<T>(
  work: (page: Page, open: (script: string, props?: string) => Promise<void>) => Promise<T>,
  options: BrowserContextOptions = {},
) {
  const page = await openLook(browser, server, { viewport: { width: 1000, height: 760 }, ...options });
  try {
    return await work(page, async (script, props = "{}") => {
      await page.waitForFunction("globalThis.look");
      await page.evaluate(`look.open(${script}, ${props}, { tools: ${tools} }), 0`);
      await launcher(page).waitFor();
    });
  } finally {
    await page.context().close();
  }
}

const launcher = (page: Page) => page.locator("[data-glove-launcher]");
const panel = (page: Page) => page.locator("[data-glove-panel]");
const composer = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
const focused = (page: Page) =>
  page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent") as Promise<string>;
const say = async (page: Page, text: string) => {
  await composer(page).fill(text);
  await page.keyboard.press("Enter");
};
/** Where it stands when nothing moves any more. */
const boxOf = async (page: Page) => {
  await expect.poll(() => page.evaluate("document.getAnimations().length")).toBe(0);
  return panel(page).boundingBox();
};

test("the button comes without the chat, which is loaded when the panel opens; by keyboard alone one opens, writes, leaves and closes", () =>
  site(async (page, open) => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await open(`["Gladly."]`);
    expect(asked.filter((url) => /view-|inline-file|session-chunk/.test(url))).toEqual([]);
    expect(await barriers(page)).toEqual([]);

    for (let links = 0; links < 5; links++) await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("More about it");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Chat");
    await page.keyboard.press("Enter");
    await composer(page).waitFor();
    await expect.poll(() => focused(page)).toBe("Message");
    for (const name of [/view-/, /inline-file/, /session-chunk/]) expect(asked.filter((url) => name.test(url))).toHaveLength(1);
    expect(await launcher(page).getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.type("A chair, please");
    await page.keyboard.press("Enter");
    await page.getByText("Gladly.").waitFor();
    expect(await barriers(page)).toEqual([]);

    // The page is no prison, and Escape there is not the panel's.
    await page.getByRole("link").first().click();
    await page.keyboard.press("Escape");
    expect(await panel(page).isVisible()).toBe(true);
    await composer(page).focus();
    await page.keyboard.press("Escape");
    await panel(page).waitFor({ state: "hidden" });
    expect(await focused(page)).toBe("Chat");
    // Nothing behind a closed panel is on the way of the Tab key.
    await launcher(page).focus();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
  }));

test("it is 360 pixels wide and 600 high in its corner, also from right to left, and lower where the window is", () =>
  site(async (page, open) => {
    await open("[]");
    await launcher(page).click();
    await composer(page).waitFor();
    expect(await boxOf(page)).toEqual({ x: 1000 - 360 - 20, y: 760 - 20 - 68 - 600, width: 360, height: 600 });
    await page.evaluate("document.documentElement.dir = 'rtl'");
    expect((await boxOf(page))?.x).toBe(20);
    await page.setViewportSize({ width: 1000, height: 500 });
    expect((await boxOf(page))?.y).toBe(20);
    await open("[]", `{ position: "start" }`);
    await launcher(page).click();
    expect((await boxOf(page))?.x).toBe(1000 - 360 - 20);
  }));

test("what is wide stays in it", () =>
  site(async (page, open) => {
    const wide = JSON.stringify(`| ${"Chair | ".repeat(12)}\n|${"---|".repeat(12)}\n| ${"walnut | ".repeat(12)}\n\nAll of them.`);
    await open(`[${wide}]`, `{ label: ${JSON.stringify("Ask the workshop ".repeat(9))}, contextMeter: true }`);
    await launcher(page).click();
    await composer(page).waitFor();
    await say(page, "Which?");
    await page.locator("[data-glove-panel] table").waitFor();
    const over = "[data-glove-panel], [data-glove-panel] > header, [data-glove-panel] [data-glove-look]";
    expect(
      await page.locator(over).evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)),
    ).toEqual([0, 0, 0]);
    expect((await page.getByRole("button", { name: "Close", exact: true }).boundingBox())?.x).toBeLessThan(1000 - 20 - 36);
  }));

test("on a phone it is the whole screen, and its own button closes it", () =>
  site(
    async (page, open) => {
      await open(`["Gladly."]`, `{ suggestions: ["A chair for a small kitchen"] }`);
      await launcher(page).tap();
      await composer(page).waitFor();
      expect(await boxOf(page)).toEqual({ x: 0, y: 0, width: 360, height: 740 });
      expect(await launcher(page).isVisible()).toBe(false);
      const foot = await composer(page).boundingBox();
      expect((foot?.y ?? 0) + (foot?.height ?? 0)).toBeGreaterThan(660);
      expect((foot?.y ?? 0) + (foot?.height ?? 0)).toBeLessThan(740);
      expect(await barriers(page)).toEqual([]);
      const close = page.getByRole("button", { name: "Close" });
      expect(await close.boundingBox()).toMatchObject({ width: 44, height: 44 });
      await close.tap();
      await panel(page).waitFor({ state: "hidden" });
      expect(await focused(page)).toBe("Chat");
    },
    { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  ));

test("what was scrolled stands where it stood when the panel opens again", () =>
  site(async (page, open) => {
    await open(`[${long}]`);
    await launcher(page).click();
    await composer(page).waitFor();
    await say(page, "Tell me all");
    await page.getByText("Line 59").waitFor({ state: "attached" });
    const scroller = page.locator("[data-glove-panel] [data-glove-scroller]");
    const top = () => scroller.evaluate(({ scrollTop }) => scrollTop);
    await scroller.evaluate((element) => element.scrollTo(0, 700));
    await expect.poll(top).toBe(700);
    await page.keyboard.press("Escape");
    await panel(page).waitFor({ state: "hidden" });
    await launcher(page).click();
    await panel(page).waitFor();
    expect(await top()).toBe(700);
  }));

test("a run behind a closed panel goes on after a reload, where it is remembered, and its answer is counted", () =>
  site(async (page, open) => {
    await open(`[{ toolCalls: [{ name: "wait" }] }, "Done."]`, "{ remember: true }");
    await launcher(page).click();
    await composer(page).waitFor();
    await say(page, "Go");
    await expect.poll(() => page.evaluate("typeof globalThis.goOn")).toBe("function");
    await page.keyboard.press("Escape");
    await panel(page).waitFor({ state: "hidden" });
    await page.reload();
    await open(`["It is done."]`, "{ remember: true }");
    await expect.poll(() => page.evaluate("typeof globalThis.goOn")).toBe("function");
    expect(await panel(page).isVisible()).toBe(false);
    await page.evaluate("globalThis.goOn('ready')");
    await page.locator("[data-glove-count]").waitFor();
    expect(await focused(page)).not.toBe("Message");
    expect(await barriers(page)).toEqual([]);
    await page.reload();
    await open("[]", "{ remember: true }");
    await page.getByRole("button", { name: "Chat. New answers: 1" }).click();
    await page.getByText("It is done.").waitFor();
    await page.reload();
    await open("[]", "{ remember: true }");
    await page.getByText("It is done.").waitFor();
    expect(await panel(page).isVisible()).toBe(true);
    expect(await focused(page)).not.toBe("Message");
  }));

test("nothing moves where people ask for less motion", () =>
  site(
    async (page, open) => {
      await open("[]");
      await launcher(page).click();
      await composer(page).waitFor();
      const moves = await page.evaluate(
        `["[data-glove-launcher]", "[data-glove-panel]"].map((of) => getComputedStyle(document.querySelector(of)).transitionDuration)`,
      );
      expect(moves).toEqual(["0s", "0s"]);
    },
    { reducedMotion: "reduce" },
  ));
