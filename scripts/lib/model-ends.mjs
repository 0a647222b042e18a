// Which models that this repository names are gone, or end soon: those of the table of providers, and those of texts for users.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { inRoot, root } from "./project.mjs";

/** How long before its last day a model is told of. */
export const noticeDays = 60;

const dayMs = 86_400_000;

/** The rows of the table of providers. */
export const providerRows = () => JSON.parse(readFileSync(inRoot("src", "providers", "table.json"), "utf8"));

/** A line for each place that names a model whose last day is near or over. `texts` has a name and a text each. */
export function endings(rows, texts, today) {
  const found = [];
  const ends = new Map(rows.flatMap((row) => Object.entries(row.ends ?? {})));
  const say = (where, model) => {
    const days = Math.floor((Date.parse(ends.get(model)) - Date.parse(today)) / dayMs);
    if (days > noticeDays) return;
    const when = days < 0 ? `ended on ${ends.get(model)}` : `ends on ${ends.get(model)}, in ${days} days`;
    found.push(`${where}: ${model} ${when}`);
  };
  for (const { id, models } of rows) {
    for (const model of models) if (ends.has(model)) say(`the table, ${id}`, model);
  }
  for (const { name, text } of texts) {
    // With its maker or its provider in front, or alone.
    const words = (text.match(/[\w.:/-]*\w/g) ?? []).flatMap((word) => [word, word.replace(/^.*[:/]/, "")]);
    for (const model of new Set(words)) if (ends.has(model)) say(name, model);
  }
  return found;
}

/** What users read and copy: guides, examples, the demo, and the words of the program. */
export function userTexts() {
  const texts = [];
  const add = (path) => {
    if (!statSync(path).isDirectory()) {
      return texts.push({ name: relative(root, path), text: readFileSync(path, "utf8") });
    }
    for (const entry of readdirSync(path)) {
      if (entry === "node_modules" || entry === "dist" || entry === "target" || entry.startsWith(".")) continue;
      const inner = join(path, entry);
      if (statSync(inner).isDirectory() || /\.(md|txt|tsx?|[mc]?js|rs|html|json|toml)$/.test(entry)) add(inner);
    }
  };
  for (const path of ["README.md", "llms.txt", "docs", "demo", "examples", "crates/glove/src", "packages/create-glove-wasm"])
    add(inRoot(path));
  return texts;
}
