// The applications of examples/ that people copy: built once from the packed package, opened once each, and used under a strict policy.
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { openBrowser, openPage } from "../support/browser.js";
import { root } from "../support/project.js";
import { type Served, serve } from "../support/server.js";
import { copyExample, makeProject } from "./app.js";
import { say } from "./examples.js";

const pages = ["support-desk", "data-analyst", "travel-planner", "todo-with-undo", "form-filler", "mcp-host"];
const offline = "offline-pwa";
const policy = "default-src 'self'; img-src 'self' data:; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:";

let browser: Browser;
let server: Served;
let pwa: Served;

beforeAll(async () => {
  const folder = makeProject("pages");
  for (const name of [...pages, offline]) copyExample(name, join(folder, name));
  // What the host of MCP servers installs beside the package.
  const mcp = join(folder, "..", "node_modules", "@modelcontextprotocol");
  if (!existsSync(mcp)) symlinkSync(join(root, "node_modules", "@modelcontextprotocol"), mcp, "junction");
  const input = pages.map((name) => join(folder, name, "index.html"));
  const define = { "import.meta.env.VITE_ENDPOINT": '""' };
  await build({ root: folder, base: "./", configFile: false, logLevel: "error", define, build: { rolldownOptions: { input } } });
  await build({ root: join(folder, offline), configFile: join(folder, offline, "vite.config.ts"), logLevel: "error" });
  const headers = { "content-security-policy": policy };
  [server, pwa] = await Promise.all([
    serve(join(folder, "dist"), { headers }),
    serve(join(folder, offline, "dist"), { headers }),
  ]);
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([server?.close(), pwa?.close()]);
});

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

const acts: Record<string, (page: Page) => Promise<void>> = {
  async "support-desk"(page) {
    await say(page, "My lamp arrived broken: order A-1042");
    await page.getByText("Refund €89 for order A-1042?").waitFor();
    await page.reload();
    await button(page, "Refund").click();
    await page.getByText("two to three days").waitFor();
    await page.getByRole("complementary", { name: "Orders" }).getByText("€89 paid back").waitFor();
    await page.reload();
    await page.getByText("two to three days").waitFor();
    expect(await page.getByText("€89 paid back", { exact: true }).count()).toBe(1);
  },

  async "data-analyst"(page) {
    await button(page, "Ask about the sample").click();
    const rows = (await page.locator("aside tbody tr").allTextContents()).length;
    const cells = await page.locator("aside tbody td").allTextContents();
    const sums = new Map<string, number>();
    for (let at = 0; at < rows * 4; at += 4) {
      sums.set(cells[at + 1] ?? "", (sums.get(cells[at + 1] ?? "") ?? 0) + Number(cells[at + 3]));
    }
    const sorted = [...sums].sort(([, one], [, other]) => other - one);
    const bars = sorted.map(([label, value]) => `${label}: ${value.toLocaleString("en")} €`).join(", ");
    await page.getByRole("img", { name: bars }).waitFor();
    await page.getByText(`${sorted[0]?.[0]} sold most`).waitFor();
  },

  async "travel-planner"(page) {
    await say(page, "6 days around Iceland");
    await page.getByText("What do you want to see?").waitFor();
    await page.getByLabel("waterfalls").check();
    await page.getByLabel("whales").check();
    await button(page, "Draw the route").click();
    await page.getByRole("img", { name: /a route: Reykjavík, Gullfoss, .*Dettifoss/ }).waitFor();
    await page.getByText("with 5 stops").waitFor();
    await page.reload();
    await page.getByRole("img", { name: /a route: Reykjavík, Gullfoss, .*Dettifoss/ }).waitFor();
    expect(await page.locator("aside li").count()).toBe(5);
  },

  async "todo-with-undo"(page) {
    const items = () => page.locator("aside li").allInnerTexts();
    await say(page, "Plan a picnic");
    await page.getByText("On your list.").waitFor();
    const planned = await items();
    expect(planned).toHaveLength(3);
    await say(page, "Clear the list");
    await page.getByText("Nothing to do.").waitFor();
    await page.getByText("Done.", { exact: true }).waitFor();
    // The page may be opened anew before what was done is taken back.
    await page.reload();
    await button(page, "↶ Undo remove items").click();
    await expect.poll(items).toEqual(planned);
    await button(page, "↶ Undo add items").click();
    await page.getByText("Nothing to do.").waitFor();
  },

  async "form-filler"(page) {
    await say(page, "I am Ada Berg. I was in Porto from 3 to 5 November for the design fair");
    await page.getByText("Please add: euros").waitFor();
    expect(await page.getByLabel("From").inputValue()).toBe("2026-11-03");
    await page.getByLabel("Amount in €").fill("182.40");
    await page.reload();
    await say(page, "Send it");
    await page.getByText("Claim €182.4 for Porto?").waitFor();
    await button(page, "Send the claim").click();
    await page.getByText("It is sent.").waitFor();
    await page
      .getByRole("status")
      .getByText(/Sent as number \w{6}/)
      .waitFor();
  },

  async "mcp-host"(page) {
    await say(page, "Is there a book on cheese?");
    await page.getByText("This is the first use of").waitFor();
    await button(page, "Allow").click();
    await page.getByText("Shall I borrow it?").waitFor();
    await page.getByText("connected", { exact: true }).waitFor();
    await say(page, "Borrow it");
    await button(page, "Allow").click();
    await page.getByText("is yours for three weeks.").last().waitFor();
    await page.getByText("Enjoy it!").waitFor();
  },
};

