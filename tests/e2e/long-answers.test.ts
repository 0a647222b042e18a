// What `<Render>` costs while a very long answer streams. Compared with the same answer in the same page without it: machines
// differ, and are busy.
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { root } from "../support/project.js";
import { serve } from "../support/server.js";

const css = readFileSync(`${root}/js/react/style.css`, "utf8");
const html = `<!doctype html><link rel=icon href=data:,><style>${css}</style><body><script type=module src=page.js></script>`;

const measured = `(async () => {
  const line = "The quick brown fox jumps over the lazy dog, and writes of it at length.\\n";
  const text = line.repeat(100_000);
  await stream("warm", true);
  const [without, within] = [await stream(text, false), await stream(text, true)];
  return { ratio: within / without, letters: document.querySelector("main:last-child [data-glove-role=agent]").textContent.length };
})()`;

test("an answer of 7 MB streams into <Render> in about the time that it takes without", async () => {
  const options = { bundle: true, format: "esm", jsx: "automatic", write: false } as const;
  const define = { "process.env.NODE_ENV": '"production"' };
  const { outputFiles } = await build({ ...options, define, entryPoints: [`${root}/tests/support/render-page.tsx`] });
  const server = await serve("", { pages: { "/": html, "/page.js": outputFiles[0]?.text ?? "" } });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.waitForFunction("globalThis.stream");
    const { ratio, letters } = (await page.evaluate(measured)) as { ratio: number; letters: number };
    // It was 40 when each frame laid out all of the text; the floor is what both wait for.
    expect(ratio).toBeLessThan(8);
    expect(letters).toBe(2 ** 18 + "Show more".length);
  } finally {
    await browser.close();
    await server.close();
  }
});
