// Finding in a long conversation, of which little is in the document.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { chat, withPage } from "../support/look-chat.js";

const until = (page: Page, what: string) =>
  expect.poll(() => page.evaluate(`!!(${what})`), { message: what, timeout: 30_000 }).toBe(true);

/** 1,000 entries; some of them have the word that is looked for. */
const stored = `(id) => {
  const store = new MemoryStore(id);
  const word = (at) => ({ 20: "the lighthouse", 501: "a **light**house and a lighthouse", 998: "Lighthouse?" })[at] ?? "nothing";
  store.appendMessages(Array.from({ length: 1000 }, (_, at) => ({
    sender: at % 2 ? "agent" : "user", id: "m" + at,
    text: (at % 2 ? "Answer " : "Question ") + at + ". " + "Some words of it. ".repeat((at * 7) % 11) + word(at),
  })));
  return store;
}`;

/** Where the mark of what was found is, and how much is marked. */
const marked = `(() => {
  const box = document.querySelector("[data-glove-scroller]").getBoundingClientRect();
  const [range, ...more] = [...(CSS.highlights.get("glove-found-now") ?? [])];
  const rect = range?.getBoundingClientRect();
  return {
    text: String(range ?? ""),
    in: range?.startContainer.parentElement.closest("[data-glove-entry]").textContent.slice(0, 13),
    isSeen: !!rect && rect.top >= box.top && rect.bottom <= box.bottom,
    others: more.length + (CSS.highlights.get("glove-found")?.size ?? 0),
  };
})()`;

test("its key opens the bar as soon as that is there, where it is pressed before", async () => {
  await withPage(async (page) => {
    let come = () => {};
    const held = new Promise<void>((resolve) => {
      come = resolve;
    });
    await page.route(/\/finder[-.\w]*\.js/, async (route) => {
      await held;
      await route.continue();
    });
    await chat(page, "[]", `{ createStore: ${stored}, sessionId: "s", view: { find: "key" } }`);
    await until(page, `document.body.textContent.includes("Question 998.")`);
    await page.getByRole("textbox", { name: "Message" }).focus();
    await page.keyboard.press("Control+Shift+F");
    come();
    const field = page.getByRole("searchbox", { name: "Find in this conversation" });
    await field.waitFor();
    await expect.poll(() => page.evaluate(`document.activeElement.type`)).toBe("search");
  });
});

test("words are found in what is not drawn, marked and brought into sight, and the list of messages goes there", async () => {
  await withPage(async (page) => {
    await chat(page, "[]", `{ createStore: ${stored}, sessionId: "s", view: { find: true } }`);
    await until(page, `document.body.textContent.includes("Question 998.")`);
    await page.getByRole("textbox", { name: "Message" }).focus();
    // Its key comes with it.
    await page.locator("[data-glove-find-open]").waitFor();
    await page.keyboard.press("Control+Shift+F");
    const field = page.getByRole("searchbox", { name: "Find in this conversation" });
    await field.fill("LIGHTHOUSE");
    const status = page.getByRole("search").getByRole("status");
    const shows = async (count: string, where: string) => {
      await expect.poll(() => status.textContent()).toBe(count);
      await expect.poll(() => page.evaluate(marked), { timeout: 20_000 }).toMatchObject({ in: where, isSeen: true });
    };
    await shows("4 of 4", "Question 998.");
    await page.keyboard.press("Enter");
    await shows("3 of 4", "Answer 501. S");
    expect(await page.evaluate(marked)).toMatchObject({ text: "lighthouse", others: 2 });
    expect(await barriers(page, "[data-glove-look]")).toEqual([]);
    await page.keyboard.press("Enter");
    await shows("2 of 4", "Answer 501. S");
    await page.keyboard.press("Enter");
    await shows("1 of 4", "Question 20. ");
    await page.keyboard.press("Escape");
    expect(await page.evaluate(`document.activeElement.name`)).toBe("message");
    expect(await page.evaluate(marked)).toMatchObject({ text: "", others: 0 });
    await page.getByRole("button", { name: "Your messages" }).click();
    // The list begins at what is read.
    expect(await page.evaluate(`document.activeElement.textContent`)).toMatch(/Question 2[02]\./);
    expect(await barriers(page, "[data-glove-look]")).toEqual([]);
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(`document.activeElement.textContent`)).toContain("Question 994.");
  });
});
