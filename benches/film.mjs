// What a person with a phone sees of a cold page: its screen every 100 ms, all contenders below each other, on one sheet.
import { mkdirSync, writeFileSync } from "node:fs";
import { devices } from "playwright-core";
import { inRoot } from "../scripts/lib/project.mjs";
import { openChromium } from "./pages/browser.mjs";
import { serveSite } from "./pages/site.mjs";

const pages = {
  bare: "bare",
  ours: "ours",
  "ours, worker": "worker",
  "ours, its look": "look",
  "AI SDK": "ai-sdk",
  TanStack: "tanstack",
};
const every = 100;
/** As in W6, both at once. */
const slowedTimes = 4;
const network = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };

/** Writes the sheet, and gives its place. */
export async function film() {
  const entry = (page) => `import { Page } from "./${page}.jsx"; import { start } from "./start.jsx"; start(Page);`;
  const site = await serveSite(Object.fromEntries(Object.values(pages).map((page) => [page, entry(page)])));
  const browser = await openChromium();
  const strips = [];
  for (const [name, page] of Object.entries(pages)) strips.push({ name, ...(await take(browser, `${site.url}/${page}/`)) });
  site.close();
  const file = inRoot(".cache", "bench", "film.png");
  mkdirSync(inRoot(".cache", "bench"), { recursive: true });
  writeFileSync(file, await sheet(browser, strips));
  await browser.close();
  for (const { name, answer } of strips) console.log(`${name}: first answer drawn at ${Math.round(answer)} ms`);
  return file;
}

/** The frames of a page from its address until its first answer is drawn, and when that was. */
async function take(browser, url) {
  const { defaultBrowserType: _, ...phone } = devices["Pixel 7"];
  const context = await browser.newContext({ ...phone, deviceScaleFactor: 1 });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: slowedTimes });
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", network);
  const drawn = [];
  cdp.on("Page.screencastFrame", ({ data, metadata, sessionId }) => {
    drawn.push({ data, at: metadata.timestamp * 1000 });
    cdp.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
  });
  await cdp.send("Page.startScreencast", { format: "png", maxWidth: 412, maxHeight: 839 });
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForFunction("window.figures?.answer !== undefined");
  // The frame of the answer is on its way.
  await page.waitForTimeout(1_000);
  const { began, answer } = await page.evaluate(() => ({ began: performance.timeOrigin, answer: window.figures.answer }));
  await context.close();
  const frames = [];
  for (let at = 0; at < answer + 2 * every; at += every) {
    frames.push({ at, data: drawn.findLast((frame) => frame.at - began <= at)?.data });
  }
  return { frames, answer };
}

async function sheet(browser, strips) {
  const image = ({ at, data }) =>
    `<figure>${data ? `<img src="data:image/png;base64,${data}">` : "<i></i>"}<figcaption>${at}</figcaption></figure>`;
  const rows = strips.map(({ name, frames }) => `<tr><th>${name}<td>${frames.map(image).join("")}`);
  const page = await browser.newPage({ viewport: { width: 600, height: 400 } });
  await page.setContent(`<!doctype html><style>
    body { margin: 12px; width: max-content; background: #fff; font: 13px sans-serif }
    th { text-align: left; vertical-align: top; width: 80px }
    td { white-space: nowrap }
    figure { display: inline-block; margin: 0 4px 8px 0; text-align: center }
    img, i { display: block; width: 103px; height: 210px; border: 1px solid #ccc; background: #eee }
  </style><table>${rows.join("")}</table>`);
  const picture = await page.screenshot({ fullPage: true, clip: await page.locator("body").boundingBox() });
  await page.close();
  return picture;
}
