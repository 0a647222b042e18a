// Somebody who reads what was said before while an answer streams.
import { expect, test } from "vitest";
import { demo, press, say, shows } from "./kit.js";

const { open } = demo({ pace: 1 });

test("what one reads stays where it is while an answer streams", async () => {
  const page = await open("shop", { viewport: { width: 1440, height: 500 } });
  await say(page, "Show me everything");
  await shows(page, "Here are 8 products");
  await press(page, "Tell me about the shop");
  await page.locator("[data-glove-streaming]").getByText("desk").waitFor();
  const scroll = page.locator("[data-glove-scroller]");
  await scroll.focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.querySelector("[data-glove-scroller]")?.scrollTop === 0);
  await shows(page, /answered as usual/);
  expect(await scroll.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  await page.keyboard.press("End");
  await page.getByRole("textbox", { name: "Message" }).focus();
  await page.keyboard.type("Check out");
  await page.keyboard.press("Enter");
  await shows(page, "Your cart is empty. Add something first");
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA");
});
