// The applications of examples/, and what a person does in them.
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { openPage } from "../support/browser.js";

/** Asks for a pizza in examples/vite: an answer streams, the form outlives a reload, and so does what it gave. */
export async function orderPizza(browser: Browser, url: string): Promise<void> {
  const { page, problems } = await openPage(browser, url);
  await say(page, "I am hungry");
  await page.getByText("Welcome! Here is the menu.").waitFor();
  await page.getByLabel("Address").waitFor();
  await page.reload();
  await page.getByLabel("Address").fill("1 Long Street");
  await page.getByRole("combobox", { name: "Pizza" }).selectOption("Funghi");
  await page.getByRole("button", { name: "Order", exact: true }).click();
  await page.getByText("Thank you! It is on its way.").waitFor();
  await page.reload();
  await page.getByText("One Funghi to 1 Long Street").waitFor();
  expect(problems).toEqual([]);
  await page.close();
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

/** A page whose policy forbids WebAssembly says what to do. */
export async function expectBlocked(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage();
  await page.goto(url);
  await say(page, "Hello?");
  await page.getByText("add 'wasm-unsafe-eval' to its script-src").waitFor();
  await page.close();
}
