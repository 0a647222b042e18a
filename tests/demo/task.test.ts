// The scene of the task: a plan that a person approves, a tab that dies while it acts, a verification that fails and is mended.
import { expect, test } from "vitest";
import { demo, press } from "./kit.js";

const { open, again } = demo();

test("a brief is planned, approved, written in two tabs' lives, refined, and opened at the end", async () => {
  const page = await open("task");
  await page.getByRole("button", { name: /cities\.csv/ }).waitFor();
  await press(page, "Start");
  await page.getByText("Allow the plan?").waitFor();
  await press(page, "Allow");
  await page.locator("[data-glove-standing]", { hasText: "Working · Act" }).waitFor();
  const other = await again(page);
  await page.close();

  await other.locator("[data-glove-standing]", { hasText: "Interrupted" }).waitFor();
  await press(other, "Resume");
  // The first verification found no sources: the plan is refined, and approved again.
  await other.getByText("Allow the plan?").waitFor();
  await other.getByText("Add the sources to the brief").first().waitFor();
  await press(other, "Allow");
  await other.locator("[data-glove-standing]", { hasText: "Completed" }).waitFor();
  await other
    .getByRole("button", { name: /^brief\.md [\d.]+ k?B$/ })
    .first()
    .click();
  await other.getByRole("dialog").getByText("Sources", { exact: true }).waitFor();
  expect(await other.getByRole("dialog").getByRole("table").locator("tr").count()).toBe(4);
  await other.keyboard.press("Escape");

  await press(other, "Start over");
  await other.getByRole("button", { name: "Start", exact: true }).waitFor();
});

test.each([360, 800, 1400])("the board fits a window of %i pixels", async (width) => {
  const page = await open("task", { viewport: { width, height: 800 } });
  await press(page, "Start");
  await page.getByText("Allow the plan?").waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  if (process.env.SHOTS) await page.screenshot({ path: `/tmp/shots/demo-${width}.png` });
});
