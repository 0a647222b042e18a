// Applications around the installed package.
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { packageVersion, root } from "../support/project.js";

/** Makes an application of its own for one test: the installed package, a folder of `examples/`, and the files given. */
export function makeApp(name: string, files: Record<string, string>, example?: string): string {
  const installed = inject("app");
  const folder = join(dirname(installed), name);
  // A folder that is there already takes no links of commands again.
  cpSync(installed, folder, { recursive: true, filter: (path) => !path.endsWith(".bin") });
  return fill(folder, files, example);
}

/** The same where React, zod and the bundlers are installed too. */
export function makeProject(name: string, files: Record<string, string> = {}, example?: string): string {
  return fill(mkdtempSync(join(inject("projects"), `${name}-`)), files, example);
}

function fill(folder: string, files: Record<string, string>, example: string | undefined): string {
  if (example) copyExample(example, folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Without what people have made in their own copy of it. */
export function copyExample(name: string, folder: string): string {
  const source = join(root, "examples", name);
  const made = /node_modules|\.next|dist|target/;
  cpSync(source, folder, { recursive: true, filter: (path) => !made.test(path.slice(source.length)) });
  return folder;
}

/** A module that asks a provider from the page, with the second wasm file, and gives what it answers: the package's version. */
export const direct = `import { createAdapter, GloveClient, version } from "glove-wasm";
const events = [{ choices: [{ delta: { content: version() } }] }, { choices: [{ delta: {}, finish_reason: "stop" }] }];
const sse = events.map((event) => "data: " + JSON.stringify(event) + "\\n\\n").join("") + "data: [DONE]\\n\\n";
const fetch = async () => new Response(sse, { headers: { "content-type": "text/event-stream" } });
const createModel = () => createAdapter({ provider: "ollama", model: "m", fetch });
const client = new GloveClient({ createModel, systemPrompt: "" });
export const answer = client.session("direct").sendMessage("Which version?").then(({ text }) => text);
`;

/** A module that runs sandboxed code, whose engine and worker come with its first call; it gives the package's version. */
export const sandboxed = `import { version } from "glove-wasm";
import { sandboxExec } from "glove-wasm/tools";
const call = { code: "return input.join('.')", input: version().split(".") };
export const answer = sandboxExec().do(call, {}).then(({ data, message }) => message ?? data);
`;

/** Opens a page that writes the version of the package into itself: it must do so, and report no problem. */
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
