// The demo: as `npm run demo` serves it, and built, under a strict content security policy.
import type { Browser, Page } from "playwright-core";
import { build, createServer } from "vite";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { root } from "../support/project.js";
import { type Served, serve } from "../support/server.js";

const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'";
const configFile = `${root}/demo/vite.config.ts`;
const outDir = `${root}/.cache/demo`;

let browser: Browser;
let server: Served;
let opened: { page: Page; problems: string[] } | undefined;

beforeAll(async () => {
  await build({ configFile, logLevel: "error", build: { outDir, emptyOutDir: true } });
  [browser, server] = await Promise.all([openBrowser(), serve(outDir, { headers: { "content-security-policy": policy } })]);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});
afterEach(async () => {
  // Whatever a test did: nothing was reported, and nothing was blocked by the policy.
  expect(opened?.problems).toEqual([]);
  await opened?.page.close();
  opened = undefined;
});

async function openDemo(): Promise<Page> {
  opened = await openPage(browser, server.url);
  await opened.page.getByText("Ask for a desk").waitFor();
  return opened.page;
}

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
const log = (page: Page) => page.getByRole("log");
const cart = (page: Page) => page.getByRole("region", { name: "Cart" });
const shows = (page: Page, text: string | RegExp) => log(page).getByText(text).first().waitFor();
const phase = (page: Page, text: string) => page.locator(".phase", { hasText: text }).waitFor();

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

test("the development server shows the demo", async () => {
  const development = await createServer({ configFile, logLevel: "warn", server: { port: 0 } });
  await development.listen();
  try {
    opened = await openPage(browser, development.resolvedUrls?.local[0] ?? "");
    await say(opened.page, "hello");
    await shows(opened.page, "I can show you what we have");
  } finally {
    await development.close();
  }
});

test("an answer streams, and Stop keeps what was read", async () => {
  const page = await openDemo();
  await press(page, "Tell me about the shop");
  await page.locator("[data-glove-streaming]").getByText("hinges").waitFor();
  await press(page, "Stop");
  await phase(page, "Ready");
  await shows(page, /^The shop began.*hinges/);
  expect(await log(page).getByText("answered as usual").count()).toBe(0);
  await say(page, "What is in my cart?");
  await shows(page, "Your cart is empty");
});

test("a plan keeps its tasks and fills the cart", async () => {
  const page = await openDemo();
  await press(page, "Plan a quiet corner for me");
  await shows(page, "Your quiet corner is in the cart");
  await cart(page).getByText("2 × Felt panel").waitFor();
  await cart(page).getByText("€137").waitFor();
  expect(await page.locator(".tasks [data-status=completed]").count()).toBe(3);
  expect(await log(page).getByRole("list", { name: "Products" }).getByRole("listitem").count()).toBe(2);
});

test("a button of a card that a tool shows talks to the assistant", async () => {
  const page = await openDemo();
  await press(page, "Show me the desks");
  await shows(page, "Here are 2 things");
  await press(page, "Add the Monitor arm");
  await cart(page).getByText("1 × Monitor arm").waitFor();
});

test("undo takes the last action back, by the button and by asking for it", async () => {
  const page = await openDemo();
  await say(page, "Add two Aurora lamps");
  await shows(page, "in your cart");
  await say(page, "Add the fern");
  await cart(page).getByText("1 × Fern").waitFor();
  await phase(page, "Ready");
  await press(page, "Undo");
  await cart(page).getByText("1 × Fern").waitFor({ state: "detached" });
  await cart(page).getByText("2 × Aurora lamp").waitFor();
  await press(page, "Undo that");
  await cart(page).getByText("Nothing in it yet").waitFor();
});

test("a discount asks for permission, once", async () => {
  const page = await openDemo();
  await say(page, "Add the oak desk");
  await shows(page, "in your cart");
  await press(page, "Apply the code WELCOME10");
  await phase(page, "Waits for you");
  await shows(page, "May apply_discount be used?");
  await press(page, "Allow");
  await cart(page).getByText("€260.10").waitFor();
  await say(page, "The code is TEAM20");
  await cart(page).getByText("€231.20").waitFor();
  expect(await page.getByRole("button", { name: "Allow" }).count()).toBe(0);
});

test("what is turned down is not done, and the assistant is told", async () => {
  const page = await openDemo();
  await say(page, "Use the code TEAM20");
  await press(page, "Deny");
  await shows(page, "Then I leave the price as it is");
});

test("an order above the limit is approved, then its form waits, then there is a receipt", async () => {
  const page = await openDemo();
  await say(page, "Add two task chairs");
  await shows(page, "in your cart");
  await press(page, "Check out");
  await shows(page, "The order of €438 is above €300.");
  await press(page, "Approve");
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("Street").fill("Main Street 1");
  await page.getByLabel("City").fill("Bern");
  await page.getByLabel("Delivery").selectOption("express");
  await page.getByRole("button", { name: "Place the order" }).press("Enter");
  await page.getByRole("region", { name: "Order N-1447" }).getByText("€447").waitFor();
  await shows(page, "is on its way to Bern");
  await cart(page).getByText("Nothing in it yet").waitFor();
});

test("a form that is turned down leaves the cart as it is", async () => {
  const page = await openDemo();
  await say(page, "Add the fern");
  await shows(page, "in your cart");
  await press(page, "Check out");
  await press(page, "Not now");
  await shows(page, "No order was placed");
  await cart(page).getByText("1 × Fern").waitFor();
});

test("conversations are switched, each with its own record", async () => {
  const page = await openDemo();
  await say(page, "Show me the lights");
  await shows(page, "Here are 2 things");
  await press(page, "New conversation");
  await page.getByText("Ask for a desk").waitFor();
  await say(page, "hello");
  await shows(page, "I can show you what we have");
  await page.getByRole("button", { name: "Record 2" }).waitFor();
  await page.getByLabel("Conversation shown").selectOption({ label: "Show me the lights" });
  await shows(page, "Here are 2 things");
  await page.getByRole("button", { name: "Record 4" }).waitFor();
});

test("the inspector shows the record and the events as they come", async () => {
  const page = await openDemo();
  await say(page, "What is in my basket?");
  await shows(page, "Your cart is empty");
  const record = page.getByRole("region", { name: "Record" });
  await record.getByText("view_cart: success").click();
  await record.getByText('"tool_results"').waitFor();
  await page.getByRole("button", { name: /^Events/ }).click();
  const panel = page.getByRole("region", { name: "Events" });
  await panel.getByText("request_started").waitFor();
  await panel.getByText(/^text_delta × /).waitFor();
  await panel.getByText("request_finished").waitFor();
});

test("a phone shows one part at a time, with nothing beyond its edge", async () => {
  const page = await openDemo();
  await page.setViewportSize({ width: 375, height: 740 });
  await press(page, "Show me the desks");
  await shows(page, "Here are 2 things");
  await press(page, "Add the Oak desk");
  await press(page, "Cart (1)");
  await cart(page).getByText("1 × Oak desk").waitFor();
  expect(await log(page).isVisible()).toBe(false);
  await press(page, "Inspector");
  await page.getByRole("button", { name: /^Record/ }).waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(375);
});
