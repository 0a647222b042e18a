// A chat under a finger: the keyboard on the screen, what Enter does, and the size of what is written.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat, withPage } from "../support/look-chat.js";

const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };
const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

/** The window as a keyboard leaves it, which no browser here opens: so high, and so far down. */
const keyboard = (page: Page, height: number, offsetTop = 0, scale = 1) =>
  page.evaluate(`{
    const view = globalThis.fake ??= Object.assign(new EventTarget(), { width: 360, offsetLeft: 0 });
    Object.assign(view, { height: ${height}, offsetTop: ${offsetTop}, scale: ${scale} });
    if (window.visualViewport !== view) Object.defineProperty(window, "visualViewport", { value: view, configurable: true });
    view.dispatchEvent(new Event("resize"));
  }`);
const bottom = (page: Page) =>
  page.evaluate(`document.querySelector("form[data-glove-role=input]").getBoundingClientRect().bottom`) as Promise<number>;

test("the composer stands above the keyboard, and where it stood when that has gone", async () => {
  await withPage(async (page) => {
    await keyboard(page, 640);
    await chat(page, `["word ".repeat(300)]`);
    await field(page).waitFor();
    const before = await bottom(page);
    await field(page).tap();
    await expect
      .poll(async () => {
        await keyboard(page, 340);
        return bottom(page);
      })
      .toBeLessThanOrEqual(340);
    // The browser has moved the window down by itself, by some of it.
    await keyboard(page, 340, 100);
    expect(await bottom(page)).toBeGreaterThan(400);
    expect(await bottom(page)).toBeLessThanOrEqual(440);
    await field(page).fill("Hello");
    await page.getByRole("button", { name: "Send" }).tap();
    await page.getByText("word word").waitFor();
    expect(await bottom(page)).toBeLessThanOrEqual(440);
    // Larger by two fingers, it is covered by nothing.
    await keyboard(page, 340, 0, 1.8);
    expect(await bottom(page)).toBe(before);
    await keyboard(page, 340);
    expect(await bottom(page)).toBeLessThanOrEqual(340);
    await keyboard(page, 640);
    expect(await bottom(page)).toBe(before);
  }, phone);
});

test("under a finger Enter begins a line and the button sends; Ctrl+Enter sends, and the application may say otherwise", async () => {
  await withPage(async (page) => {
    await chat(page, `["Well.", "Fine."]`);
    await field(page).tap();
    await page.keyboard.type("one");
    await page.keyboard.press("Enter");
    await page.keyboard.type("two");
    expect(await field(page).inputValue()).toBe("one\ntwo");
    await expect.poll(() => field(page).getAttribute("enterkeyhint")).toBe("enter");
    await page.getByRole("button", { name: "Send" }).tap();
    await page.getByText("Well.").waitFor();
    await field(page).press("ArrowUp");
    const editor = page.getByRole("textbox", { name: "Edit message" });
    expect(await editor.getAttribute("enterkeyhint")).toBe("enter");
    await editor.press("Escape");
    await field(page).fill("three");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Fine.").waitFor();
    await chat(page, `["Sent."]`, `{ view: { enter: "send" } }`);
    await field(page).fill("four");
    await page.keyboard.press("Enter");
    await page.getByText("Sent.").waitFor();
    expect(await field(page).getAttribute("enterkeyhint")).toBe("send");
  }, phone);
  await withPage(async (page) => {
    await chat(page, `["Well."]`, `{ view: { enter: "line" } }`);
    await field(page).fill("one");
    await page.keyboard.press("Enter");
    expect(await field(page).inputValue()).toBe("one\n");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Well.").waitFor();
  });
});

test("what is written under a finger has 16 pixels, so that no phone makes the page larger", async () => {
  await withPage(async (page) => {
    await chat(page, "[]", `{ view: { style: { "--glove-font-size": "13px" } } }`);
    expect(await field(page).evaluate((element) => getComputedStyle(element).fontSize)).toBe("16px");
    await page.evaluate(`show("forms")`);
    const sizes = await page.evaluate(
      `[...document.querySelectorAll("[data-glove-look] :is(input:not([type=radio], [type=checkbox]), select, textarea)")].map((one) => parseFloat(getComputedStyle(one).fontSize))`,
    );
    expect(Math.min(...(sizes as number[]))).toBeGreaterThanOrEqual(16);
  }, phone);
  await withPage(async (page) => {
    await chat(page, "[]", `{ view: { style: { "--glove-font-size": "13px" } } }`);
    expect(await field(page).evaluate((element) => getComputedStyle(element).fontSize)).toBe("13px");
  });
});

test("a chat that goes on below the window is behind no keyboard, and none of another field's", async () => {
  await withPage(async (page) => {
    await keyboard(page, 640);
    await chat(page, "[]", `{ view: { style: { height: "900px" } } }`);
    const covered = () =>
      page.evaluate(`document.querySelector("[data-glove-strategy]").style.getPropertyValue("--glove-keyboard")`);
    await field(page).tap();
    await expect
      .poll(async () => {
        await keyboard(page, 340);
        return covered();
      })
      .toBe("300px");
    await page.evaluate("scrollTo(0, 0)");
    await keyboard(page, 640);
    expect(await covered()).toBe("");
    await keyboard(page, 340);
    expect(await covered()).toBe("300px");
    await page.evaluate(`document.body.appendChild(document.createElement("input")).focus()`);
    expect(await covered()).toBe("");
  }, phone);
});
