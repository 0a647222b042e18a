// The optional style sheet in a real page, beside what applications have.
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { root } from "../support/project.js";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const sheet = readFileSync(`${root}/js/react/style.css`, "utf8");
const parts = `<main data-glove-strategy="interleaved">
  <form data-glove-question><p>Sure?</p><div data-glove-actions><button>Yes</button><button>No</button></div></form>
  <form data-glove-role="input"><textarea></textarea><button type="submit" class="mine">Send</button></form></main>`;

/** The colours of the buttons' backgrounds, with a sheet of the application behind ours. */
async function backgrounds(own: string): Promise<string[]> {
  const page = await browser.newPage();
  await page.setContent(`<style>${sheet}</style><style>${own}</style>${parts}`);
  const found = await page.evaluate("[...document.querySelectorAll('button')].map((b) => getComputedStyle(b).backgroundColor)");
  await page.close();
  return found as string[];
}

const accent = "rgb(49, 84, 212)";
const none = "rgba(0, 0, 0, 0)";

test("an application's reset of plain elements does not undo it", async () => {
  const reset = "*, button, p { margin: 0; padding: 0; border: 0; background: none; color: inherit; font: inherit }";
  expect(await backgrounds(reset)).toEqual([accent, none, accent]);
});

test("a class of the application's wins over it", async () => {
  expect(await backgrounds(".mine { background: rgb(1, 2, 3) }")).toEqual([accent, none, "rgb(1, 2, 3)"]);
});
