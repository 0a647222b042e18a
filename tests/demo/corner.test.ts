// The scene of a site: the chat in its corner, titles by a model, what is unread, and words in all conversations.
import { expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { demo, log, press, say, shows, thread } from "./kit.js";

const { open } = demo();

test("a chat in the corner names its conversations, marks what came while it was closed, and finds it again", async () => {
  const page = await open("site");
  await page.getByRole("heading", { name: "Chairs for long dinners" }).waitFor();
  await press(page, "Ask the workshop");
  await say(page, "How do I get a stain out of the table?");
  await shows(page, "A stain of red wine");
  await thread(page, "Care of an oiled table").waitFor();
  await press(page, "New conversation");
  await say(page, "Which wood is the hardest?");
  await page.keyboard.press("Escape");
  await page.locator("[data-glove-launcher]").getByText("1").first().waitFor();
  await thread(page, "Oak, ash or walnut").waitFor();

  const field = page.getByRole("searchbox", { name: "Search conversations" });
  await field.fill("red WINE");
  await expect.poll(() => page.locator("[data-glove-hits] mark").allTextContents()).toEqual(["red", "wine"]);
  expect(await barriers(page)).toEqual([]);
  await field.press("Enter");
  await shows(page, "A stain of red wine");
  expect(await log(page).getByText("Oak is the hardest").count()).toBe(0);
});

test("on a phone, the list is a drawer, and a hit opens the chat", async () => {
  const page = await open("site", { viewport: { width: 360, height: 740 } });
  await press(page, "Ask the workshop");
  await say(page, "When will a chair arrive?");
  await shows(page, "five working days");
  await page.keyboard.press("Escape");
  await press(page, "Conversations");
  await page.getByRole("searchbox", { name: "Search conversations" }).fill("Fridays");
  await page.locator("[data-glove-hits] button").click();
  await shows(page, "on Tuesdays and Fridays");
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
});
