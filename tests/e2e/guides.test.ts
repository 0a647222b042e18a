// The guides that show something do what they say: their code as it is printed, in Chromium, with a model that answers from a script.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { openBrowser, openPage } from "../support/browser.js";
import { guides, serveGuide } from "../support/guides.js";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test.each(guides.map((guide) => ({ name: guide.page, guide })))("$name runs as it is printed", async ({ guide }) => {
  const server = await serveGuide(guide);
  try {
    const { page, problems } = await openPage(browser, `${server.url}/main`);
    await guide.shows(page);
    expect(await barriers(page, "#root")).toEqual([]);
    await guide.ends?.(page);
    expect(problems).toEqual([]);
    await page.close();
  } finally {
    await server.close();
  }
});
