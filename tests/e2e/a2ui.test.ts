// The page of docs/a2ui.md in Chromium, under a strict policy: what is composed waits over a reload, and is answered once.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, patience } from "../support/browser.js";
import { serveExamples } from "../support/docs-page.js";
import type { Served } from "../support/server.js";

let browser: Browser;
let server: Served;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), serveExamples("docs/a2ui.md", ["teas"], {})]);
}, patience);

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; style-src 'self'; img-src data:";

async function opened(page: Page): Promise<string[]> {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.route("**/teas", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
  });
  await page.goto(`${server.url}/teas`);
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  return problems;
}

test("a surface is drawn, is there after a reload, and its action is told to the model once", async () => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const problems = await opened(page);
    const note = page.getByRole("textbox", { name: "Note" });
    const order = page.getByRole("button", { name: "Order" });
    await page.getByRole("textbox", { name: "Message" }).fill("Which teas are there?");
    await page.getByRole("textbox", { name: "Message" }).press("Enter");
    await page.getByText("Assam", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("Ceylon", { exact: true }).waitFor();
    await note.pressSequentially("with milk");
    await order.click();
    await page.getByText('You ordered: {"note":"with milk"}').waitFor();
    await page.reload();
    await page.getByText('You ordered: {"note":"with milk"}').waitFor();
    await page.getByText("Ceylon", { exact: true }).waitFor();
    expect(await note.inputValue()).toBe("with milk");
    expect(await order.isDisabled()).toBe(true);
    expect(problems).toEqual([]);
  } finally {
    await context.close();
  }
}, 60_000);
