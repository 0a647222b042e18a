// What a stream of 50,000 events costs, against a plain push parser with JSON.parse: the decoders alone, which are held to their
// goal, and a whole session, which is told and held to a limit that a busy machine keeps too.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as glove from "glove-wasm";
import { expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { type DecoderCost, type Decoders, decoderCosts } from "../support/decoders.js";
import { type Cost, cost } from "../support/decoding.js";
import { servePackage } from "../support/pages.js";
import { root } from "../support/project.js";

const rounds = 7;
const sizes = [1024, 65_536];
/** A decoder takes no more than this part of what a plain parser takes. */
const goal = 0.75;

const ms = (time: number) => `${time.toFixed(0)} ms`;

function tell(where: string, size: number, { ours, plain, ratio }: Cost): void {
  console.log(`${where}, chunks of ${size}: ours ${ms(ours)}, plain ${ms(plain)}, ratio ${ratio.toFixed(2)}`);
  expect(ratio).toBeLessThan(1.25);
}

/** Each format is told, and all of them together are held to the goal. */
function hold(where: string, size: number, costs: readonly DecoderCost[]): void {
  const sum = (of: (cost: DecoderCost) => number) => costs.map(of).reduce((one, other) => one + other);
  const all = { format: "all", ours: sum(({ ours }) => ours), plain: sum(({ plain }) => plain) };
  for (const { format, ours, plain } of [...costs, all]) {
    const ratio = (ours / plain).toFixed(2);
    console.log(`${where}, chunks of ${size}, ${format}: ours ${ms(ours)}, plain ${ms(plain)}, ratio ${ratio}`);
  }
  expect(all.ours / all.plain).toBeLessThan(goal);
}

/** The glue of the wasm file that `npm run bench` and `npm test` make for this. */
const glue = ".cache/decoders/decoders";

test.each(sizes)("the decoders alone reach their goal in Node, in chunks of %i", async (size) => {
  const decoders = await import(pathToFileURL(join(root, `${glue}.js`)).href);
  decoders.initSync({ module: readFileSync(join(root, `${glue}_bg.wasm`)) });
  hold("Node, decoder", size, decoderCosts(decoders as Decoders, size, rounds));
});

test.each(sizes)("the decoders alone reach their goal in Chromium, in chunks of %i", async (size) => {
  const [browser, server] = [await openBrowser(), await servePackage()];
  const { page } = await openPage(browser, server.url);
  const code = `(async () => {
    const decoders = await import("/${glue}.js");
    await decoders.default("/${glue}_bg.wasm");
    return (${decoderCosts})(decoders, ${size}, ${rounds});
  })()`;
  hold("Chromium, decoder", size, (await page.evaluate(code)) as DecoderCost[]);
  await browser.close();
  await server.close();
});

test.each(sizes)("a whole session in Node, in chunks of %i", async (size) => {
  tell("Node, session", size, await cost(glove, size, rounds));
});

test.each(sizes)("a whole session in Chromium, in chunks of %i", async (size) => {
  const [browser, server] = [await openBrowser(), await servePackage()];
  const { page } = await openPage(browser, server.url);
  const code = `(async () => (${cost})(await import("/pkg/src/index.js"), ${size}, ${rounds}))()`;
  tell("Chromium, session", size, (await page.evaluate(code)) as Cost);
  await browser.close();
  await server.close();
});
