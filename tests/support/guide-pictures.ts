// The pictures of the guides, as WebP, made by scripts/pictures.mjs. The one of the README is half light and half dark.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { openBrowser } from "./browser.js";
import { type Guide, guides, serveGuide } from "./guides.js";

export async function takeGuidePictures(folder: string, only: RegExp): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const browser = await openBrowser();
  const made: string[] = [];
  try {
    for (const guide of guides) {
      if (!guide.picture || !only.test(guide.picture.name)) continue;
      const light = await shot(browser, guide, "light");
      const dark = guide.page === "README.md" ? await shot(browser, guide, "dark") : undefined;
      const file = `${guide.picture.name}.webp`;
      writeFileSync(join(folder, file), await packed(browser, light, dark));
      made.push(file);
    }
  } finally {
    await browser.close();
  }
  return made;
}

async function shot(browser: Browser, guide: Guide, colorScheme: "light" | "dark"): Promise<Buffer> {
  const { width = 800, height = 600 } = guide.picture ?? {};
  const server = await serveGuide(guide);
  const context = await browser.newContext({ colorScheme, viewport: { width, height }, deviceScaleFactor: 1.5, locale: "en-GB" });
  try {
    const page = await context.newPage();
    await page.goto(`${server.url}/main`);
    await guide.shows(page);
    await page.mouse.move(0, 0);
    // What is loaded when it is first shown, and what waits for a moment.
    await page.waitForTimeout(1_500);
    return await page.screenshot({ animations: "disabled", caret: "hide" });
  } finally {
    await context.close();
    await server.close();
  }
}

/** One picture, or the left half of one and the right half of the other. */
async function packed(browser: Browser, left: Buffer, right?: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const sources = [left, ...(right ? [right] : [])].map((png) => `data:image/png;base64,${png.toString("base64")}`);
  const url = (await page.evaluate(`(async () => {
    const images = await Promise.all(${JSON.stringify(sources)}.map(async (src) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      return image;
    }));
    const [{ width, height }] = images;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    context.drawImage(images[0], 0, 0);
    if (images[1]) {
      context.beginPath();
      context.moveTo(width * 0.56, 0);
      context.lineTo(width, 0);
      context.lineTo(width, height);
      context.lineTo(width * 0.44, height);
      context.clip();
      context.drawImage(images[1], 0, 0);
    }
    return canvas.toDataURL("image/webp", 0.85);
  })()`)) as string;
  await page.close();
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}
