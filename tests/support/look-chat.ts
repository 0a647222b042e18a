// Chats with the built-in look in Chromium, for the tests of it.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { openBrowser } from "./browser.js";
import { openLook, serveLook } from "./look.js";
import type { Served } from "./server.js";

let browser: Browser;
let server: Served;
beforeAll(async () => {
  [browser, server] = [await openBrowser(), await serveLook()];
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

export async function withPage<T>(work: (page: Page) => Promise<T>, options = {}): Promise<T> {
  const page = await openLook(browser, server, { viewport: { width: 800, height: 600 }, ...options });
  try {
    return await work(page);
  } finally {
    await page.context().close();
  }
}

/** Begins a chat whose model answers from this script; a text that is JavaScript. */
export const chat = async (page: Page, script: string, options = "{}") => {
  await page.evaluate(`globalThis.client = chat(${script}, ${options}), undefined`);
  await page.getByRole("textbox", { name: "Message" }).waitFor();
};

/** Streams a text in pieces, a task each; gives the longest task. */
export const streamed = (text: string, size: number) => `(async () => {
  const text = ${text};
  const model = { name: "own", setSystemPrompt: () => {}, async prompt(_, notify) {
    for (let at = 0; at < text.length; at += ${size}) {
      void notify("text_delta", { text: text.slice(at, at + ${size}) });
      await new Promise((later) => setTimeout(later));
    }
    return { messages: [{ sender: "agent", text }], tokens_in: 1, tokens_out: 1 };
  } };
  client.session("s").configure({ model });
  let longest = 0;
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); }).observe({ type: "longtask" });
  await client.session("s").sendMessage("go");
  await new Promise((later) => setTimeout(later, 300));
  return { longest };
})()`;
