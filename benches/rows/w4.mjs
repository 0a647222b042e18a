// W4: an answer of 400 pieces a second in React: what it takes of the main thread, and how soon its first piece is drawn.
import { openChromium } from "../pages/browser.mjs";
import { serveSite } from "../pages/site.mjs";

export const title = "W4 400 pieces a second in React";

const pages = { bare: "bare", ours: "ours", "AI SDK": "ai-sdk", TanStack: "tanstack" };
const perSecond = 400;
const seconds = 5;
const before = 200;

const entry = (page, options) =>
  `import { Page } from "./${page}.jsx"; import { start } from "./start.jsx"; start(Page, ${options});`;
const words = "The quick brown fox jumps over the lazy dog. ".repeat(4);

export async function open() {
  const texts = [
    "Here is a word from the model: ",
    ...Array.from({ length: perSecond * seconds - 2 }, () => " word"),
    "The end.",
  ];
  const waiting = Object.values(pages).map((page) => [page, entry(page, "{ waits: true }")]);
  const history = `Array.from({ length: ${before} }, (_, at) => at + " ${words}")`;
  const behind = Object.values(pages).map((page) => [page, entry(page, `{ waits: true, history: ${history} }`)]);
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
  const busy = async (cdp) => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  const sample = async (page) => ({
    "main thread, ms for each second": await visit(`${sites[0].url}/${page}/`, async (tab, cdp) => {
      await cdp.send("Performance.enable");
      const since = await busy(cdp);
      await send(tab);
      return ((await busy(cdp)) - since) / seconds;
    }),
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
