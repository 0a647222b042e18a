// A long text that is pasted is a file of the message, and can be put back.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat, withPage } from "../support/look-chat.js";

const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
const chip = (page: Page) => page.locator("[data-glove-attachment]");
const long = "const long = true;\n".repeat(400).trimEnd();

const paste = (page: Page, text: string) =>
  field(page).evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    // A paste that nobody stops is the browser's.
    if (element.dispatchEvent(event)) document.execCommand("insertText", false, text);
  }, text);

const begin = async (page: Page, options = "{}") => {
  await chat(page, `(request) => { globalThis.asked = JSON.stringify(request); return "Seen."; }`, options);
  await page.getByRole("button", { name: "Attach files" }).waitFor({ state: "attached" });
  await expect.poll(() => page.evaluate("client.session(client.id ?? 's')?.getSnapshot().sessionReady ?? true")).toBe(true);
  await field(page).focus();
};

const asText = (options: string) => `{ sessionId: "s", createStore: (id) => new MemoryStore(id), view: ${options} }`;

test("a long paste is a file, its text is sent whole, and a short one is text", async () => {
  await withPage(async (page) => {
    await begin(page, asText("{}"));
    await field(page).pressSequentially("Look at this: ");
    await paste(page, "short");
    expect(await field(page).inputValue()).toBe("Look at this: short");
    await paste(page, long.replaceAll("\n", "\r\n"));
    await paste(page, `${long}!`);
    await expect
      .poll(() => chip(page).evaluateAll((all) => all.map((one) => one.getAttribute("data-state"))))
      .toEqual(["ready", "ready"]);
    expect(await chip(page).locator("bdi").allInnerTexts()).toEqual(["pasted.txt", "pasted-2.txt"]);
    await field(page).press("Enter");
    await page.getByText("Seen.").waitFor();
    expect(await page.locator("[data-glove-role=user]").innerText()).toContain("Look at this: short");
    await expect.poll(() => chip(page).locator("bdi").allInnerTexts()).toEqual(["pasted.txt", "pasted-2.txt"]);
    const asked = String(await page.evaluate("globalThis.asked"));
    for (const text of [long, `${long}!`])
      expect(asked.includes(JSON.stringify(text).slice(1, -1)) || asked.includes(Buffer.from(text).toString("base64"))).toBe(
        true,
      );
  });
});

test("its button puts the text back where the cursor is, and undo does it at once; both can be undone", async () => {
  await withPage(async (page) => {
    await begin(page, asText("{}"));
    await field(page).pressSequentially("ab");
    await field(page).press("ArrowLeft");
    await paste(page, long);
    await page.getByRole("button", { name: "Put back into the text: pasted.txt" }).click();
    await expect.poll(() => field(page).inputValue()).toBe(`a${long}b`);
    expect([await chip(page).count(), await page.evaluate("document.activeElement.tagName")]).toEqual([0, "TEXTAREA"]);
    await field(page).press("Control+z");
    expect(await field(page).inputValue()).toBe("ab");
    await paste(page, long);
    await chip(page).waitFor();
    await field(page).press("Control+z");
    await expect.poll(() => field(page).inputValue()).toBe(`a${long}b`);
    expect(await chip(page).count()).toBe(0);
    // What was typed since is undone before it.
    await field(page).press("Control+z");
    await paste(page, long);
    await chip(page).waitFor();
    await field(page).press("x");
    await field(page).press("Control+z");
    expect([await field(page).inputValue(), await chip(page).count()]).toEqual(["ab", 1]);
  });
});

test.each([
  ["the chat takes no files", "{ attachments: false }"],
  ["it takes pictures only", `{ attachments: { accept: ["image/*"] } }`],
  ["the application says so", "{ attachments: { longPaste: false } }"],
  ["its limit is higher", "{ attachments: { longPaste: 100_000 } }"],
  ["there is no room for a file", "{ attachments: { maxFiles: 0 } }"],
  ["it is too large", "{ attachments: { maxBytes: 1_000 } }"],
])("the text stays a text where %s", async (_, options) => {
  await withPage(async (page) => {
    await chat(page, `() => "Seen."`, asText(options));
    if (!options.includes("attachments: false"))
      await page.getByRole("button", { name: "Attach files" }).waitFor({ state: "attached" });
    await field(page).focus();
    await paste(page, long);
    await expect.poll(() => field(page).inputValue()).toBe(long);
    await expect.poll(() => chip(page).count()).toBe(0);
  });
});

test("the text stays where what makes a file of it cannot be loaded", async () => {
  await withPage(async (page) => {
    await begin(page, asText("{}"));
    await page.route("**/*.js", (route) => route.abort());
    await paste(page, long);
    await expect.poll(() => field(page).inputValue()).toBe(long);
    await field(page).press("Enter");
    await page.getByText("Seen.").waitFor();
  });
});

test("a page that dies takes nothing of it away: before the file is kept it is text again, and the file afterwards", async () => {
  await withPage(async (page) => {
    const open = async () => {
      await page.evaluate(`globalThis.client = chat(() => "Seen.", { sessionId: "s", persistSession: true }), undefined`);
      await page.getByRole("button", { name: "Attach files" }).waitFor({ state: "attached" });
      await field(page).focus();
    };
    await open();
    await expect.poll(() => page.evaluate("client.session('s').getSnapshot().sessionReady")).toBe(true);
    let isDead = true;
    await page.route("**/*.js", (route) => (isDead ? undefined : route.continue()));
    await paste(page, long);
    isDead = false;
    await page.reload();
    await page.waitForFunction("globalThis.show");
    await open();
    await expect.poll(() => field(page).inputValue()).toBe(long);
    await field(page).fill("");
    await paste(page, long);
    await page.locator("[data-glove-attachment][data-state=ready]").waitFor();
    await expect.poll(() => page.evaluate("sessionStorage.getItem('glove-wasm:typed:s:unsent')")).toBeNull();
    await page.reload();
    await page.waitForFunction("globalThis.show");
    await open();
    await page.locator("[data-glove-attachment][data-state=ready]").waitFor();
    expect(await field(page).inputValue()).toBe("");
    await page.getByRole("button", { name: "Put back into the text: pasted.txt" }).click();
    await expect.poll(() => field(page).inputValue()).toBe(long);
  });
});
