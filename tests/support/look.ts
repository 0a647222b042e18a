// The page with the built-in look, bundled as applications do, and opened in Chromium.
import { basename } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { patience } from "./browser.js";
import { bundled } from "./bundles.js";
import { inWorker } from "./core-place.js";
import { root } from "./project.js";
import { type Served, type ServeOptions, serve } from "./server.js";

const html = (name: string) =>
  `<!doctype html><html lang=en><title>A chat</title><meta name=viewport content="width=device-width"><link rel=icon href=data:,><body><script type=module src=/${name}.js></script>`;

/** `open` leaves the policy away: WebDriver runs what a test asks as a script in the page. */
export async function serveLook(routes: ServeOptions["routes"] = {}, name = "look-page", open = false): Promise<Served> {
  const made = await bundled({
    entryPoints: [`${root}/tests/support/${name}.tsx`],
    splitting: true,
    format: "esm",
    jsx: "automatic",
    outdir: "/",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const files = Object.fromEntries(Object.entries(made).map(([path, text]) => [`/${basename(path)}`, text]));
  // As strict as a policy can be for a page with WebAssembly.
  const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:";
  const headers = { "content-security-policy": inWorker ? `${policy}; worker-src 'self' blob:` : policy };
  return serve("", { pages: { "/": html(name), ...files }, headers: open ? {} : headers, routes });
}

export async function openLook(browser: Browser, server: Served, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  await page.goto(server.url);
  await page.waitForFunction("globalThis.show ?? globalThis.look");
  return page;
}

/** Shows a state that was made by hand, as it looks when everything has been loaded. */
export async function showState(page: Page, name: string): Promise<void> {
  await page.evaluate(`show(${JSON.stringify(name)})`);
  await page.locator("[data-glove-look]").waitFor();
  if (name === "messages" || name === "streaming") await page.locator("[data-glove-markdown]").first().waitFor();
  if (name.startsWith("mcp-")) await page.locator("[data-glove-slot] form").first().waitFor();
  if (name === "editing") {
    const edit = page.getByRole("button", { name: "Edit" });
    // Each that begins takes its button away.
    for (const left of [1, 0]) {
      await edit.first().click();
      await page.waitForFunction(`document.querySelectorAll("[title=Edit]").length === ${left}`);
    }
    await page.locator("[data-glove-editor]").nth(1).waitFor();
    await page.mouse.move(0, 0);
    await page.evaluate(
      "Promise.allSettled(document.getAnimations().map((one) => one instanceof CSSTransition && one.finished))",
    );
  }
  if (name === "messages") await page.locator("[data-code=keyword]").first().waitFor();
}
