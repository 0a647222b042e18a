// The applications of examples/, and what a person does in them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { openPage } from "../support/browser.js";
import { root } from "../support/project.js";

/** The file of an example that makes its client, whose core is in a worker where the address of the page ends with `?worker`. */
export function inWorker(path: string): string {
  const worker = `worker: globalThis.location?.search === "?worker",`;
  return readFileSync(join(root, "examples", path), "utf8").replace("persistSession: true,", `$& ${worker}`);
}

/** Asks for a pizza in examples/vite: an answer streams, the form outlives a reload, and so does what it gave. */
export async function orderPizza(browser: Browser, url: string, worker = false): Promise<void> {
  const { page, problems } = await openPage(browser, worker ? new URL("?worker", url).href : url);
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
  expect(page.workers().length).toBe(worker ? 1 : 0);
  expect(problems).toEqual([]);
  await page.close();
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

/** A page whose policy forbids something says what to do. */
export async function expectBlocked(browser: Browser, url: string, advice: string): Promise<void> {
  const page = await browser.newPage();
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  await page.goto(url);
  await say(page, "Hello?");
  // The person may read other words; what to change is in the console.
  await page.getByRole("alert").first().waitFor();
  await expect.poll(() => said.join("\n")).toContain(advice);
  await page.close();
}
