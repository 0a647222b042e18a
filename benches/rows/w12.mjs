// W12: a round of the loop in Chromium, with one tool of the page and a model that costs nothing: the core in the page, or in a worker.
import { openChromium } from "../pages/browser.mjs";
import { serveSite } from "../pages/site.mjs";

export const title = "W12 a round of the loop in Chromium, the core in the page or in a worker";

export async function open() {
  const site = await serveSite({ rounds: `import { perRound } from "./rounds.js"; window.perRound = perRound;` });
  const browser = await openChromium();
  /** Each sample in a new profile. */
  const sample = async (worker) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${site.url}/rounds/`);
    await page.waitForFunction("window.perRound");
    const perRound = (kept) => page.evaluate(`perRound(${JSON.stringify({ worker, kept })})`);
    const figures = { "a round, IndexedDB, ms": await perRound(true), "a round, a store of the page, ms": await perRound(false) };
    await context.close();
    return figures;
  };
  return {
    contenders: { ours: () => sample(false), "ours, worker": () => sample(true) },
    close: async () => {
      await browser.close();
      site.close();
    },
  };
}
