// W6: a cold page until its screen takes messages, until its session is open, and until the first answer is drawn.
import { figuresOf, openChromium } from "../pages/browser.mjs";
import { serveSite } from "../pages/site.mjs";

export const title = "W6 a cold page";

/** `floor` is a bare page that loads and compiles our wasm file: nothing of what a core does, and all that it weighs. */
const pages = {
  bare: "bare",
  floor: "floor",
  ours: "ours",
  "ours, one tool": "tool",
  "ours, nothing ahead of the core": "behind-core",
  "ours, worker": "worker",
  "AI SDK": "ai-sdk",
  TanStack: "tanstack",
};
const devices = {
  desktop: {},
  "4× slowed": { cpu: 4 },
  "1.6 Mbit/s, 150 ms": { network: { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 } },
};

/** A browser and a server for all samples; each is a new profile with nothing in its caches. */
export async function open() {
  const entry = (page) => `import { Page } from "./${page}.jsx"; import { start } from "./start.jsx"; start(Page);`;
  const site = await serveSite(Object.fromEntries(Object.values(pages).map((page) => [page, entry(page)])));
  const browser = await openChromium();
  const sample = async (name) => {
    const figures = {};
    for (const [device, { cpu, network }] of Object.entries(devices)) {
      const context = await browser.newContext();
      const page = await context.newPage();
      const cdp = await context.newCDPSession(page);
      if (cpu) await cdp.send("Emulation.setCPUThrottlingRate", { rate: cpu });
      if (network) {
        await cdp.send("Network.enable");
        await cdp.send("Network.emulateNetworkConditions", network);
      }
      const told = await figuresOf(page, `${site.url}/${name}/`);
      for (const [what, ms] of Object.entries(told)) figures[`${device}, ${what}, ms`] = ms;
      await context.close();
      // Its processes end beside the next page.
      await new Promise((over) => setTimeout(over, 200));
    }
    return figures;
  };
  const contenders = Object.fromEntries(Object.entries(pages).map(([name, page]) => [name, () => sample(page)]));
  return {
    contenders,
    close: async () => {
      await browser.close();
      site.close();
    },
  };
}
