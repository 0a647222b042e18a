// The style sheet of the built-in look in a real page, beside what applications have.
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
const parts = `<main data-glove-look>
  <form data-glove-question><p>Sure?</p><div data-glove-actions><button>Yes</button><button>No</button></div></form>
  <div data-glove-actions><button type="submit" class="mine">Send</button></div></main>`;

/** The colours of the buttons' backgrounds, with a sheet of the application behind ours. */
async function backgrounds(own: string): Promise<string[]> {
  const page = await browser.newPage();
  await page.setContent(`<!doctype html><style>${sheet}</style><style>${own}</style>${parts}`);
  const found = await page.evaluate("[...document.querySelectorAll('button')].map((b) => getComputedStyle(b).backgroundColor)");
  await page.close();
  return found as string[];
}

const accent = "rgb(49, 84, 212)";
// It follows from the background.
const surface = "color(srgb 1 1 1)";

test("an application's reset of plain elements does not undo it", async () => {
  const reset = "*, button, p { margin: 0; padding: 0; border: 0; background: none; color: inherit; font: inherit }";
  expect(await backgrounds(reset)).toEqual([accent, surface, surface]);
});

test("a form of the application's is styled as the built-in ones", async () => {
  const page = await browser.newPage();
  const fields =
    "<input type=number><select><option>1</option></select><button type=button>Less</button><button type=submit>Book</button>";
  const form = `<main data-glove-look><form data-glove-question>${fields}<label><input type=checkbox></label></form></main>`;
  await page.setContent(`<!doctype html><style>${sheet}</style>${form}`);
  const of = (css: string) =>
    page.evaluate(`[...document.querySelectorAll("form :not(label, option)")].map((part) => getComputedStyle(part).${css})`);
  expect(await of("borderRadius")).toEqual(["8px", "8px", "8px", "8px", "4px"]);
  expect(((await of("backgroundColor")) as string[]).slice(2, 4)).toEqual([surface, accent]);
  await page.close();
});

test("the sign of work comes after a moment, and moves only where people want it to", async () => {
  const page = await browser.newPage();
  const timing = async (reducedMotion: "reduce" | "no-preference") => {
    await page.emulateMedia({ reducedMotion });
    await page.setContent(`<!doctype html><style>${sheet}</style><main data-glove-look></main>`);
    // Drawn and measured in one go: on a busy machine the wait would be over.
    return page.evaluate(`(() => {
      document.querySelector("main").innerHTML = '<div data-glove-role="working"><span>Thinking…</span></div>';
      const animations = document.getAnimations();
      for (const animation of animations) animation.currentTime = 0;
      const timings = animations.map(({ animationName, effect }) => {
        const { delay, duration, iterations } = effect.getTiming();
        return [animationName, delay, duration, String(iterations)];
      });
      return [getComputedStyle(document.querySelector("div")).visibility, ...timings];
    })()`);
  };
  const wait = ["glove-wait", 0, 200, "1"];
  const [dot, light] = [
    ["glove-breathe", 200, 900, "Infinity"],
    ["glove-shimmer", 200, 1800, "Infinity"],
  ];
  expect(await timing("no-preference")).toEqual(["hidden", wait, dot, light]);
  expect(await timing("reduce")).toEqual(["hidden", wait]);
  await page.waitForFunction("getComputedStyle(document.querySelector('div')).visibility === 'visible'");
  await page.close();
});

test("a class of the application's wins over it", async () => {
  expect(await backgrounds(".mine { background: rgb(1, 2, 3) }")).toEqual([accent, surface, "rgb(1, 2, 3)"]);
});
