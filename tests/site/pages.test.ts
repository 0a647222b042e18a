// The site in Chromium: nothing moves, nothing keeps people out, and what runs in its frames answers, can be edited, and reaches nobody.
import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { barriers } from "../support/axe.js";
import { openBrowser, openPage } from "../support/browser.js";
import { type Served, serve } from "../support/server.js";

let browser: Browser;
let server: Served;
beforeAll(async () => {
  // Its frames have no origin: what people have draws them in a process of their own, and also where nobody looks.
  [browser, server] = await Promise.all([openBrowser({ whole: true }), serve(inject("docsSite"))]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

/** How far things have moved since the page was opened, and when something was drawn first. */
const moved = (page: Page) =>
  page.evaluate(`new Promise((resolve) => new PerformanceObserver((list, observer) => {
    observer.disconnect();
    resolve(list.getEntries().reduce((sum, { hadRecentInput, value }) => sum + (hadRecentInput ? 0 : value), 0));
  }).observe({ type: "layout-shift", buffered: true }) ?? setTimeout(() => resolve(0), 500))`) as Promise<number>;
const firstPaint = (page: Page) =>
  page.evaluate(`performance.getEntriesByName("first-contentful-paint")[0]?.startTime`) as Promise<number>;
const scripts = (page: Page) =>
  page.evaluate(
    `performance.getEntriesByType("resource").filter(({ startTime, name }) => /\\.(js|css|woff2)$/.test(new URL(name).pathname) && startTime < ${"performance.getEntriesByName('first-contentful-paint')[0].startTime"}).reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)`,
  ) as Promise<number>;
const fits = (page: Page) => page.evaluate("document.documentElement.scrollWidth <= innerWidth") as Promise<boolean>;

test("the start page draws soon and stays still, and its tab crashes and comes back with the approval", async () => {
  const { page, problems } = await openPage(browser, `${server.url}/index.html`);
  const chat = page.frameLocator(".window iframe");
  // It begins by itself.
  await chat.getByText("Refund €80 for order A-1042?").waitFor();
  expect(await moved(page)).toBeLessThan(0.01);
  // A busy machine draws late, so what counts is what had to be there first.
  expect(await firstPaint(page)).toBeGreaterThan(0);
  expect(await scripts(page)).toBeLessThan(150_000);
  expect(await barriers(page)).toEqual([]);

  await page.getByRole("button", { name: "Crash the tab" }).click();
  expect(await page.locator(".window iframe").count()).toBe(0);
  await page.getByRole("button", { name: "Reload" }).click();
  await chat.getByRole("button", { name: "Allow", exact: true }).click();
  await chat.getByText("on their way back").waitFor();
  await page.getByText("The tool ran once, after a crash.").waitFor();

  await page.setViewportSize({ width: 360, height: 740 });
  expect(await fits(page)).toBe(true);
  expect(problems).toEqual([]);
  await page.close();
});

test("an example of a guide runs on its page, can be edited, and runs again; the search finds another guide", async () => {
  const { page, problems } = await openPage(browser, `${server.url}/docs/guides/approve-what-runs.html`);
  expect(await moved(page)).toBeLessThan(0.01);
  // A film is loaded when somebody plays it.
  const film = page.locator("a.film");
  const shown = () =>
    film.locator("img").evaluate(async (image: HTMLImageElement) => {
      await image.decode();
      return image.src;
    });
  expect(await shown()).toContain("/pictures/approve.webp");
  await film.click();
  expect(await shown()).toContain("/films/approve.webp");
  await film.click();
  expect(await shown()).toContain("/pictures/approve.webp");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const app = page.frameLocator(".live-place iframe");
  await refundIn(app, "Refund €80 for order A-1042?");
  await app.getByRole("button", { name: "Refund", exact: true }).click();
  await app.getByText("on their way back").waitFor();
  expect(await barriers(page)).toEqual([]);

  const code = page.getByRole("textbox", { name: "Code of App.tsx" });
  await code.fill((await code.inputValue()).replace("Refund €", "Really pay €"));
  await page.getByRole("button", { name: "Run again" }).click();
  await refundIn(app, "Really pay €80 for order A-1042?");
  await code.fill("const broken = ;");
  await page.getByRole("button", { name: "Run again" }).click();
  await page
    .locator(".live-status.failed")
    .getByText(/Unexpected token/)
    .waitFor();

  await page.setViewportSize({ width: 360, height: 740 });
  expect(await fits(page)).toBe(true);
  await page.keyboard.press("Escape");
  await page.locator("h1").click();
  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: "Search the guides" }).fill("theme it");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/guides\/theme\.html/);

  // With a key of one's own, the code asks its provider, and nobody else.
  await page.goto(`${server.url}/docs/guides/theme.html`);
  const asked: string[] = [];
  await page.route("https://api.anthropic.com/**", (route) => {
    const { "x-api-key": key, "anthropic-dangerous-direct-browser-access": knows } = route.request().headers();
    if (route.request().method() === "POST") asked.push(`${key} ${knows}`);
    return route.fulfill({
      headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "content-type": "text/event-stream" },
      body: spoken,
    });
  });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: /without a key/ }).click();
  await page.getByRole("textbox", { name: "Key" }).fill("sk-of-mine");
  await page.getByRole("button", { name: "Use this key" }).click();
  await app.getByRole("button", { name: "What has no nuts?" }).click();
  await app.getByText("The rye loaf has none.").waitFor();
  expect(asked).toEqual(["sk-of-mine true"]);
  // What prints, and needs the file of tasks.
  await page.goto(`${server.url}/docs/guides/give-it-tasks.html`);
  await page.getByRole("button", { name: "Run", exact: true }).last().click();
  await page.locator(".live-status").getByText("Leipzig").waitFor();
  expect(problems).toEqual([]);
  await page.close();
});

