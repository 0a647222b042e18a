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
  await page.setContent(`<!doctype html><style>${sheet}</style><style>${own}</style>${parts}`);
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

test("a form of the application's is styled as the built-in ones", async () => {
  const page = await browser.newPage();
  const fields =
    "<input type=number><select><option>1</option></select><button type=button>Less</button><button type=submit>Book</button>";
  const form = `<main data-glove-strategy><form data-glove-question>${fields}<label><input type=checkbox></label></form></main>`;
  await page.setContent(`<!doctype html><style>${sheet}</style>${form}`);
  const of = (css: string) =>
    page.evaluate(`[...document.querySelectorAll("form :not(label, option)")].map((part) => getComputedStyle(part).${css})`);
  expect(await of("borderRadius")).toEqual(["8px", "8px", "8px", "8px", "0px"]);
  expect(((await of("backgroundColor")) as string[]).slice(2, 4)).toEqual([none, accent]);
  await page.close();
});

test("a page keeps to the end of a conversation that grows, and its input in sight, until the person scrolls away", async () => {
  const page = await browser.newPage({ viewport: { width: 600, height: 400 } });
  const entry = "<p data-glove-role=agent>An answer</p>";
  const chat = `<div data-glove-strategy><div id=log>${entry}</div><form data-glove-role="input"><textarea></textarea></form></div>`;
  await page.setContent(`<!doctype html><style>${sheet}</style><main data-glove-page>${chat}</main>`);
  const tops = () =>
    page.evaluate(
      `[...document.querySelectorAll("p:first-of-type, p:last-of-type, form")].map((part) => part.getBoundingClientRect().top)`,
    );
  const add = (count: number) =>
    page.evaluate(`document.querySelector("#log").insertAdjacentHTML("beforeend", ${JSON.stringify(entry)}.repeat(${count}))`);
  // A short one begins at the top, and the input is under it.
  expect(await tops()).toEqual([16, expect.closeTo(52, -1)]);
  await add(100);
  const [first, last, input] = (await tops()) as number[];
  expect([first, last, input]).toEqual([expect.any(Number), expect.closeTo(300, -2), expect.closeTo(340, -2)]);
  expect(Number(first)).toBeLessThan(-1000);
  expect(Number(last)).toBeLessThan(Number(input));
  await page.mouse.move(300, 100);
  await page.mouse.wheel(0, -500);
  await page.waitForFunction(`document.querySelector("main").scrollTop < -400`);
  const [before] = (await tops()) as number[];
  await add(20);
  const [after, end, still] = (await tops()) as number[];
  expect([after, still]).toEqual([before, input]);
  expect(Number(end)).toBeGreaterThan(800);
  await page.close();
});

test("the sign of work comes after a moment, and moves only where people want it to", async () => {
  const page = await browser.newPage();
  const timing = async (reducedMotion: "reduce" | "no-preference") => {
    await page.emulateMedia({ reducedMotion });
    await page.setContent(`<!doctype html><style>${sheet}</style><div data-glove-role="working">…</div>`);
    return page.evaluate(`(() => {
      const [animation] = document.getAnimations();
      const { delay, duration, iterations } = animation.effect.getTiming();
      animation.currentTime = 0;
      return [delay, duration, String(iterations), getComputedStyle(document.querySelector("div")).opacity];
    })()`);
  };
  expect(await timing("no-preference")).toEqual([400, 800, "Infinity", "0"]);
  expect(await timing("reduce")).toEqual([400, 0, "1", "0"]);
  await page.waitForFunction("getComputedStyle(document.querySelector('div')).opacity === '1'");
  await page.close();
});

test("a class of the application's wins over it", async () => {
  expect(await backgrounds(".mine { background: rgb(1, 2, 3) }")).toEqual([accent, none, "rgb(1, 2, 3)"]);
});
