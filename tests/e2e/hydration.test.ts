// A chat that a server has drawn, used before its scripts are there.
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, patience } from "../support/browser.js";
import { root } from "../support/project.js";
import { type Served, serve } from "../support/server.js";
import { App } from "../support/server-page.js";

let browser: Browser;
let server: Served;
beforeAll(async () => {
  const { preloadRender } = await import("glove-wasm/react");
  await preloadRender();
  const { outputFiles } = await build({
    entryPoints: [`${root}/tests/support/server-page.tsx`],
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    outdir: "/",
    write: false,
    define: { "process.env.NODE_ENV": '"development"' },
  });
  const files = Object.fromEntries(outputFiles.map(({ path, text }) => [path, text]));
  const html = `<!doctype html><html lang=en><title>A chat</title><link rel=icon href=data:,><body><main>${renderToString(createElement(App))}</main><script type=module src=/server-page.js></script>`;
  [browser, server] = [await openBrowser(), await serve("", { pages: { "/": html, ...files } })];
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** Opens the page, whose scripts come when `scripts` is called; gives what went wrong in it. */
async function withPage(work: (page: Page, scripts: () => void) => Promise<void>, options = {}): Promise<void> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(patience);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (said) => said.type() === "error" && errors.push(said.text()));
  let scripts = () => {};
  const come = new Promise<void>((resolve) => {
    scripts = resolve;
  });
  await page.route("**/*.js", async (route) => {
    await come;
    await route.continue();
  });
  try {
    await page.goto(server.url, { waitUntil: "commit" });
    await field(page).waitFor();
    await work(page, scripts);
    expect(errors).toEqual([]);
  } finally {
    await page.close();
  }
}

const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const said = (page: Page) => page.locator("[data-glove-role=user]");
const taken = (page: Page) => page.waitForFunction("Object.keys(document.querySelector('textarea')).length > 0");

test("a text that is typed before the scripts are there is kept, and Send neither loads the page again nor loses it", () =>
  withPage(async (page, scripts) => {
    await page.evaluate("globalThis.same = true");
    await field(page).pressSequentially("Hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Send" }).press("Enter");
    expect(await page.evaluate("[globalThis.same, location.search]")).toEqual([true, ""]);
    scripts();
    await taken(page);
    expect(await field(page).inputValue()).toBe("Hello");
    await field(page).press("Enter");
    await page.getByText('You said: "Hello"').waitFor();
    expect(await page.evaluate("[globalThis.same, location.search]")).toEqual([true, ""]);
  }));

test("Enter before the scripts are there sends when they are, once", () =>
  withPage(async (page, scripts) => {
    await field(page).pressSequentially("Hello");
    await field(page).press("Enter");
    scripts();
    await page.getByText('You said: "Hello"').waitFor();
    expect(await said(page).allInnerTexts()).toEqual(["Hello"]);
    expect(await field(page).inputValue()).toBe("");
  }));

test("several lines, and a text that somebody has left, wait for their writer", () =>
  withPage(async (page, scripts) => {
    await field(page).fill("one\ntwo");
    scripts();
    await taken(page);
    await page.waitForTimeout(200);
    expect([await said(page).count(), await field(page).inputValue()]).toEqual([0, "one\ntwo"]);
  }));

test("a line that a finger has begun before the scripts are there is not sent", () =>
  withPage(
    async (page, scripts) => {
      await field(page).pressSequentially("Hello");
      await field(page).press("Enter");
      scripts();
      await taken(page);
      await page.waitForTimeout(200);
      expect([await said(page).count(), await field(page).inputValue()]).toEqual([0, "Hello\n"]);
    },
    { hasTouch: true, isMobile: true },
  ));
