// W13: a chat of `<Render>` with a long conversation above: what an answer takes of the main thread, and how soon the end of a conversation
// is there when it is opened.
import { longestTask, openChromium } from "../pages/browser.mjs";
import { serveSite } from "../pages/site.mjs";

export const title = "W13 an answer of 150 pieces below 0, 2,000 and 10,000 entries, and opening 50 and 10,000";

const pieces = 150;

/** Chats that a person can use as they are, which draw all of a conversation. */
const peers = { "assistant-ui": "assistant-ui", "useChat, Streamdown": "use-chat" };
const entry = (page) =>
  `import { Chat } from "./finished/${page}.jsx"; import { start } from "./finished/start.jsx"; start(Chat);`;

export async function open() {
  const site = await serveSite({
    long: `import { start } from "./long.jsx"; start();`,
    ...Object.fromEntries(Object.values(peers).map((page) => [page, entry(page)])),
  });
  const browser = await openChromium();
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
  const visit = async (query, name = "long") => {
    const page = await context.newPage();
    await page.goto(`${site.url}/${name}/#${query}`);
    return page;
  };
  for (const entries of [50, 10_000]) {
    const page = await visit(`write&entries=${entries}`);
    await page.waitForFunction("window.isWritten", undefined, { timeout: 60_000 });
    await page.close();
  }
  const opened = async (query, name) => {
    const page = await visit(query, name);
    await page.waitForFunction("window.isOpen", undefined, { timeout: 60_000 });
    return page;
  };

  /** What the main thread has done, in CPU time: what else the machine does is not in it. */
  const busy = async (cdp) => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  const answer = async (entries, name) => {
    const page = await opened(`answer&entries=${entries}`, name);
    // What comes with the start is over.
    await page.waitForTimeout(1_500);
    const cdp = await context.newCDPSession(page);
    await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
    // The first one loads what draws answers.
    await page.evaluate("answer(5)");
    const before = await busy(cdp);
    const longest = await longestTask(page, () => page.evaluate(`answer(${pieces})`));
    const ms = (await busy(cdp)) - before;
    await page.close();
    return { ms, longest };
  };
  const opening = async (entries) => {
    const page = await opened(`entries=${entries}`);
    await page.waitForTimeout(2_000);
    const { painted, late } = await page.evaluate("opening");
    await page.close();
    return { painted, late: late.reduce((sum, ms) => sum + ms, 0) };
  };
  const sample = async () => {
    const [none, some, many] = [await answer(0), await answer(2_000), await answer(10_000)];
    const [short, long] = [await opening(50), await opening(10_000)];
    return {
      "an answer below nothing, CPU ms": none.ms,
      "an answer below 2,000 entries, CPU ms": some.ms,
      "below 2,000 entries ÷ below nothing": some.ms / none.ms,
      "below 10,000 entries ÷ below nothing": many.ms / none.ms,
      "longest task below 2,000, ms": some.longest,
      "longest task below 10,000, ms": many.longest,
      "end of 50 entries painted, ms": short.painted,
      "end of 10,000 ÷ of 50": long.painted / short.painted,
      "late frames after 10,000, ms": long.late,
    };
  };
  const samplePeer = async (name) => {
    const [none, some] = [await answer(0, name), await answer(2_000, name)];
    return {
      "an answer below nothing, CPU ms": none.ms,
      "an answer below 2,000 entries, CPU ms": some.ms,
      "below 2,000 entries ÷ below nothing": some.ms / none.ms,
      "longest task below 2,000, ms": some.longest,
    };
  };
  return {
    contenders: {
      ours: sample,
      ...Object.fromEntries(Object.entries(peers).map(([name, page]) => [name, () => samplePeer(page)])),
    },
    close: async () => {
      await browser.close();
      site.close();
    },
  };
}