test.each(pages)("%s", async (name) => {
  const { page, problems } = await openPage(browser, `${server.url}/${name}/`);
  await page.setViewportSize({ width: 1200, height: 800 });
  await acts[name]?.(page);
  expect(await barriers(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 700 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  expect(problems).toEqual([]);
  await page.close();
});

test("offline-pwa opens, asks and writes down after its server is gone", async () => {
  const { page, problems } = await openPage(browser, pwa.url);
  await page.getByText("this page opens without a network").waitFor();
  await pwa.close();
  await page.reload();
  await say(page, "A crack in the north pier");
  await page.getByText("How urgent is it?").waitFor();
  await page.reload();
  await page.getByText("Mend this month").click();
  await button(page, "Answer").click();
  await page.getByText("It is on this device.").waitFor();
  const note = page.getByRole("complementary", { name: "Notes" }).getByRole("article");
  expect(await note.innerText()).toContain("Mend this month");
  await page.reload();
  await note.waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(problems).toEqual([]);
  await page.close();
});

const linesOf = (path: string) =>
  readFileSync(join(root, "examples", path), "utf8")
    .trimEnd()
    .split("\n").length;

/** Of the code in a folder itself, without what stands in for a model. */
const codeIn = (folder: string) =>
  readdirSync(join(root, "examples", folder))
    .filter((file) => /\.(tsx?|m?js)$/.test(file) && file !== "vite.config.ts" && file !== "script.mjs")
    .reduce((sum, file) => sum + linesOf(join(folder, file)), 0);

test.each(["coding-agent", "multi-user-postgres/server", "multi-user-postgres/src"])(
  "examples/%s is short enough to be read",
  (folder) => {
    expect(codeIn(folder)).toBeGreaterThan(50);
    expect(codeIn(folder)).toBeLessThanOrEqual(200);
    expect(linesOf(join(folder.split("/")[0] ?? "", "README.md"))).toBeLessThanOrEqual(40);
  },
);

test.each([...pages, offline])("examples/%s is short enough to be read", (name) => {
  expect(codeIn(join(name, "src"))).toBeLessThanOrEqual(200);
  expect(linesOf(join(name, "README.md"))).toBeLessThanOrEqual(40);
  // Each folder is whole by itself, so what they share is in each.
  if (name !== offline) {
    const shared = (of: string) => readFileSync(join(root, "examples", of, "vite.config.ts"), "utf8");
    expect(shared(name)).toBe(shared("support-desk"));
  }
});
