// What a run lives through: a killed tab, a lost line, an answer that breaks off, another conversation meanwhile.
import { expect, test } from "vitest";
import { calls, demo, inside, kill, log, phase, press, ready, region, say, shows, thread } from "./kit.js";

const { open, again } = demo({ pace: 1 });

test("a tab that is killed while a tool runs: the next one asks, and runs it again only when told to", async () => {
  const page = await open("desk");
  await say(page, "Restart checkout");
  await press(page, "Always allow");
  await region(page, "Services").getByText("restarting").waitFor();
  await kill(page);
  const next = await again(page);
  await shows(next, "was interrupted, and may have taken effect");
  await region(next, "Services").getByText("restarting").waitFor();
  await press(next, "Run again");
  await shows(next, "Checkout is up again");
  expect(await calls(next, "Restart Checkout").count()).toBe(1);
});

test("the button that says so really ends the tab's process, and the question is there again", async () => {
  const page = await open("shop");
  await press(page, /^Apply the code WELCOME10/);
  await phase(page, "Waiting for you");
  const crashed = page.waitForEvent("crash", { timeout: 60_000 });
  await inside(page, "Crash this tab");
  const dialog = page.getByRole("dialog", { name: "Crash this tab?" });
  await dialog.getByText("the conversation is back").waitFor();
  dialog
    .getByRole("button", { name: "Crash it" })
    .click()
    .catch(() => {});
  await crashed;
  const next = await again(page);
  await next.getByText(/^This tab crashed \d+ s ago. Everything is back\.$/).waitFor();
  await press(next, "Always allow");
  await shows(next, "10% off");
});

test("a tab that is killed in the middle of an answer: the answer is asked for again", async () => {
  const page = await open("shop");
  await say(page, "Tell me about the shop");
  await page.locator("[data-glove-streaming]").getByText("hinges").waitFor();
  await kill(page);
  const next = await again(page);
  await shows(next, /^The shop began.*answered as usual/);
  expect(await log(next).getByText("Tell me about the shop").count()).toBe(1);
});

test("offline, a request says so and waits; it goes on when the line is back", async () => {
  const page = await open("shop");
  await inside(page, "Go offline");
  await say(page, "What is in my cart?");
  await page.getByRole("alert").waitFor();
  await phase(page, "Stopped by an error");
  await inside(page, "Go offline");
  await shows(page, "Your cart is empty");
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await log(page).getByText("What is in my cart?").count()).toBe(1);
});

test("a browser that loses its network is the same", async () => {
  const page = await open("shop");
  await page.context().setOffline(true);
  await say(page, "What is in my cart?");
  await page.getByRole("alert").waitFor();
  await page.context().setOffline(false);
  await shows(page, "Your cart is empty");
});

test("an answer that breaks off is shown as far as it came, is told as a failure, and can be asked for again", async () => {
  const page = await open("shop");
  await say(page, "Tell me about the shop");
  await page.locator("[data-glove-streaming]").getByText("hinges").waitFor();
  await inside(page, "Cut the stream");
  await page.getByRole("alert").waitFor();
  expect(await log(page).getByText("answered as usual").count()).toBe(0);
  await inside(page, "Requests");
  await region(page, "Requests").getByText("cut").waitFor();
  await press(page, "Try again");
  await shows(page, /^The shop began.*answered as usual/);
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("a request that has failed still waits after a reload, and goes on when somebody says so", async () => {
  const page = await open("shop");
  await inside(page, "Cut the stream");
  await say(page, "What is in my cart?");
  await page.getByRole("alert").waitFor();
  await page.reload();
  await page.getByText("The answer was interrupted.").waitFor();
  await press(page, "Continue");
  await shows(page, "Your cart is empty");
  await ready(page);
  expect(await page.getByRole("button", { name: "Continue" }).count()).toBe(0);
});

test("no tool runs from an answer that breaks off", async () => {
  const page = await open("shop");
  await inside(page, "Cut the stream");
  await say(page, "Add the fern");
  await page.getByRole("alert").waitFor();
  await region(page, "Cart").getByText("Nothing in it yet").waitFor();
  await press(page, "Try again");
  await region(page, "Cart").getByText("1 × Fern").waitFor();
  await ready(page);
  await inside(page, "Requests");
  expect(await region(page, "Requests").locator(".requests > li > details > summary .tag").allInnerTexts()).toEqual([
    "answered",
    "answered",
    "cut",
  ]);
  // The call came in the answer that was cut and in the one after it, and was made once.
  await inside(page, "Record");
  expect(await region(page, "Record").getByText("add_to_cart: success").count()).toBe(1);
});

test("another conversation in the middle of an answer: the first goes on by itself", async () => {
  const page = await open("shop");
  await say(page, "Tell me about the shop");
  await page.locator("[data-glove-streaming]").getByText("hinges").waitFor();
  await press(page, "New conversation");
  await page.getByRole("heading", { name: "Furnish a small office" }).waitFor();
  expect(await page.locator("[data-glove-streaming]").count()).toBe(0);
  await say(page, "hello");
  await shows(page, "I can show you what we have");
  await thread(page, "Tell me about the shop").click();
  await shows(page, /^The shop began.*answered as usual/);
  expect(await log(page).getByText("hello").count()).toBe(0);
});
