// Chromium for rows that need a page: with a profile of its own in `folder`, or in memory.
import { chromiumArguments, findChromium } from "../../scripts/lib/chromium.mjs";

export async function openChromium(folder) {
  const { chromium } = await import("playwright-core");
  const options = { executablePath: findChromium(), args: chromiumArguments };
  return folder ? chromium.launchPersistentContext(folder, options) : chromium.launch(options);
}

/**
 * Opens a page of `start.jsx`, and gives its figures when it has told them. Nothing is asked of the page before: what asks is a script
 * of 300 kB, which a slowed page takes up to 90 ms to read, at any time.
 */
export async function figuresOf(page, url) {
  const told = page.waitForEvent("console", (message) => message.type() === "debug");
  await page.goto(url, { waitUntil: "commit" });
  return JSON.parse((await told).text());
}

/** Does the work; gives the longest task of the page in it, in milliseconds of CPU. */
export async function longestTask(page, work) {
  const cdp = await page.context().newCDPSession(page);
  const events = [];
  cdp.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await cdp.send("Tracing.start", {
    traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline"], excludedCategories: ["*"] },
    transferMode: "ReportEvents",
  });
  await work();
  const over = new Promise((resolve) => cdp.once("Tracing.tracingComplete", resolve));
  await cdp.send("Tracing.end");
  await over;
  await cdp.detach();
  const main = events.filter(({ ph, args }) => ph === "M" && args?.name === "CrRendererMain");
  const tasks = events.filter(
    ({ name, pid, tid }) => name === "RunTask" && main.some((one) => one.pid === pid && one.tid === tid),
  );
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}
