// The demo, as `npm run demo` serves it.
import { createServer } from "vite";
import { expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { packageVersion, root } from "../support/project.js";

test("the demo loads the package by its name and reports no error", async () => {
  const server = await createServer({ configFile: `${root}/demo/vite.config.ts`, logLevel: "warn", server: { port: 0 } });
  await server.listen();
  const browser = await openBrowser();
  try {
    const { page, problems } = await openPage(browser, server.resolvedUrls?.local[0] ?? "");
    await page.getByText(`version ${packageVersion}`).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
    await server.close();
  }
});
