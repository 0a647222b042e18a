// The guides that begin with an empty folder: their files as they are printed, built by Vite.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build, type Plugin } from "vite";
import { root } from "./project.js";

const require = createRequire(join(root, "package.json"));

/** What stands in for the installed package. */
export const built: Plugin = {
  name: "built-package",
  enforce: "pre",
  resolveId: (name) => (/^glove-wasm(\/|$)/.test(name) ? require.resolve(name) : undefined),
};

/** The files that a guide names, by their paths. */
export function filesOf(guide: string): [file: string, code: string][] {
  const text = readFileSync(join(root, guide), "utf8");
  return [...text.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, file = "", code = ""]) => [file, code]);
}

/** Writes the files of "Start with Vue", Svelte or Solid into a folder inside the project, builds them, and gives where they are served from. */
export async function buildGuide(name: string, folder: string): Promise<string> {
  for (const [file, code] of filesOf(`docs/guides/start-with-${name}.md`)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
  await build({ root: folder, logLevel: "error", plugins: [built] });
  return join(folder, "dist");
}
