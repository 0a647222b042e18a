// A whole session over a stream of 50,000 events, against a plain parser alone: told, and held to a limit that a
// busy machine keeps too.
import * as glove from "glove-wasm";
import { expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { type Cost, cost } from "../support/decoding.js";
import { servePackage } from "../support/pages.js";

const rounds = 7;

function tell(where: string, size: number, { ours, plain, ratio }: Cost): void {
  const ms = (time: number) => `${time.toFixed(0)} ms`;
  console.log(`${where}, chunks of ${size}: ours ${ms(ours)}, plain ${ms(plain)}, ratio ${ratio.toFixed(2)}`);
  expect(ratio).toBeLessThan(2.5);
}

test.each([1024, 65_536])("in Node, in chunks of %i", async (size) => {
  tell("Node", size, await cost(glove, size, rounds));
});

test.each([1024, 65_536])("in Chromium, in chunks of %i", async (size) => {
  const [browser, server] = [await openBrowser(), await servePackage()];
  const { page } = await openPage(browser, server.url);
  const code = `(async () => (${cost})(await import("/pkg/src/index.js"), ${size}, ${rounds}))()`;
  tell("Chromium", size, (await page.evaluate(code)) as Cost);
  await browser.close();
  await server.close();
});
