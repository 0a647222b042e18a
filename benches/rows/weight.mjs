// What a page of each weighs as it travels, with a loop, a hook and a store in it; React is the application's.
import { page } from "../../scripts/size.mjs";
import { openChromium } from "../pages/browser.mjs";
import { brotli, bundle, serveSite } from "../pages/site.mjs";

export const title = "The weight of a page, brotli";
export const samples = 1;

const pages = {
  ours: page,
  glove: `
    import { Glove, Displaymanager, MemoryStore } from "glove-core";
    import { z } from "zod";
    export { Glove, Displaymanager, MemoryStore, z };
  `,
  "AI SDK": `
    import { DirectChatTransport, stepCountIs, streamText, tool, jsonSchema } from "ai";
    import { useChat } from "@ai-sdk/react";
    export { DirectChatTransport, stepCountIs, streamText, tool, jsonSchema, useChat };
  `,
  TanStack: `
    import { chat, maxIterations, toolDefinition } from "@tanstack/ai";
    import { indexedDBPersistence, stream } from "@tanstack/ai-client";
    import { useChat } from "@tanstack/ai-react";
    export { chat, indexedDBPersistence, maxIterations, stream, toolDefinition, useChat };
  `,
};

/** Chats that a person can use as they are, but for the CSS of the peers, which an application brings. */
const finished = { ours: "ours", "assistant-ui": "assistant-ui", "useChat, Streamdown": "use-chat" };
const entry = (page) =>
  `import { Chat } from "./finished/${page}.jsx"; import { start } from "./finished/start.jsx"; start(Chat);`;
const answer = "Hello **from the model**.\n\n- one\n- two";

export async function open() {
  const site = await serveSite(Object.fromEntries(Object.values(finished).map((page) => [page, entry(page)])), {
    texts: [answer],
  });
  const browser = await openChromium();
  const atOnce = async (text) => {
    const { files, atOnce } = await bundle(text, ["react", "react-dom", "react-dom/client"]);
    return brotli(atOnce.map((file) => files.get(file)));
  };
  /** Opens a page of which some files never come: which others it asks for until `isThere`, or nothing if that is never so. */
  const visit = async (page, isThere, isBlocked, idle) => {
    const context = await browser.newContext();
    const tab = await context.newPage();
    const asked = new Set();
    await tab.route(/\.js$/, (route) => {
      const { pathname } = new URL(route.request().url());
      if (site.weightOfLater(pathname) === undefined) return route.continue();
      asked.add(pathname);
      return isBlocked(pathname) ? route.abort() : route.continue();
    });
    try {
      await tab.goto(`${site.url}/${page}/`);
      await tab.waitForFunction(isThere, undefined, { timeout: idle ? 30_000 : 8_000 });
      if (idle) await tab.waitForTimeout(idle);
      return [...asked];
    } catch (error) {
      if (error.name !== "TimeoutError") throw error;
      return undefined;
    } finally {
      await context.close();
    }
  };
  const isAnswered = `document.body.innerText.includes("from the model")`;
  const weigh = async (page) => {
    const start = await atOnce(entry(page));
    const all = await visit(page, `document.querySelector("strong, [data-streamdown=strong]")`, () => false, 5_000);
    if (!all) throw new Error(`${page} has drawn no markdown`);
    // Each that the answer does not come without.
    const needed = [];
    for (const file of all) if (!(await visit(page, isAnswered, (other) => other === file))) needed.push(file);
    if (!(await visit(page, isAnswered, (other) => !needed.includes(other))))
      throw new Error(`${page} needs more than ${needed}`);
    const weightWith = (files) => files.reduce((sum, file) => sum + site.weightOfLater(file), start);
    return {
      "finished chat: at once, bytes": start,
      "finished chat: needed for the first answer, bytes": weightWith(needed),
      "finished chat: in all, until markdown is drawn and the page is idle, bytes": weightWith(all),
    };
  };
  const parts = async (name) => ({
    ...(pages[name] && { "at once, bytes": await atOnce(pages[name]) }),
    ...(finished[name] && (await weigh(finished[name]))),
  });
  const names = new Set([...Object.keys(pages), ...Object.keys(finished)]);
  return {
    contenders: Object.fromEntries([...names].map((name) => [name, () => parts(name)])),
    close: async () => {
      await browser.close();
      site.close();
    },
  };
}
