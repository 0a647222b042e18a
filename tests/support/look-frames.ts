// What is seen each 50 ms of a chat with the built-in look, as pictures in a folder of each scene; made by scripts/pictures.mjs.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openBrowser } from "./browser.js";
import { openLook, serveLook } from "./look.js";

const every = 50;

const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
const say = async (page: Page, text: string) => {
  await field(page).fill(text);
  await field(page).press("Enter");
};

interface Scene {
  /** What the model answers, as JavaScript, and the options of the chat. */
  readonly answers: string;
  readonly options?: string;
  readonly plays: (page: Page) => Promise<void>;
}

const restart = `{ name: "restart", description: "Restarts a service.", title: ({ service }) => "Restart " + service,
  inputSchema: z.object({ service: z.string() }), do: () => new Promise((later) => setTimeout(() => later("Restarted."), 900)) }`;

export const scenes: Readonly<Record<string, Scene>> = {
  streaming: {
    answers: `[pieces(sample, 25)]`,
    plays: async (page) => {
      await say(page, "Why did checkout slow down?");
      await page.getByText("the dashboard").waitFor();
    },
  },
  call: {
    answers: `[{ toolCalls: [{ name: "restart", id: "c1", input: { service: "checkout" } }] }, pieces("It runs again, with the cache **on**.", 40)]`,
    options: `{ tools: [${restart}] }`,
    plays: async (page) => {
      await say(page, "Restart checkout");
      await page.getByText("with the cache").waitFor();
    },
  },
  question: {
    answers: `[{ toolCalls: [{ name: "restart", id: "c1", input: { service: "checkout" } }] }, pieces("It runs again.", 40)]`,
    options: `{ tools: [{ ...${restart}, requireApproval: true }] }`,
    plays: async (page) => {
      await say(page, "Restart checkout");
      await page.getByRole("button", { name: "Allow" }).waitFor();
      await page.waitForTimeout(500);
      await page.getByRole("button", { name: "Say why not" }).click();
      await page.waitForTimeout(400);
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByText("It runs again.").waitFor();
    },
  },
  queue: {
    answers: `() => pieces("A short answer to what was asked. ".repeat(4) + "It ends word by word.", 90)`,
    plays: async (page) => {
      await say(page, "One");
      await page.locator("[data-glove-streaming]").waitFor();
      await say(page, "Two");
      await say(page, "Three");
      await page.locator("[data-glove-role=agent]").nth(2).getByText("word by word.").waitFor();
    },
  },
};

export async function takeFrames(folder: string, only: RegExp): Promise<number> {
  const [server, browser] = [await serveLook(), await openBrowser()];
  let count = 0;
  try {
    for (const [name, { answers, options = "{}", plays }] of Object.entries(scenes)) {
      if (!only.test(name)) continue;
      const page = await openLook(browser, server, { viewport: { width: 800, height: 700 } });
      await page.evaluate(`globalThis.client = chat(${answers}, ${options}), undefined`);
      await field(page).waitFor();
      await page.waitForTimeout(500);
      const frames: { readonly at: number; readonly png: Buffer }[] = [];
      const session = await page.context().newCDPSession(page);
      session.on("Page.screencastFrame", ({ data, sessionId, metadata }) => {
        frames.push({ at: (metadata.timestamp ?? 0) * 1_000, png: Buffer.from(data, "base64") });
        session.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
      });
      await session.send("Page.startScreencast", { format: "png" });
      await plays(page);
      await page.waitForTimeout(600);
      await session.send("Page.stopScreencast");
      const into = join(folder, name);
      mkdirSync(into, { recursive: true });
      const [from = 0, to = 0] = [frames[0]?.at, frames.at(-1)?.at];
      for (let at = from; at < to + every; at += every) {
        const seen = frames.findLast((frame) => frame.at <= at);
        if (!seen) continue;
        writeFileSync(join(into, `${String(Math.round(at - from)).padStart(5, "0")}.png`), seen.png);
        count++;
      }
      await page.context().close();
    }
  } finally {
    await browser.close();
    await server.close();
  }
  return count;
}
