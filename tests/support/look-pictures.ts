// Pictures of every state of the built-in look, narrow and wide, light and dark, made by scripts/pictures.mjs.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "./browser.js";
import { openLook, serveLook, showState } from "./look.js";

export async function takePictures(folder: string, only: RegExp): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const [server, browser] = [await serveLook(), await openBrowser()];
  const made: string[] = [];
  try {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [360, 800, 1400]) {
        const page = await openLook(browser, server, { colorScheme, viewport: { width, height: width === 360 ? 640 : 900 } });
        for (const name of (await page.evaluate("Object.keys(states)")) as string[]) {
          const file = `${name}-${width}-${colorScheme}.png`;
          if (!only.test(file)) continue;
          await showState(page, name);
          // What is loaded when it is first shown, and what waits for a moment.
          await page.waitForTimeout(500);
          await page.screenshot({ path: join(folder, file) });
          made.push(file);
        }
        await page.context().close();
      }
    }
  } finally {
    await browser.close();
    await server.close();
  }
  return made;
}
