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
  expect(await backgrounds(reset)).toEqual([accent, surface, "rgba(0, 0, 0, 0)"]);
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

/** As Tailwind 4 puts it into a page: all of it stands in layers. */
const tailwind = `@layer theme, base, components, utilities;
@layer base {
  *, ::after, ::before, ::backdrop, ::file-selector-button { box-sizing: border-box; margin: 0; padding: 0; border: 0 solid; }
  h1, h2, h3, h4, h5, h6 { font-size: inherit; font-weight: inherit; }
  a { color: inherit; text-decoration: inherit; }
  ol, ul, menu { list-style: none; }
  button, input, select, optgroup, textarea, ::file-selector-button {
    font: inherit; letter-spacing: inherit; color: inherit; border-radius: 0; background-color: transparent; opacity: 1;
  }
  textarea { resize: vertical; }
}
@layer utilities {
  .mine {
    margin: 7px; padding: 3px; min-height: 11px; max-width: 80px; border: 5px dotted rgb(9, 8, 7); border-radius: 2px;
    background: rgb(1, 2, 3); color: rgb(4, 5, 6); font: italic 12px/20px serif; display: inline-block; text-align: right;
    cursor: help; list-style: square; box-sizing: content-box; width: 70px; gap: 9px; opacity: 0.5; align-items: end;
    justify-content: end; flex: 2 2 10px; outline: 3px solid rgb(1, 1, 1); resize: none; appearance: auto; vertical-align: top;
  }
  .h-96 { height: 384px; }
  .hidden { display: none; }
  .gap-8 { gap: 32px; }
}`;

const controls = `<button class=mine>a</button><button class=mine disabled>a</button><button class=mine type=submit>a</button>
  <input class=mine required><input class=mine type=checkbox checked><input class=mine type=radio><input class=mine type=range>
  <input class=mine disabled aria-invalid=true><select class=mine><option>1</option></select><textarea class=mine></textarea>`;
const texts = `<p class=mine>a</p><ul class=mine><li class=mine>a</li></ul><ol class=mine></ol><h1 class=mine>a</h1><h4 class=mine>a</h4>
  <blockquote class=mine>a</blockquote><pre class=mine>a</pre><article class=mine>a</article><dl class=mine><dd class=mine>a</dd></dl>
  <details><summary class=mine>a</summary></details><progress class=mine></progress><meter class=mine></meter><small class=mine>a</small>
  <label class=mine>a <input type=radio class=mine></label><fieldset class=mine><legend class=mine>a</legend></fieldset><a class=mine href="#">a</a>
  <div role=radiogroup class=mine><label class=mine>a</label></div>`;
const mine = `${texts}${controls}`;
const places = `<div data-glove-shows><div>${mine}</div></div><div data-glove-slot>${mine}</div>
  <form data-glove-question><p class=mine>a</p>${mine}<div data-glove-actions>${controls}</div></form>
  <form data-glove-question><label class=mine>a</label><input class=mine></form>
  <div data-glove-role=welcome><div data-glove-greeting>${mine}</div></div>
  <div data-glove-message=agent>${mine}<div data-glove-tools>${controls}</div></div>
  <div data-glove-message=user><form data-glove-question data-glove-editor class=mine><p class=mine>a</p><textarea class=mine></textarea><div class=mine></div></form></div>
  <form data-glove-role=input class=mine>${controls}</form><div>${mine}</div>`;

for (const media of ["a mouse", "a finger"])
  test(`a class in a layer of the application's has the element to itself: with ${media}`, async () => {
    const page = await browser.newPage(media === "a finger" ? { hasTouch: true, isMobile: true } : {});
    const looks = async (own: string) => {
      await page.setContent(
        `<!doctype html><style>${tailwind}</style><style>${own}</style><main data-glove-look>${places}</main>`,
      );
      return page.evaluate(`[...document.querySelectorAll(".mine")].map((part) => {
        const style = getComputedStyle(part);
        const said = [...document.styleSheets[0].cssRules].at(-1).cssRules[0].style;
        const where = part.parentElement.outerHTML.slice(0, 40) + "… " + part.outerHTML.slice(0, 40);
        // In a row of ours it is a block, as wide as there is room.
        const same = { "inline-block": "block" };
        const own = [...said].filter((name) => !/^(-|width|inline-size)/.test(name));
        return own.map((name) => where + " " + name + ": " + (same[style[name]] ?? style[name]));
      })`) as Promise<string[][]>;
    };
    const alone = await looks("");
    expect(alone.length).toBeGreaterThan(100);
    const others = (await looks(sheet)).flatMap((part, at) => part.filter((said) => !alone[at]?.includes(said)));
    expect(others).toEqual([]);
    await page.close();
  });

test("a result has a frame of ours, and none where its tool says so", async () => {
  const page = await browser.newPage();
  const frames = `<div data-glove-shows><p>a</p></div><div data-glove-shows><p>a</p><i hidden data-glove-bare></i></div>`;
  await page.setContent(`<!doctype html><style>${sheet}</style><main data-glove-look>${frames}</main>`);
  const found = await page.evaluate(`[...document.querySelectorAll("[data-glove-shows]")].map((shows) => {
    const { borderTopWidth, paddingTop, backgroundColor, display } = getComputedStyle(shows);
    return [borderTopWidth, paddingTop, backgroundColor, display].join(" ");
  })`);
  expect(found).toEqual([`1px 14px ${surface} flex`, "0px 0px rgba(0, 0, 0, 0) flex"]);
  await page.close();
});

test("the chat itself and its list obey a class of the application's, in a layer or not", async () => {
  const page = await browser.newPage();
  const list = readFileSync(`${root}/js/react/threads/style.css`, "utf8");
  const chat = (className: string, log: string) => `<main data-glove-look ${className}><div role=log ${log}></div></main>
    <aside data-glove-look data-glove-threads ${className}></aside>`;
  const measure = async (body: string) => {
    const resets =
      "* { min-width: 9px; background: none; font: inherit; color: inherit } main, nav, aside, div { display: block; height: 7px }";
    await page.setContent(`<!doctype html><style>${resets} ${tailwind} .flat { height: 100px; display: grid }</style>
      <style>${sheet}</style><style>${list}</style><div style="height: 1000px; color: red; font-family: fantasy">${body}</div>`);
    return page.evaluate(`[...document.querySelectorAll("[data-glove-look], [role=log]")].map((part) => {
      const { height, display, gap, backgroundColor, color, fontFamily, minWidth } = getComputedStyle(part);
      return [height, display, gap, backgroundColor, color, fontFamily, minWidth].join(" ");
    })`) as Promise<string[]>;
  };
  const plain = await measure(chat("", ""));
  expect(plain[0]).toMatch(/^\d+px flex normal rgb\(255, 255, 255\) rgb\(27, 29, 33\) system-ui.* 0px$/);
  expect(await measure(chat('class="theirs"', 'class="theirs"'))).toEqual(plain);
  const [layered, log, threads] = await measure(chat('class="h-96"', 'class="gap-8"'));
  expect([layered, log, threads]).toEqual([
    expect.stringMatching(/^384px flex/),
    expect.stringMatching(/ flex 32px /),
    expect.stringMatching(/^384px flex/),
  ]);
  expect((await measure(chat('class="hidden"', ""))).map((style) => style.includes(" none "))).toEqual([true, false, true]);
  expect((await measure(chat('class="flat"', "")))[0]).toMatch(/^100px grid/);
  await page.close();
});
