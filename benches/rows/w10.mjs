// W10: a stored step beside a bare transaction of the same rows, and a session of 1,000 messages that is opened, in Chromium on a disk.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChromium } from "../pages/browser.mjs";
import { serveSite } from "../pages/site.mjs";

export const title = "W10 steps and sessions in IndexedDB";

export async function open() {
  const site = await serveSite({
    steps: `import { resumed, steps } from "./steps.js"; Object.assign(window, { resumed, steps });`,
  });
  /** Ours and the bare ones are measured by turns in one page; each sample is a new profile. `bare, reads` looks at the session's row first. */
  let found = {};
  const measure = async () => {
    const folder = await mkdtemp(join(tmpdir(), "glove-bench-"));
    const context = await openChromium(folder);
    const page = await context.newPage();
    await page.goto(`${site.url}/steps/`);
    await page.waitForFunction("window.steps");
    found = { step: await page.evaluate("steps()"), opened: await page.evaluate("resumed(1000)") };
    await context.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  const figures = (name) => ({ "a step, relaxed, ms": found.step[name], "1,000 messages opened, ms": found.opened[name] });
  return {
    contenders: {
      async bare() {
        await measure();
        return figures("bare");
      },
      "bare, reads": async () => ({ "a step, relaxed, ms": found.step.reads }),
      ours: async () => figures("ours"),
    },
    close: site.close,
  };
}
