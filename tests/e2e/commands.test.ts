// The list of commands over the composer in Chromium, under a strict policy: where it stands, what keys, fingers and axe find.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { chat, withPage } from "../support/look-chat.js";

const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
const options = (page: Page) => page.getByRole("option");

const commands = `{
  hooks: [
    { name: "help", description: "What I can do for you", run: () => ({ answer: "Ask me." }) },
    { name: "translate", description: "Answer in another language, which you name behind it", run: ({ args }) => ({ text: args }) },
  ],
  skills: [
    { name: "mail", description: "Writing and sending mails", instructions: "Write." },
    { name: "מכתב", description: "כתיבת מכתבים", instructions: "Write." },
    ...Array.from({ length: 12 }, (_, n) => ({ name: "template-" + n, description: "Fill in the template number " + n, instructions: "Fill." })),
  ],
}`;

const ready = async (page: Page) => {
  await chat(page, '["Done."]', commands);
  await page.locator("textarea[aria-haspopup=listbox]").waitFor();
};

test.each(["ltr", "rtl"] as const)("the list stands over the composer and inside of narrow windows, %s", async (dir) => {
  for (const viewport of [
    { width: 320, height: 480 },
    { width: 1400, height: 900 },
  ]) {
    await withPage(
      async (page) => {
        await page.evaluate(`document.documentElement.dir = "${dir}"`);
        await ready(page);
        await field(page).pressSequentially("/");
        await page.getByRole("listbox", { name: "Commands" }).waitFor();
        const places = await page.evaluate(`["[data-glove-commands]", "form[data-glove-role=input]"].map((part) => {
          const { left, right, top, bottom } = document.querySelector(part).getBoundingClientRect();
          return { left, right, top, bottom };
        })`);
        const [list, form] = places as [DOMRect, DOMRect];
        expect(list.bottom).toBeLessThan(form.top);
        expect(list.top).toBeGreaterThan(0);
        expect([list.left, list.right]).toEqual([form.left + 1, form.right - 1]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(viewport.width);
        // The last of them is brought into sight.
        await field(page).press("ArrowUp");
        const last = options(page).last();
        expect(await last.getAttribute("aria-selected")).toBe("true");
        const box = await last.boundingBox();
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(list.bottom + 1);
        // It is scrolled by the arrows in the field; axe knows that of a combobox alone.
        expect(await barriers(page, "main", ["region", "scrollable-region-focusable"])).toEqual([]);
      },
      { viewport },
    );
  }
});

test("what a key completes can be undone, and the message goes out with it", async () => {
  await withPage(async (page) => {
    await ready(page);
    await field(page).pressSequentially("/tra");
    await field(page).press("Enter");
    expect(await field(page).inputValue()).toBe("/translate ");
    await field(page).press("Control+z");
    expect(await field(page).inputValue()).toBe("/tra");
    await field(page).press("End");
    await field(page).pressSequentially("n");
    await field(page).press("Tab");
    await field(page).pressSequentially("good day");
    // Somewhere else it is no name that is being written.
    expect(await options(page).count()).toBe(0);
    await field(page).press("Enter");
    await page.getByText("Done.").waitFor();
    expect(await field(page).inputValue()).toBe("");
  });
});

test("Escape closes the list before it stops the agent, and a finger chooses", async () => {
  await withPage(
    async (page) => {
      await chat(page, '[{ text: "Never.", after: 60_000 }]', commands);
      await page.locator("textarea[aria-haspopup=listbox]").waitFor();
      await field(page).fill("go");
      await page.getByRole("button", { name: "Send" }).tap();
      await page.getByRole("button", { name: "Stop" }).waitFor();
      await field(page).pressSequentially("/he");
      await options(page).first().waitFor();
      await field(page).press("Escape");
      await options(page).first().waitFor({ state: "detached" });
      expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(1);
      await field(page).press("Escape");
      await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
      await field(page).fill("");
      await field(page).fill("/mai");
      await options(page).first().tap();
      expect(await field(page).inputValue()).toBe("/mail ");
      expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
    },
    { hasTouch: true, viewport: { width: 360, height: 640 } },
  );
});
