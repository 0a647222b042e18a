// Functions of a conversation as handlers themselves, in a browser with React: the page goes on, and says what was wrong.
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, patience } from "../support/browser.js";
import { root } from "../support/project.js";
import { type Served, serve } from "../support/server.js";

let browser: Browser;
let server: Served;
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [`${root}/tests/support/handlers-page.tsx`],
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    outdir: "/",
    write: false,
    define: { "process.env.NODE_ENV": '"development"' },
  });
  const files = Object.fromEntries(outputFiles.map(({ path, text }) => [path, text]));
  const html = "<!doctype html><link rel=icon href=data:,><body><script type=module src=/handlers-page.js></script>";
  [browser, server] = [await openBrowser(), await serve("", { pages: { "/": html, ...files } })];
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

async function withPage(work: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  try {
    await page.goto(server.url);
    await work(page);
    expect(errors).toEqual([]);
  } finally {
    await page.close();
  }
}

const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const texts = (page: Page) => page.locator("#texts").textContent();
const ask = (page: Page) =>
  page.evaluate("(globalThis.sending = globalThis.client.session('s').sendMessage('Ask me'), undefined)");
/** The longest that the page stood still while this was done. */
const stood = `new Promise((resolve) => {
  let [last, longest] = [performance.now(), 0];
  const timer = setInterval(() => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; });
  setTimeout(() => { clearInterval(timer); resolve(longest); }, 500);
})`;

test("`onClick={resolve}` freezes nothing: the question stays, and `onClick={reject}` turns it down", () =>
  withPage(async (page) => {
    await ask(page);
    const [longest] = await Promise.all([page.evaluate<number>(stood), click(page, "take")]);
    expect(longest).toBeLessThan(1_000);
    await page.getByRole("alert").filter({ hasText: "This answer could not be taken." }).waitFor();
    expect(await page.evaluate("globalThis.told")).toEqual([
      'The answer cannot be the event "click" of a handler: call it with a value, `() => …`.',
    ]);
    await click(page, "refuse");
    await expect.poll(() => texts(page)).toBe("Ask me | tool | Well.");
  }));

test("actions as handlers work where they need no value, and say so where they do", () =>
  withPage(async (page) => {
    await page.evaluate("globalThis.client.session('s').sendMessage('Hi')");
    await expect.poll(() => texts(page)).toBe("Hi | Well.");
    for (const name of ["stop", "abort", "clearError", "undo", "regenerate"]) await click(page, name);
    await expect.poll(() => texts(page)).toBe("Hi | Well.");
    await click(page, "sendMessage");
    await expect
      .poll(() => page.evaluate("globalThis.told"))
      .toEqual(['The message cannot be the event "click" of a handler: call it with a value, `() => …`.']);
    await click(page, "newConversation");
    await expect.poll(() => texts(page)).toBe("");
    expect(await page.locator("#session").textContent()).toMatch(/^[\w-]{8,}$/);
  }));

test("elements of the page and what React keeps on them are left out of what is shown, and out of answers", () =>
  withPage(async (page) => {
    await ask(page);
    await page.getByRole("button", { name: "take" }).waitFor();
    const taken = await page.evaluate(`(async () => {
      const session = globalThis.client.session("s");
      const element = document.querySelector("main button");
      const began = performance.now();
      const taken = await session.resolveSlot(session.getSnapshot().slots[0].id, { element, window, document, value: 7 });
      return { taken, ms: performance.now() - began };
    })()`);
    expect(taken).toEqual({ taken: true, ms: expect.any(Number) });
    expect((taken as { ms: number }).ms).toBeLessThan(1_000);
  }));
