// A headless Chromium with a fresh profile, and pages that report what goes wrong in them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { type Browser, chromium, type Page } from "playwright-core";
import { chromiumArguments as args } from "../../scripts/lib/chromium.mjs";

const executablePath = process.env.GLOVE_CHROME ?? "/usr/bin/chromium";

/** The same engine without windows, a profile on the disk, pages kept for the way back, and a model of its own. */
const shellPath = process.env.GLOVE_CHROME_SHELL ?? executablePath;

export interface BrowserOptions {
  /** Pages that are left are kept for the way back, as for people; by default they are not. */
  readonly keepsPages?: boolean;
  /** All that people have, which the shell of it has not. */
  readonly whole?: boolean;
  /** What it has behind a flag, by the name that Blink has for it. */
  readonly flag?: string;
}

export function openBrowser({ keepsPages = false, whole = keepsPages, flag }: BrowserOptions = {}): Promise<Browser> {
  const ignoreDefaultArgs = keepsPages ? ["--disable-back-forward-cache"] : [];
  const flags = flag ? [`--enable-blink-features=${flag}`] : [];
  return chromium.launch({ executablePath: whole ? executablePath : shellPath, args: [...args, ...flags], ignoreDefaultArgs });
}

export interface BrowserOnDisk {
  readonly browser: Browser;
  /** Kills its process, without a word to anybody. */
  kill(): Promise<void>;
}

/** A browser whose profile is a folder: what it stores is on the disk, and there when the folder is opened again. */
export async function openBrowserOnDisk(folder: string): Promise<BrowserOnDisk> {
  const own = spawn(executablePath, [...args, `--user-data-dir=${folder}`, "--remote-debugging-port=0", "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(own, "exit");
  const end = () => void own.kill("SIGKILL");
  const kill = async () => {
    end();
    await exited;
    process.off("exit", end);
  };
  // Also when the tests themselves are stopped, or it never comes to listen.
  process.once("exit", end);
  try {
    return { browser: await connected(own.stderr), kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

async function connected(told: Readable): Promise<Browser> {
  for await (const line of createInterface(told)) {
    const url = /^DevTools listening on (ws:.*)$/.exec(line)?.[1];
    if (!url) continue;
    told.resume();
    return chromium.connectOverCDP(url);
  }
  throw new Error("the browser ended before it listened");
}

/** What a busy machine may take for a click or a page, in milliseconds; a test's own limit is a little longer. */
export const patience = 100_000;

/** Opens a page; `problems` fills with its console errors and warnings and uncaught exceptions. */
export async function openPage(browser: Browser, url: string): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  await page.goto(url);
  return { page, problems };
}