/** What Anthropic answers, as it streams. */
const spoken = [
  {
    type: "message_start",
    message: {
      id: "m",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "The rye loaf has none." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("");

async function refundIn(app: FrameLocator, question: string): Promise<void> {
  await app.getByRole("button", { name: "Refund €80 for order A-1042: it arrived broken" }).click();
  await app.getByText(question).waitFor();
}

test("a part of the gallery changes with its props, and code in the frame reaches neither the page nor the network", async () => {
  const { page, problems } = await openPage(browser, `${server.url}/gallery.html#approval`);
  const stage = page.frameLocator(".live-place iframe");
  await stage.getByText("Refund €80 for order A-1042?").waitFor();
  await page.getByRole("textbox", { name: "confirm" }).fill("Pay it?");
  await page.keyboard.press("Enter");
  await stage.getByText("Pay it?").waitFor();
  expect(await moved(page)).toBeLessThan(0.01);
  expect(await barriers(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await fits(page)).toBe(true);
  expect(problems).toEqual([]);

  // Each of these is refused, so each of them is a problem that the browser tells of.
  await page.getByRole("textbox", { name: "Code of the part" }).fill(`
    const tries: Record<string, () => unknown> = {
      page: () => parent.document.body,
      title: () => { top!.document.title = "mine"; },
      away: () => { top!.location.href = "about:blank"; },
      storage: () => localStorage.length,
      cookies: () => document.cookie,
      eval: () => (0, eval)("1"),
      network: () => fetch("${server.url}/llms.txt", { mode: "no-cors" }),
      frame: () => frameElement ?? (() => { throw new Error("none"); })(),
    };
    const reached: string[] = [];
    for (const [name, attempt] of Object.entries(tries)) {
      try {
        await attempt();
        reached.push(name);
      } catch {}
    }
    export default () => <p>Reached: {reached.join(", ") || "nothing"}</p>;
  `);
  await stage.getByText("Reached: nothing").waitFor();
  expect(await page.title()).toBe("Gallery · glove-wasm");
  await page.close();
});
