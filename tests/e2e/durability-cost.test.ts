// What a step costs that is kept in the browser's database: relaxed and strict, in a new session and behind 10,000 messages. Prints
// what it measures (`npm run bench`), and fails when a long session costs more.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBrowserOnDisk } from "../support/browser.js";
import { engineName, openPlaces } from "../support/engines.js";
import { inPage, servePackage } from "../support/pages.js";
import type { EnginePage } from "../support/webdriver.js";

interface Cost {
  readonly relaxed: number;
  readonly strict: number;
}

/** Milliseconds of a step of a good 1.7 kB: the median of twenty times ten, since clocks of pages tick in milliseconds. */
function measured(page: EnginePage): Promise<{ fresh: Cost; long: Cost }> {
  return inPage(
    page,
    `const text = "x".repeat(700), checkpoint = "y".repeat(600);
     const cost = async (store, from) => {
       const cost = {};
       let [seq, count] = [from, from];
       for (const durability of ["relaxed", "strict"]) {
         const times = [];
         for (let n = 0; n < 20; n++) {
           const since = performance.now();
           for (let m = 0; m < 10; m++) {
             const one = step(++seq, count++, { messages: [message(text)], records: [{ seq, at: 1, input: "recovered" }], checkpoint });
             await store.appendStep(one, durability);
           }
           times.push((performance.now() - since) / 10);
         }
         cost[durability] = times.sort((a, b) => a - b)[10];
       }
       return cost;
     };
     const long = new IndexedDBStore("long");
     for (let n = 0; n < 10_000; n += 100) {
       await long.appendStep(step(n + 100, n, { messages: Array.from({ length: 100 }, () => message(text)), records: [], checkpoint }), "relaxed");
     }
     // The first ones pay for warming up.
     await cost(new IndexedDBStore("warm"), 0);
     return { fresh: await cost(new IndexedDBStore("fresh"), 0), long: await cost(long, 10_000) };`,
  );
}

test("a step costs the same in a long session as in a new one", { retry: 2 }, async () => {
  const { fresh, long } = await (engineName === "chromium" ? inChromiumOnDisk() : elsewhere());
  const row = ({ relaxed, strict }: Cost) => `relaxed ${relaxed.toFixed(1)} ms, strict ${strict.toFixed(1)} ms`;
  console.log(`${engineName}: ${row(fresh)}; behind 10,000 messages ${row(long)}`);
  // What a strict one costs is the disk's matter.
  expect(long.relaxed).toBeLessThan(3 * fresh.relaxed + 2);
});

async function elsewhere() {
  const places = await openPlaces();
  try {
    return await places.at(async ({ open }) => measured(await open()));
  } finally {
    await places.close();
  }
}

async function inChromiumOnDisk() {
  const [folder, server] = [await mkdtemp(join(tmpdir(), "glove-cost-")), await servePackage()];
  const { browser, kill } = await openBrowserOnDisk(folder);
  try {
    const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
    await page.goto(server.url);
    return await measured(page);
  } finally {
    await kill();
    await server.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
