// The README's first app, as it is printed there, built by Vite from the packed package.
import { join } from "node:path";
import { build } from "vite";
import { expect, test } from "vitest";
import { blocks } from "../docs/blocks.js";
import { openBrowser, openPage } from "../support/browser.js";
import { serve } from "../support/server.js";
import { makeProject } from "./app.js";

const html = `<!doctype html>
<html lang="en"><head><title>app</title><link rel="icon" href="data:,"></head>
<body><script type="module" src="/main.tsx"></script></body></html>
`;

test("the README's first app asks, is answered, and says so", async () => {
  const code = blocks().find(({ place, file }) => place.startsWith("README") && file.endsWith("main.tsx"))?.code ?? "";
  const tsconfig = JSON.stringify({ compilerOptions: { jsx: "react-jsx" } });
  const folder = makeProject("readme", { "index.html": html, "main.tsx": code, "tsconfig.json": tsconfig });
  await build({ root: folder, configFile: false, logLevel: "error" });
  const server = await serve(join(folder, "dist"));
  const browser = await openBrowser();
  try {
    const { page, problems } = await openPage(browser, server.url);
    await page.getByRole("textbox", { name: "Message" }).fill("A table, please");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "A table for 2? Yes!" }).click();
    await page.getByText("It is booked.").waitFor();
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
    await server.close();
  }
});
