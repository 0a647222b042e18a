// The browser engine that a test runs in: Chromium, unless the project of the test names another one.
import { findEngine } from "../../scripts/lib/engines.mjs";
import { openBrowser, patience } from "./browser.js";
import { corePlace } from "./core-place.js";
import { openFirefox } from "./firefox.js";
import { servePackage } from "./pages.js";
import type { EnginePage } from "./webdriver.js";
import { openWebKit } from "./webkit.js";

export interface Engine {
  readonly name: "chromium" | "firefox" | "webkit";
  readonly version: string;
  /** Opens a window. */
  open(): Promise<EnginePage>;
  close(): Promise<void>;
}

export const engineName = (process.env.GLOVE_ENGINE ?? "chromium") as Engine["name"];

/** A place with a storage of its own, and windows on it. */
export interface Place {
  readonly url: string;
  /** A new window; `before` runs ahead of everything else in it. */
  open(before?: string): Promise<EnginePage>;
}

export interface Places {
  readonly engine: Engine;
  /** A fresh place for each work. */
  at<T>(work: (place: Place) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** `pages` are further pages that its servers have: path to text. */
export async function openPlaces(pages: Record<string, string> = {}): Promise<Places> {
  const engine = await openEngine();
  return {
    engine,
    close: () => engine.close(),
    async at(work) {
      // Browsers keep what they store by the address of its server.
      const server = await servePackage(pages);
      const opened: EnginePage[] = [];
      const open = async (before = "") => {
        const page = await engine.open();
        opened.push(page);
        await page.goto(server.url);
        await page.evaluate(`(() => { ${corePlace} ${before} })()`);
        return page;
      };
      try {
        return await work({ url: server.url, open });
      } finally {
        // Some are closed already.
        await Promise.all(opened.map((page) => page.close().catch(() => {})));
        await server.close();
      }
    },
  };
}

async function openEngine(): Promise<Engine> {
  switch (engineName) {
    case "firefox":
      return openFirefox(program("GLOVE_FIREFOX"));
    case "webkit":
      return openWebKit({
        driver: program("GLOVE_WEBKIT_DRIVER"),
        browser: program("GLOVE_WEBKIT"),
        screen: program("GLOVE_XVFB"),
      });
    case "chromium": {
      const browser = await openBrowser();
      const context = await browser.newContext();
      context.setDefaultTimeout(patience);
      return {
        name: "chromium",
        version: browser.version(),
        open: () => context.newPage(),
        close: () => browser.close(),
      };
    }
  }
}

function program(variable: string): string {
  const path = process.env[variable] ?? findEngine(engineName)?.[variable];
  if (!path) throw new Error(`${engineName} is not installed: \`npm test -- engines\` installs it where it can`);
  return path;
}
