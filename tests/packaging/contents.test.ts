// What is in the packed package, and that its metadata leads every tool to it.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { expect, inject, test } from "vitest";
import { measure, noise } from "../../scripts/size.mjs";
import { root } from "../support/project.js";

const installed = () => join(inject("app"), "node_modules", "glove-wasm");
const files = () =>
  readdirSync(installed(), { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(installed(), name)).isFile());

const needed = [
  /^pkg\/.*\.(js|d\.ts|wasm|css)$/,
  /^bin\/[\w/-]+\.(mjs|tsx|css)$/,
  /^(a2ui|ag-ui|ai-sdk|mcp|react|remote|server|skills|slim|tasks|testing|webmcp)\/package\.json$/,
  /^react\/style\.css$/,
  /^docs\/(guides\/)?[\w-]+\.md$/,
  /^examples\/.*\.(md|html|css|m?js|tsx?|vue|svelte|json|rs|toml|csv|svg|webmanifest)$/,
  /^(package\.json|llms\.txt|(README|CHANGELOG|THIRD-PARTY)\.md|LICENSE-(MIT|APACHE))$/,
];

test("only what users need is packed", () => {
  expect(files().filter((name) => !needed.some((pattern) => pattern.test(name)))).toEqual([]);
  // These are for who changes the package.
  expect(files().filter((name) => /^(AGENTS|docs\/(architecture|decisions))\.md$/.test(name))).toEqual([]);
});

test("what no entry leads to is not packed: the file of tasks, which travels as a text alone, and types of what is inside", () => {
  expect(files().filter((name) => /glove_tasks_bg|src\/tabs\/tabs\.d\.ts|\.npmignore/.test(name))).toEqual([]);
  const bytes = files().reduce((sum, name) => sum + statSync(join(installed(), name)).size, 0);
  // Guides are 0.8 MB of it, examples and parts to copy 0.3 MB.
  expect(bytes).toBeLessThan(7_300_000);
  // What comes at one moment is one file; the rest are types, pages, and examples, which are 150.
  expect(files().length).toBeLessThanOrEqual(470);
  expect(files().filter((name) => /^pkg\/.*\.js$/.test(name)).length).toBeLessThan(158);
  expect(files().filter((name) => /^pkg\/.*\.d\.ts$/.test(name)).length).toBeLessThan(58);
});

/** What an entry brings with it before anything is called: its files, and what others wrote. */
function atOnce(entry: string): { files: string[]; others: string[] } {
  const reached = new Set([join(installed(), entry)]);
  const others = new Set<string>();
  for (const file of reached) {
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;]*?"([^"]+)";$/gm)) {
      if (name.startsWith(".") && name.endsWith(".js")) reached.add(join(dirname(file), name));
      else others.add(name);
    }
  }
  return { files: [...reached], others: [...others] };
}

test("without a bundler too, the slim entry brings no wasm file, and only what draws brings React", () => {
  const carries = (file: string) => statSync(file).size > 150_000;
  expect(atOnce("pkg/src/slim.js").files.filter(carries)).toEqual([]);
  expect(atOnce("pkg/src/index.js").files.filter(carries)).toHaveLength(1);
  for (const entry of ["src/index", "src/slim", "server/index", "mcp/index", "remote/index", "ai-sdk/index", "tasks/index"])
    expect(atOnce(`pkg/${entry}.js`).others, entry).toEqual([]);
  expect(atOnce("pkg/react/index.js").others.sort()).toEqual(["react", "react/jsx-runtime"]);
});

test("every link between the packed pages leads to a packed file", () => {
  const pages = files().filter((name) => /\.(md|txt)$/.test(name));
  expect(pages).toContain("llms.txt");
  const dead = pages.flatMap((page) => {
    const text = readFileSync(join(installed(), page), "utf8");
    const targets = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, target = ""]) => target);
    // Pictures, films and plots are in the repository alone, and so are the sentences of options that the types have too.
    const apart = /^[a-z]+:|(^|\/)(?:pictures|films)\/[\w-]+\.(?:webp|svg)$|^plots$|^reference\/README\.md$/;
    const local = targets.filter((target) => !apart.test(target));
    return local.filter((target) => !existsSync(join(installed(), dirname(page), target))).map((target) => `${page}: ${target}`);
  });
  expect(dead).toEqual([]);
});

test("no folder of the building machine is in any packed file", () => {
  const folders = [homedir(), root.replace(/\/$/, "")];
  const leaks = files().filter((name) => {
    const text = readFileSync(join(installed(), name), "latin1");
    return folders.some((folder) => text.includes(`${folder}/`));
  });
  expect(leaks).toEqual([]);
});

test("publint finds nothing to say", async () => {
  const { messages, pkg } = await publint({ pkgDir: installed(), pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
});

test("every module resolution finds the types", () => {
  // Ignored: the package is ESM only, and these are files and no JavaScript.
  const files = ["wasm", "wasm/providers", "react/style.css", "package.json"];
  const args = [inject("tarball"), "--profile", "esm-only", "--exclude-entrypoints", ...files];
  execFileSync(process.execPath, [join(root, "node_modules/@arethetypeswrong/cli/dist/index.js"), ...args], { encoding: "utf8" });
});

test("the package is within its size budget, but for noise", async () => {
  expect((await measure(noise)).flatMap((row) => row.over.map((over: string) => `${row.name}: ${over}`))).toEqual([]);
  // Each part is bundled by itself, and compressed as much as it can be.
}, 300_000);
