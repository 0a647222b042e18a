// Opens the built demo under a strict content security policy, and says what people do in it.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { openBrowser, patience } from "../support/browser.js";
import { type Served, serve } from "../support/server.js";

const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'";

export type Scene = "assistant" | "shop" | "trip" | "desk" | "task" | "site";

export interface Demo {
  /** A tab of a fresh profile; `before` does something with that first. */
  open(
    scene?: Scene,
    options?: Parameters<Browser["newContext"]>[0],
    before?: (context: BrowserContext) => Promise<unknown>,
  ): Promise<Page>;
  /** One more tab of the same profile. */
  again(page: Page): Promise<Page>;
  readonly url: () => string;
}

/**
 * Call it once in a file, outside of tests. After each test: nothing was reported, and the policy blocked nothing. Tests that do
 * something in the middle of an answer want it at the `pace` of a model, 1.
 */
export function demo({ pace = 0.1 } = {}): Demo {
  let browser: Browser;
  let server: Served;
  const contexts: BrowserContext[] = [];
  let problems: string[] = [];

  beforeAll(async () => {
    [browser, server] = await Promise.all([
      openBrowser(),
      serve(inject("site"), { headers: { "content-security-policy": policy } }),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  afterEach(async () => {
    const seen = problems;
    problems = [];
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(seen).toEqual([]);
  });

  /** Also of pages that a page opens. */
  const listen = (page: Page) => {
    page.setDefaultTimeout(patience);
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      const told = message.type() === "error" || message.type() === "warning";
      // What its endpoint refused is told beside each request.
      const refused = message.location().url.endsWith("/api/chat");
      if (told && !refused && !isNotice(message.text())) problems.push(message.text());
    });
  };
  const visit = async (context: BrowserContext, hash: string) => {
    const page = await context.newPage();
    await page.goto(`${server.url}/?pace=${pace}${hash}`);
    await page.locator("[data-glove-role=input], [data-glove-board], [data-glove-launcher]").first().waitFor();
    return page;
  };
  return {
    url: () => server.url,
    async open(scene = "shop", options = {}, before) {
      const context = await browser.newContext({ viewport: { width: 1600, height: 900 }, ...options });
      contexts.push(context);
      context.on("page", listen);
      await before?.(context);
      return visit(context, `#${scene}`);
    },
    again: (page) => visit(page.context(), new URL(page.url()).hash),
  };
}

/** What a headless Chromium says when it is asked for a model of its own, or has no network, and what a model has failed with. */
export const isNotice = (text: string) =>
  /^(Unable to create a text session|Failed to load resource: net::ERR_(FAILED|INTERNET_DISCONNECTED)|MODEL_[A-Z_]+: )/.test(
    text,
  );

export const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
export const log = (page: Page) => page.getByRole("log");
export const shows = (page: Page, text: string | RegExp) => log(page).getByText(text).first().waitFor();
export const phase = (page: Page, text: string) => page.locator(".phase", { hasText: text }).waitFor();
/** Waits until nothing runs: the status line says nothing then. */
export const ready = (page: Page) => page.locator(".phase[data-phase=idle]").waitFor({ state: "attached" });
/** The cards of calls that say this. */
export const calls = (page: Page, title: string | RegExp) => log(page).locator("[data-glove-role=tool]", { hasText: title });
/** A button of the inspector, which is opened for it where it is folded. */
export async function inside(page: Page, name: string): Promise<void> {
  const toggle = page.getByRole("button", { name: "Inspector", exact: true });
  if ((await toggle.getAttribute("aria-pressed")) === "false") await toggle.click();
  await press(page, name);
}
/** The way to a conversation in the list of them. */
export const thread = (page: Page, title: string) =>
  page.getByRole("navigation", { name: "Conversations" }).getByRole("button", { name: title, exact: true });
export const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

/** Ends the tab's process, and waits until it is gone. */
export async function kill(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  devtools.send("Page.crash").catch(() => {});
  await crashed;
}

/** All that the page keeps, as one text. Runs in the page. */
export async function everythingStored(): Promise<string> {
  const asked = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const kept: unknown[] = [{ ...localStorage }, { ...sessionStorage }];
  for (const { name } of await indexedDB.databases()) {
    const database = await asked(indexedDB.open(name ?? ""));
    for (const store of database.objectStoreNames) {
      kept.push(await asked(database.transaction(store).objectStore(store).getAll()));
    }
    database.close();
  }
  return JSON.stringify(kept);
}
