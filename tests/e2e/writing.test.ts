// Copying with its formatting, quoting what is selected, and editing the last message from the composer.
import { expect, test } from "vitest";
import { chat, withPage } from "../support/look-chat.js";

const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };

test("an answer is copied as markdown and with its formatting, and nothing in it loads or runs where it is pasted", async () => {
  await withPage(async (page) => {
    const answer = [
      "## Returns",
      "Within **30 days**:",
      "1. [the form](https://example.com/form)",
      "2. [a trap](javascript:alert(1))",
      "",
      "| a | b |",
      "|---|---|",
      "| 1 | `x < y` |",
      "",
      "<img src=x onerror=alert(1)>",
      "",
      "![told](https://example.com/secret.png)",
    ].join("\n");
    await chat(page, JSON.stringify([answer]));
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("How?");
    await field.press("Enter");
    await page.getByRole("heading", { name: "Returns" }).waitFor();
    await page.locator("[data-glove-message=agent]").hover();
    await page.locator("[data-glove-message=agent]").getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const [text, html] = (await page.evaluate(`(async () => {
      const [item] = await navigator.clipboard.read();
      return Promise.all(["text/plain", "text/html"].map(async (type) => (await item.getType(type)).text()));
    })()`)) as [string, string];
    expect(text).toBe(answer);
    expect(html).toContain("<h2>Returns</h2>");
    expect(html).toContain("<strong>30 days</strong>");
    expect(html).toContain('<a href="https://example.com/form">the form</a>');
    expect(html).toContain("<code>x &lt; y</code>");
    expect(html).toContain("<table>");
    expect(html).toContain('<a href="https://example.com/secret.png">told</a>');
    expect(html).not.toMatch(/<img|javascript:/);
  }, clipboard);
});

test("what is selected of a message is quoted into the composer, above what stands there", async () => {
  await withPage(async (page) => {
    await chat(page, `["First line.\\n\\nSecond line.", "Fine."]`, `{ sessionId: "s" }`);
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("Tell me");
    await field.press("Enter");
    await page.getByText("Second line.").waitFor();
    await field.fill("Why that?");
    const button = page.getByRole("button", { name: "Quote" });
    // What is selected over several messages is no quote of any.
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector("[role=log]"))`);
    await page.waitForTimeout(400);
    expect(await button.count()).toBe(0);
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector("[data-glove-role=agent]"))`);
    // Its look comes with it.
    expect(await button.evaluate((element) => getComputedStyle(element).position)).toBe("absolute");
    await button.click();
    expect(await field.inputValue()).toMatch(/^> First line\.\n> ?\n> Second line\.\n\n\nWhy that\?$/);
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await button.count()).toBe(0);
    await field.press("Enter");
    await page.getByText("Fine.").waitFor();
    const sent = await page.evaluate(`client.session("s").getSnapshot().timeline.at(-2).text`);
    expect(sent).toMatch(/^> First line\./);
  });
});

test("ArrowUp in an empty composer edits the last message, and moves in one that is not empty", async () => {
  await withPage(async (page) => {
    await chat(page, `["One.", "Two.", "Three."]`);
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    for (const [said, answered] of [
      ["first", "One."],
      ["second", "Two."],
    ] as const) {
      await field.fill(said);
      await field.press("Enter");
      await page.getByText(answered).waitFor();
    }
    await field.fill("draft");
    await field.press("ArrowUp");
    expect(await page.locator("[data-glove-editor]").count()).toBe(0);
    await field.fill("");
    await field.press("ArrowUp");
    const editor = page.getByRole("textbox", { name: "Edit message" });
    expect(await editor.inputValue()).toBe("second");
    await expect.poll(() => editor.evaluate((element) => element === document.activeElement)).toBe(true);
    await editor.fill("second, otherwise");
    // From the composer it leads back to what is being edited, and opens no other.
    await field.focus();
    await field.press("ArrowUp");
    expect(await page.locator("[data-glove-editor]").count()).toBe(1);
    expect(await editor.inputValue()).toBe("second, otherwise");
    await expect.poll(() => editor.evaluate((element) => element === document.activeElement)).toBe(true);
    await editor.press("Enter");
    await page.getByText("Three.").waitFor();
    expect(await page.locator("[data-glove-role=user]").allInnerTexts()).toEqual(["first", "second, otherwise"]);
  });
});

test.each(["ArrowUp", "the button"])("a message with a long answer stays in sight where it is edited, by %s", async (by) => {
  await withPage(async (page) => {
    await chat(page, `["word ".repeat(3_000)]`, `{ sessionId: "s" }`);
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    await field.fill("first");
    await field.press("Enter");
    await page.getByText("word word").waitFor();
    await expect.poll(() => page.evaluate(`client.session("s").getSnapshot().busy`)).toBe(false);
    if (by === "ArrowUp") await field.press("ArrowUp");
    else {
      await page.locator("[data-glove-message=user]").hover();
      await page.getByRole("button", { name: "Edit" }).click();
    }
    const editor = page.getByRole("textbox", { name: "Edit message" });
    await expect.poll(() => editor.evaluate((element) => element === document.activeElement)).toBe(true);
    const isInSight = async () => {
      await page.waitForTimeout(300);
      const box = await editor.boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(500);
    };
    await isInSight();
    // It grows with what is typed, and the list with it.
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("one more");
    await isInSight();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForTimeout(300);
    expect((await page.locator("[data-glove-role=user]").boundingBox())?.y).toBeGreaterThan(0);
  });
});
