// What the doctor reads of an app: its package.json, its own source files, and its settings.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

/** What is made, and what others wrote. */
const skipped = /^(node_modules|dist|build|out|coverage|\..*)$/;
const source = /\.(ts|tsx|mts|js|jsx|mjs|cjs|cts|html|vue|svelte)$/;
const tooMany = 5_000;
const tooLarge = 1_000_000;

export function readApp(folder, env) {
  const root = resolve(folder);
  const names = entriesOf(root).map(({ name }) => name);
  const files = [];
  collect(root, "", files);
  const environment = {};
  for (const name of names.filter((each) => /^\.env(\.|$)/.test(each) && !/\.(example|sample|template)$/.test(each))) {
    for (const [key, value] of Object.entries(variables(read(join(root, name)) ?? ""))) environment[key] = { value, file: name };
  }
  return {
    root,
    manifest: json(join(root, "package.json")),
    files,
    /** What stands in its `.env` files, by name. */
    environment,
    /** A variable as its server would find it. */
    variable: (name) => env[name] || environment[name]?.value || undefined,
  };
}

/** The names and texts of all source files. */
function collect(root, below, files) {
  for (const entry of entriesOf(join(root, below))) {
    if (files.length >= tooMany) return;
    const name = below ? `${below}/${entry.name}` : entry.name;
    if (entry.isDirectory()) {
      if (!skipped.test(entry.name)) collect(root, name, files);
    } else if (entry.isFile() && source.test(entry.name) && !/\.d\.[cm]?ts$/.test(entry.name)) {
      const size = statSync(join(root, name), { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY;
      const text = size <= tooLarge ? read(join(root, name)) : undefined;
      if (text !== undefined) files.push({ name, text });
    }
  }
}

/** Nothing of a folder that may not be read. */
function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

export function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

export function json(path) {
  try {
    return JSON.parse(read(path) ?? "");
  } catch {
    return undefined;
  }
}

function variables(text) {
  const lines = text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=[^\S\n]*(.*)$/gm);
  return Object.fromEntries(
    [...lines].map(([, name, value]) => [
      name,
      value
        .replace(/\s+#.*$/, "")
        .replace(/^(["'])(.*)\1\s*$/, "$2")
        .trim(),
    ]),
  );
}
