// examples/vue, examples/svelte and examples/solid in Chromium: as they are built, and while they are written. And the guides that begin
// with an empty folder, as they are printed.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import type { Browser, Page } from "playwright-core";
import { build, createServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { buildGuide, built, filesOf } from "../support/guide-folders.js";
import { root } from "../support/project.js";
import { serve } from "../support/server.js";

const chats = { vue: "src/Chat.vue", svelte: "src/Chat.svelte", solid: "src/chat.tsx" };
const names = Object.keys(chats) as (keyof typeof chats)[];

let browser: Browser;
let folder: string;
beforeAll(async () => {
  browser = await openBrowser();
  // Inside the project, where their frameworks are found.
  mkdirSync(join(root, ".cache"), { recursive: true });
  folder = mkdtempSync(join(root, ".cache", "frameworks-"));
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

function app(name: string, use: string): string {
  const made = join(folder, `${name}-${use}`);
  cpSync(join(root, "examples", name), made, {
    recursive: true,
    filter: (path) => !/node_modules|dist/.test(path.slice(root.length)),
  });
  return made;
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}
const question = (page: Page) => page.getByText("Refund €80 for order A-1042?");
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

test.each(names)("%s: an answer streams, an approval outlives a reload, its call runs once, and both are kept", async (name) => {
  const made = app(name, "built");
  await build({ root: made, logLevel: "error", plugins: [built] });
  const server = await serve(join(made, "dist"));
  try {
    const { page, problems } = await openPage(browser, server.url);
    await say(page, "It arrived broken");
    await page.getByText("I am sorry that it broke.").waitFor();
    await question(page).waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.reload();
    await question(page).waitFor();
    await press(page, "Allow");
    await page.getByText("Done. The money is on its way.").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await page.reload();
    const paid = page.getByText("refund: €80 paid back for order A-1042");
    await paid.waitFor();
    expect(await paid.count()).toBe(1);
    expect(await question(page).count()).toBe(0);

    await press(page, "New");
    await expect.poll(() => page.getByRole("log").innerText()).toBe("");
    await say(page, "Another one");
    await question(page).waitFor();
    await press(page, "Deny");
    await page.getByText("As you like. Nothing was paid.").waitFor();
    expect(await page.getByText("It arrived broken").count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  } finally {
    await server.close();
  }
});

test.each(names)("%s: a component that is edited goes on with its conversation", async (name) => {
  const made = app(name, "dev");
  const server = await createServer({
    root: made,
    logLevel: "error",
    plugins: [built],
    server: { port: 0, host: "127.0.0.1", fs: { allow: [root] }, watch: { usePolling: true, interval: 100 } },
  });
  await server.listen();
  try {
    const { page, problems } = await openPage(browser, server.resolvedUrls?.local[0] ?? "");
    await say(page, "It arrived broken");
    await question(page).waitFor();
    await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
    const file = join(made, chats[name]);
    writeFileSync(file, readFileSync(file, "utf8").replace("Allow", "Pay it"));
    await press(page, "Pay it");
    await page.getByText("Done. The money is on its way.").waitFor();
    expect(await page.getByText("refund: €80 paid back for order A-1042").count()).toBe(1);
    expect(await page.evaluate(() => "sameDocument" in globalThis)).toBe(true);
    expect(problems).toEqual([]);
    await page.close();
  } finally {
    await server.close();
  }
});

test.each(names)("docs/guides/start-with-%s.md: its files make a page whose tool runs, and a reload keeps both", async (name) => {
  const made = join(folder, `${name}-guide`);
  const guide = readFileSync(join(root, `docs/guides/start-with-${name}.md`), "utf8");
  for (const [file] of filesOf(`docs/guides/start-with-${name}.md`))
    expect(guide, "the text names each file").toContain(`\`${file}\``);
  const dist = await buildGuide(name, made);
  const answers = [{ toolCalls: [{ name: "local_time", input: { zone: "Asia/Tokyo" } }] }, "Good evening from Tokyo."];
  const createModel = () => createScriptedModel(() => answers.shift() ?? "Good night.");
  const server = await serve(dist, { routes: { "/api/chat": createChatHandler({ createModel }) } });
  try {
    const { page, problems } = await openPage(browser, server.url);
    await say(page, "What time is it in Tokyo?");
    await page.getByText("Good evening from Tokyo.").waitFor();
    const lines = async () => (await page.getByRole("log").locator("p").allTextContents()).map((line) => line.trim());
    const shown = await lines();
    expect(shown).toEqual([
      "What time is it in Tokyo?",
      expect.stringMatching(/^local_time: \d\d:\d\d$/),
      "Good evening from Tokyo.",
    ]);
    await page.reload();
    await expect.poll(lines).toEqual(shown);
    await say(page, "Thanks");
    await page.getByText("Good night.").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  } finally {
    await server.close();
  }
});
