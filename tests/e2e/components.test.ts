// The page of docs/components.md in Chromium: a call that is allowed after a reload waits for the component that brings its tool.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, patience } from "../support/browser.js";
import { serveExamples } from "../support/docs-page.js";
import type { Served } from "../support/server.js";

let browser: Browser;
let server: Served;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), serveExamples("docs/components.md", ["orders"], {})]);
}, patience);

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

async function opened(page: Page): Promise<string[]> {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(`${server.url}/orders`);
  await page.getByRole("textbox").waitFor();
  return problems;
}

const sleeps = "Waits for the part of the page that does this";
const cart = (page: Page) => page.getByRole("button", { name: "Cart", exact: true });

test("a call that is allowed after a reload waits for its component, is not asked about again, runs once, and the model sees the newest value", async () => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const problems = await opened(page);
    await cart(page).click();
    await page.getByRole("textbox").fill("Some tea, please");
    await page.getByRole("textbox").press("Enter");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await page.reload();
    await page.getByText("The part of the page that does this is not open here.").waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText(sleeps).waitFor();
    expect(await page.getByRole("list", { name: "Cart" }).count()).toBe(0);
    // It waits over another reload too.
    await page.reload();
    await page.getByText(sleeps).waitFor();
    await cart(page).click();
    await page.getByText('Done. I was shown: {"cart":{"items":["tea"]}}').waitFor();
    expect(await page.getByRole("list", { name: "Cart" }).getByRole("listitem").allTextContents()).toEqual(["tea"]);
    expect(problems).toEqual([]);
  } finally {
    await context.close();
  }
}, 60_000);

test("Stop ends a call that waits for its component", async () => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await opened(page);
    await cart(page).click();
    await page.getByRole("textbox").fill("Some tea, please");
    await page.getByRole("textbox").press("Enter");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await cart(page).click();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText(sleeps).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText(sleeps).waitFor({ state: "detached" });
    await page.reload();
    await page.getByText("Stopped", { exact: true }).waitFor();
    expect(await page.getByText(sleeps).count()).toBe(0);
  } finally {
    await context.close();
  }
}, 60_000);
