// The first apps of README.md and docs/first-app.md, as they are printed there, built by Vite from the packed package.
import { join } from "node:path";
import { build } from "vite";
import { expect, test } from "vitest";
import { blocks } from "../docs/blocks.js";
import { openBrowser, openPage } from "../support/browser.js";
import { guides, routesOf } from "../support/guides.js";
import { serve } from "../support/server.js";
import { makeProject } from "./app.js";

const html = `<!doctype html>
<html lang="en"><head><title>app</title><link rel="icon" href="data:,"></head>
<body><div id="root"></div><script type="module" src="/main.tsx"></script></body></html>
`;

const routes = guides.flatMap((guide) => (guide.page === "README.md" ? [routesOf(guide)] : []))[0] ?? {};

test.each([
  { page: "README.md", button: "Allow", says: "Done: €80 are on their way back.", names: ["main.tsx"] },
  { page: "docs/first-app.md", button: "Yes", says: "All right.", names: ["tools.tsx", "client.tsx", "main.tsx"] },
])(
  "the first app of $page asks, asks on after a reload, is answered, and says so",
  async ({ page: source, button, says, names }) => {
    const code = (name: string) =>
      blocks().find(({ place, file }) => place.startsWith(source) && file.endsWith(name))?.code ?? "";
    const files = Object.fromEntries(names.map((name) => [name, code(name)]));
    const tsconfig = JSON.stringify({ compilerOptions: { jsx: "react-jsx" } });
    const folder = makeProject("readme", { ...files, "index.html": html, "tsconfig.json": tsconfig });
    await build({ root: folder, configFile: false, logLevel: "error" });
    const server = await serve(join(folder, "dist"), { routes });
    const browser = await openBrowser();
    try {
      const { page, problems } = await openPage(browser, server.url);
      await page.getByRole("textbox", { name: "Message" }).fill("Please begin");
      await page.keyboard.press("Enter");
      const yes = page.getByRole("button", { name: button, exact: true });
      await yes.waitFor();
      await page.reload();
      await yes.click();
      await page.getByText(says).waitFor();
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
      await server.close();
    }
  },
);
