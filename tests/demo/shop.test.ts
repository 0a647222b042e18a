// The shop: text that streams, components in the conversation, a cart, undo, a permission, an approval, a form.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { calls, demo, log, phase, press, ready, region, say, shows } from "./kit.js";

const { open } = demo();
const cart = (page: Page) => region(page, "Cart");

test("an answer streams, and Stop keeps what was read", async () => {
  const page = await open();
  await say(page, "Tell me about the shop");
  await page.locator("[data-glove-streaming]").getByText("hinges").waitFor();
  await press(page, "Stop");
  await ready(page);
  await shows(page, /^The shop began.*hinges/);
  expect(await log(page).getByText("answered as usual").count()).toBe(0);
  await say(page, "What is in my cart?");
  await shows(page, "Your cart is empty");
});

test("a plan keeps its tasks and fills the cart", async () => {
  const page = await open();
  await press(page, /^Plan a quiet corner for me/);
  await shows(page, "Your quiet corner is in the cart");
  await cart(page).getByText("2 × Felt panel").waitFor();
  await cart(page).getByText("€137").waitFor();
  expect(await page.locator(".tasks [data-status=completed]").count()).toBe(3);
  expect(await log(page).getByRole("list", { name: "Products" }).getByRole("listitem").count()).toBe(2);
});

test("a button of a card that a tool shows talks to the assistant", async () => {
  const page = await open();
  await say(page, "Show me the desks");
  await shows(page, "Here are 2 products");
  await press(page, "Add the Monitor arm");
  await cart(page).getByText("1 × Monitor arm").waitFor();
});

test("undo takes the last action back, by the button and by asking for it", async () => {
  const page = await open();
  await say(page, "Add two Aurora lamps");
  await shows(page, "in your cart");
  await say(page, "Add the fern");
  await cart(page).getByText("1 × Fern").waitFor();
  await ready(page);
  await press(page, "Undo");
  await cart(page).getByText("1 × Fern").waitFor({ state: "detached" });
  await cart(page).getByText("2 × Aurora lamp").waitFor();
  await say(page, "Undo that");
  await cart(page).getByText("Nothing in it yet").waitFor();
});

test("what could be said next is offered once something was said, and not while a question waits", async () => {
  const page = await open("shop", { viewport: { width: 800, height: 900 } });
  const offers = page.getByRole("group", { name: "Suggestions" });
  await page.getByRole("heading", { name: "Furnish a small office" }).waitFor();
  expect(await offers.count()).toBe(0);
  await say(page, "Show me the desks");
  await shows(page, "Here are 2 products");
  const edges = (of: string) => page.locator(of).evaluate((element) => element.getBoundingClientRect().left);
  expect(await edges(".suggestions")).toBe(await edges("form[data-glove-role=input]"));
  // There is nothing yet that could be taken back.
  expect(await offers.getByRole("button", { name: "Undo that" }).count()).toBe(0);
  await offers.getByRole("button", { name: "Apply the code WELCOME10" }).click();
  await page.getByText("Reload the page: this stays.").waitFor();
  expect(await offers.count()).toBe(0);
  await press(page, "Dismiss the hint");
  await page.reload();
  await page.getByRole("button", { name: "Deny" }).waitFor();
  expect(await page.getByText("Reload the page: this stays.").count()).toBe(0);
});

test("a discount asks for permission, once", async () => {
  const page = await open();
  await say(page, "Add the oak desk");
  await shows(page, "in your cart");
  await press(page, "Apply the code WELCOME10");
  await phase(page, "Waiting for you");
  await press(page, "Always allow");
  await cart(page).getByText("€260.10").waitFor();
  await say(page, "The code is TEAM20");
  await cart(page).getByText("€231.20").waitFor();
  expect(await page.getByRole("button", { name: "Always allow" }).count()).toBe(0);
});

test("what is turned down is not done, and the assistant is told", async () => {
  const page = await open();
  await say(page, "Use the code TEAM20");
  await press(page, "Deny");
  await shows(page, "the price stays as it is");
});

test("an order above the limit is approved, then its form waits, then there is a receipt", async () => {
  const page = await open();
  await press(page, /^Add two task chairs and check out/);
  await shows(page, "Orders above €300 need your approval.");
  await press(page, "Check out");
  await page.getByLabel("Name", { exact: true }).fill("Ada");
  await page.getByLabel("Street").fill("Main Street 1");
  await page.getByLabel("City").fill("Bern");
  await page.getByLabel("Delivery").selectOption("express");
  await page.getByRole("button", { name: "Place order" }).press("Enter");
  await region(page, "Order N-1447").getByText("€447").waitFor();
  await shows(page, "is on its way to Bern");
  await cart(page).getByText("Nothing in it yet").waitFor();
});

test("a form that is turned down leaves the cart as it is", async () => {
  const page = await open();
  await say(page, "Add the fern");
  await shows(page, "in your cart");
  await press(page, "Check out");
  await press(page, "Not now");
  await shows(page, "No order was placed");
  await cart(page).getByText("1 × Fern").waitFor();
});

test("an approval and a form are still there after a reload, and the run goes on from them", async () => {
  const page = await open();
  await say(page, "Add two task chairs");
  await shows(page, "in your cart");
  await press(page, "Check out");
  await page.getByText("Reload the page: this stays.").waitFor();
  await page.reload();
  await shows(page, "Orders above €300 need your approval.");
  await cart(page).getByText("2 × Task chair").waitFor();
  await press(page, "Check out");
  await page.getByLabel("Name", { exact: true }).waitFor();
  await page.reload();
  await page.getByLabel("Name", { exact: true }).fill("Ada");
  await page.getByLabel("Street").fill("Main Street 1");
  await page.getByLabel("City").fill("Bern");
  await page.getByRole("button", { name: "Place order" }).click();
  await shows(page, "is on its way to Bern");
  expect(await calls(page, "Check out").count()).toBe(1);
});
