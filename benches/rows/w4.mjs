// W4: an answer of 400 pieces a second in React: what it takes of the main thread, and how soon its first piece is drawn.
import { openChromium } from "../pages/browser.mjs";
import { serveSite } from "../pages/site.mjs";

export const title = "W4 400 pieces a second in React";

const pages = { bare: "bare", drawn: "drawn", ours: "ours", "ours, worker": "worker", "AI SDK": "ai-sdk", TanStack: "tanstack" };
const perSecond = 400;
const seconds = 5;
const before = 200;

const entry = (page, options) =>
  `import { Page } from "./${page}.jsx"; import { start } from "./start.jsx"; start(Page, ${options});`;
const ours = (page, options) =>
  `import { Page } from "./${page}.jsx"; import { behind } from "./behind.jsx"; import { start } from "./start.jsx"; start(behind(Page), ${options});`;
const words = "The quick brown fox jumps over the lazy dog. ".repeat(4);

export async function open() {
  const texts = [
    "Here is a word from the model: ",
    ...Array.from({ length: perSecond * seconds - 2 }, () => " word"),
    "The end.",
  ];
  const waiting = Object.values(pages).map((page) => [page, entry(page, "{ waits: true }")]);
  const history = `Array.from({ length: ${before} }, (_, at) => at + " ${words}")`;
  const behind = Object.values(pages).map((page) => {
    const made = page === "ours" || page === "worker" ? ours : entry;
    return [page, made(page, `{ waits: true, history: ${history} }`)];
  });
  const sites = [
    await serveSite(Object.fromEntries(waiting), { texts, perSecond }),
    await serveSite(Object.fromEntries(behind), { texts: ["Here is a word from the model: The end."] }),
  ];
  const browser = await openChromium();

  /** Sends a message in a new profile; gives when its page is done. */
  const visit = async (url, work) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForFunction("window.figures?.ready !== undefined");
    // What comes with the start is over.
    await page.waitForTimeout(300);
    const figure = await work(page, await context.newCDPSession(page));
    await context.close();
    return figure;
  };
  const send = (page) =>
    page.evaluate(`new Promise((resolve) => {
      const since = performance.now();
      send("Hi");
      const look = () => (figures.end === undefined ? setTimeout(look, 20) : resolve(figures.answer - since));
      look();
    })`);
  /** What the main thread has done, in CPU time: what else the machine does is not in it. */
  const busy = async (cdp) => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    const metric = (wanted) => metrics.find(({ name }) => name === wanted).value;
    return { ms: metric("TaskDuration") * 1000, frames: metric("LayoutCount") };
  };
  const streamed = async (tab, cdp) => {
    await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
    const before = await busy(cdp);
    await send(tab);
    const after = await busy(cdp);
    const ms = after.ms - before.ms;
    const frames = after.frames - before.frames;
    return { "main thread, ms for each second": ms / seconds, "main thread, ms for each frame": ms / frames };
  };
  const sample = async (page) => ({
    ...(await visit(`${sites[0].url}/${page}/`, streamed)),
    [`first text behind ${before} messages, ms`]: await visit(`${sites[1].url}/${page}/`, send),
  });
  return {
    contenders: Object.fromEntries(Object.entries(pages).map(([name, page]) => [name, () => sample(page)])),
    close: async () => {
      await browser.close();
      for (const site of sites) site.close();
    },
  };
}
