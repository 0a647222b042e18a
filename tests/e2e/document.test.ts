// The look of a document: no bubbles, questions as headings, calls as notes; loaded where it is wanted.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { chat, withPage } from "../support/look-chat.js";

const script = `[
  { toolCalls: [{ name: "look_up", input: { city: "Lisbon" } }] },
  "## Two days in Lisbon\\n\\nBegin in **Alfama**.\\n\\n### First day\\n\\n- The castle\\n- The river",
]`;
const tools = `[{ name: "look_up", description: "", jsonSchema: { type: "object" }, do: () => "fine weather" }]`;

const said = (page: Page) =>
  page.locator("[data-glove-role=user]").evaluate((message) => {
    const { backgroundColor, fontWeight, padding } = getComputedStyle(message);
    const row = message.closest("[data-glove-message]") as HTMLElement;
    return { backgroundColor, fontWeight, padding, isWide: message.clientWidth > row.clientWidth - 2 };
  });
const begin = async (page: Page, view: string) => {
  await chat(page, script, `{ tools: ${tools}, view: ${view} }`);
  await page.getByRole("textbox", { name: "Message" }).fill("Lisbon?");
  await page.keyboard.press("Enter");
  await page.getByText("The river").waitFor();
};

test("what a person said heads its answer, without a bubble, on wide and narrow screens, and axe finds nothing", () =>
  withPage(async (page) => {
    await begin(page, `{ variant: "document" }`);
    for (const width of [1000, 360]) {
      await page.setViewportSize({ width, height: 700 });
      expect(await said(page)).toEqual({ backgroundColor: "rgba(0, 0, 0, 0)", fontWeight: "600", padding: "0px", isWide: true });
      const size = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
      const [question, heading, text, call] = await Promise.all(
        [
          "[data-glove-role=user]",
          "[data-glove-markdown] h2, [data-glove-markdown] h4",
          "[data-glove-markdown] p",
          "[data-glove-step]",
        ].map(size),
      );
      expect([question, heading, text, call]).toEqual([question, heading, text, call].sort((a = 0, b = 0) => b - a));
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      expect(await barriers(page, "[data-glove-look]")).toEqual([]);
    }
  }));

test("a chat with bubbles has no rule of it, and an unstyled one no mark", () =>
  withPage(async (page) => {
    const sheets = () =>
      page.evaluate(
        `document.adoptedStyleSheets.some(({ cssRules }) => [...cssRules].some(({ cssText }) => cssText.includes("data-glove-variant")))`,
      );
    await begin(page, "{}");
    expect(await said(page)).toMatchObject({ isWide: false, fontWeight: "400" });
    expect(await sheets()).toBe(false);
    await begin(page, `{ variant: "document", unstyled: true }`);
    expect(await page.locator("[data-glove-variant]").count()).toBe(0);
    expect(await sheets()).toBe(false);
  }));
