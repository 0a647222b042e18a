// One conversation in two tabs: both show it, either answers, and the second takes over when the first one goes away.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { calls, demo, inside, kill, log, press, ready, region, say, shows } from "./kit.js";

const { open } = demo({ pace: 1 });

/** As the button of the page opens it. */
async function secondTab(page: Page): Promise<Page> {
  const [second] = await Promise.all([page.context().waitForEvent("page"), inside(page, "Second tab")]);
  await second.getByText("Another tab is running this.").waitFor();
  return second;
}

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill("Ada");
  await page.getByLabel("Street").fill("Main Street 1");
  await page.getByLabel("City").fill("Bern");
}

const takesOver = (page: Page) => page.getByText("Another tab is running this.").waitFor({ state: "detached" });

test("the second tab shows the same, answers what the first one asks, and sends what the first one has answered", async () => {
  const first = await open("shop");
  await say(first, "Add two task chairs and check out");
  await first.getByRole("button", { name: "Check out", exact: true }).waitFor();
  const second = await secondTab(first);
  await shows(second, "Orders above €300 need your approval.");
  await region(second, "Cart").getByText("2 × Task chair").waitFor();
  await press(second, "Check out");
  await first.getByLabel("Name", { exact: true }).waitFor();
  await fillIn(second);
  await press(second, "Place order, €438");
  await region(first, "Order N-1438").waitFor();
  await region(second, "Order N-1438").waitFor();
  await region(first, "Cart").getByText("Nothing in it yet").waitFor();
  for (const page of [first, second]) expect(await calls(page, "Check out").count()).toBe(1);

  await say(second, "Show me the desks");
  await shows(first, "Here are 2 products");
  await ready(second);
  // The second one asked nothing itself, and says where it is asked.
  await inside(second, "Requests");
  await region(second, "Requests").getByText("See its inspector").waitFor();
  expect(await region(second, "Requests").locator(".requests > li").count()).toBe(0);
  await inside(first, "Requests");
  expect(await region(first, "Requests").locator(".requests > li").count()).toBe(5);
  expect(await second.getByRole("button", { name: "Cut the stream" }).isDisabled()).toBe(true);
  // The record is the same in both.
  for (const page of [first, second]) {
    await inside(page, "Record");
    await region(page, "Record").getByText("checkout: success").waitFor();
  }
});

test("an answer streams in both tabs; the first is closed in the middle of it, and the second has it answered", async () => {
  const first = await open("shop");
  await say(first, "hello");
  await shows(first, "I can show you what we have");
  const second = await secondTab(first);
  await press(second, "Tell me about the shop");
  for (const page of [first, second]) await page.locator("[data-glove-streaming]").getByText("hinges").waitFor();
  await first.close();
  await takesOver(second);
  await shows(second, /^The shop began.*answered as usual/);
  await ready(second);
  expect(await log(second).locator("[data-glove-role=user]", { hasText: "Tell me about the shop" }).count()).toBe(1);
  expect(await log(second).getByText("The shop began").count()).toBe(1);
  await inside(second, "Requests");
  await region(second, "Requests").getByText("answered").first().waitFor();
});

test("a form outlives the tab that asked: what was typed into it in the second tab is still there, and is taken", async () => {
  const first = await open("shop");
  await say(first, "Add the fern");
  await shows(first, "in your cart");
  await press(first, "Check out");
  await first.getByLabel("Name", { exact: true }).waitFor();
  const second = await secondTab(first);
  await fillIn(second);
  await kill(first);
  await takesOver(second);
  expect(await second.getByLabel("Name", { exact: true }).inputValue()).toBe("Ada");
  await press(second, "Place order, €18");
  await shows(second, "is on its way to Bern");
  expect(await calls(second, "Check out").count()).toBe(1);
});
