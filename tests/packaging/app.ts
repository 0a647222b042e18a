// A small application around the installed package, and what it must show: the same for every bundler.
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { packageVersion, root } from "../support/project.js";
import { serve } from "../support/server.js";

/** The page's script: it writes the version of the package into the page. */
export const script = `import { init, version } from "glove-wasm";
await init();
document.body.textContent = version();
`;

export const html = `<!doctype html>
<html lang="en"><head><title>app</title><link rel="icon" href="data:,"></head>
<body><script type="module" src="/main.js"></script></body></html>
`;

/** Makes an application of its own for one test: the files given, and the installed package. */
export function makeApp(name: string, files: Record<string, string>): string {
  const installed = inject("app");
  const folder = join(dirname(installed), name);
  cpSync(installed, folder, { recursive: true });
  write(folder, files);
  return folder;
}

/** Makes an application that finds React and the bundlers too: a folder of `examples/`, or empty, and the files given. */
export function makeProject(name: string, files: Record<string, string> = {}, example?: string): string {
  const folder = mkdtempSync(join(inject("projects"), `${name}-`));
  if (example)
    cpSync(join(root, "examples", example), folder, {
      recursive: true,
      filter: (path) => !/node_modules|\.next/.test(path.slice(root.length)),
    });
  write(folder, files);
  return folder;
}

function write(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Opens what a bundler wrote in Chromium: it must show the version and report no error. */
export async function expectRunsInBrowser(folder: string): Promise<void> {
  const server = await serve(folder);
  await expectPageRuns(server.url);
  await server.close();
}

export async function expectPageRuns(url: string): Promise<void> {
  const browser = await openBrowser();
  try {
    const { page, problems } = await openPage(browser, url);
    await page.waitForFunction(() => document.body.textContent?.trim() !== "", undefined, { timeout: 30_000 });
    expect((await page.textContent("body"))?.trim()).toBe(packageVersion);
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
}
