import { openBrowser } from "./browser.js";
import { openLook, serveLook, showState } from "./look.js";
export async function take(name: string, acts: string, out: string) {
  const [server, browser] = [await serveLook(), await openBrowser()];
  for (const colorScheme of ["light", "dark"] as const) for (const width of [360, 1000]) {
    const page = await openLook(browser, server, { colorScheme, viewport: { width, height: 760 } });
    await showState(page, name);
    await page.waitForTimeout(500);
    await new Function("page", `return (async () => { ${acts} })()`)(page);
    await page.waitForTimeout(400);
    await page.screenshot({ path: `/tmp/pics/${out}-${width}-${colorScheme}.png` });
    await page.context().close();
  }
  await browser.close(); await server.close();
}
