// The trip planner: a form with what is known, searches side by side, an itinerary that outlives the page, small changes.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { calls, demo, inside, press, ready, region, say, shows } from "./kit.js";

const { open } = demo();
const plan = (page: Page) => region(page, "Plan");

async function lisbon(page: Page): Promise<void> {
  await say(page, "Two days in Lisbon");
  await press(page, "Plan my trip");
  await shows(page, "Your trip to Lisbon has 5 stops");
  await ready(page);
}

test("a trip takes a form, searches at the same time, and an itinerary", async () => {
  const page = await open("trip");
  await say(page, "Three days in Kyoto");
  const form = page.getByRole("form", { name: "Preferences" });
  expect(await form.getByLabel("City").inputValue()).toBe("Kyoto");
  expect(await form.getByLabel("Days").inputValue()).toBe("3");
  await form.getByLabel("art").check();
  await press(page, "Plan my trip");
  // All of them run, before the first is done.
  await page.waitForFunction(() => document.querySelectorAll("[data-glove-role=tool][data-state=running]").length === 4);
  await region(page, "Itinerary for Kyoto").getByText("Day 3").waitFor();
  await plan(page)
    .getByRole("img", { name: /^Map of day 1/ })
    .waitFor();
  await ready(page);
  expect(await page.locator(".tasks [data-status=completed]").count()).toBe(3);
});

test("the itinerary is drawn again after a reload, from what the model never got", async () => {
  const page = await open("trip");
  await lisbon(page);
  const before = await region(page, "Itinerary for Lisbon").innerText();
  await page.reload();
  expect(await region(page, "Itinerary for Lisbon").innerText()).toBe(before);
  await press(page, "How is the weather?");
  await shows(page, "the next three days");
  await inside(page, "Requests");
  await page.locator(".requests details").first().locator("summary").first().click();
  const told = await page.locator(".requests details").first().textContent();
  expect(told).toContain("make_itinerary");
  expect(told).not.toContain("renderData");
});

test("a stop is replaced by a button of the panel, taken out by asking, and both are taken back", async () => {
  const page = await open("trip");
  await lisbon(page);
  const stops = () => plan(page).locator(".stops li").allInnerTexts();
  const first = await stops();
  await press(page, "Replace the Market hall");
  await shows(page, "takes the place of Market hall");
  expect(await stops()).not.toEqual(first);
  await say(page, "Drop the custard bakery");
  await shows(page, "Custard bakery is out of the plan");
  expect((await stops()).length).toBe(first.length - 1);
  await ready(page);
  await press(page, "Undo");
  await plan(page).getByText("Custard bakery").first().waitFor();
  await say(page, "Undo that");
  await plan(page).getByText("Market hall").first().waitFor();
  expect(await stops()).toEqual(first);
});

test("a form that is turned down ends the request with a word", async () => {
  const page = await open("trip");
  await press(page, /^Plan a weekend in Lisbon/);
  await press(page, "Not now");
  await shows(page, "No hurry");
  expect(await calls(page, "Ask about your trip").getByText("Declined").count()).toBe(1);
});
