// The version of the project: where it stands, how two are compared, and what the changelog says of one.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const json = /^( {2,6}"version": ")([^"]+)(?=")/gm;
const ofExample = /("glove-wasm": "\^)([^"]+)(?=")/g;

const examples = [
  "coding-agent",
  "data-analyst",
  "form-filler",
  "html",
  "mcp-host",
  "multi-user-postgres",
  "next",
  "offline-pwa",
  "solid",
  "support-desk",
  "svelte",
  "todo-with-undo",
  "travel-planner",
  "vite",
  "vue",
];

/** Each file, what the version stands between there, and how often it does. A crate that is locked is told by its name. */
export const places = [
  { file: "package.json", pattern: json, times: 1 },
  { file: "package-lock.json", pattern: /("name": "glove-wasm",\n +"version": ")([^"]+)(?=")/g, times: 2 },
  { file: "packages/create-glove-wasm/package.json", pattern: json, times: 1 },
  ...examples.map((name) => ({ file: `examples/${name}/package.json`, pattern: ofExample, times: 1 })),
  { file: "Cargo.toml", pattern: /^((?:glove-wasm[\w-]* = \{ )?version = ")([^"]+)(?=")/gm },
  ...["Cargo.lock", "fuzz/Cargo.lock"].map((file) => ({
    file,
    // Those of tests and of fuzzing are 0.0.0 for ever.
    pattern: /(name = "glove-wasm[\w-]*"\nversion = ")((?!0\.0\.0")[^"]+)(?=")/g,
  })),
  { file: "js/mcp/connection/client-info.ts", pattern: /(version: ")([^"]+)(?=")/g, times: 1 },
  { file: "README.md", pattern: /(glove-wasm-)(\d+\.\d+\.\d+[\w.-]*)(?=\.tgz)/g, times: 1 },
];

/** What a version left in each database, for the tests of all later ones. */
export const databasesOf = (version) =>
  ["postgresql", "redis", "sqlite"].map((name) => `tests/fixtures/databases/${name}-${version}.txt`);

/** The versions that the files of this folder say, each with its file. */
export function versionsIn(folder) {
  return places.flatMap(({ file, pattern, times }) => {
    const found = [...readFileSync(join(folder, file), "utf8").matchAll(pattern)].map(([, , version]) => ({ file, version }));
    if (times ? found.length !== times : found.length === 0) {
      throw new Error(`${file} has the version in ${found.length} places, and not in ${times ?? "one or more"}`);
    }
    return found;
  });
}

/** The text of such a file with another version. */
export function withVersion(file, text, version) {
  const here = places.filter((place) => place.file === file);
  return here.reduce((all, { pattern }) => all.replace(pattern, (_, before) => before + version), text);
}

const form =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?$/;

export const isVersion = (text) => form.test(text);

/** More than zero where the first is the newer one, as Semantic Versioning orders them. */
export function compareVersions(one, other) {
  const [a, b] = [one, other].map((version) => form.exec(version).slice(1));
  for (const at of [0, 1, 2]) if (a[at] !== b[at]) return Number(a[at]) - Number(b[at]);
  if (!a[3] || !b[3]) return Number(!a[3]) - Number(!b[3]);
  const [left, right] = [a[3].split("."), b[3].split(".")];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = compareParts(left[at], right[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** A shorter list comes first, and a number before a word. */
function compareParts(a, b) {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  const [x, y] = [a, b].map((part) => /^\d+$/.test(part));
  if (x && y) return Number(a) - Number(b);
  if (x !== y) return x ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

/** What the changelog says below this heading (a version, or "Unreleased"), or undefined where it has no such heading. */
export function changesOf(changelog, heading) {
  const parts = changelog.split(/^## /m).slice(1);
  const found = parts.find((part) => part.split(/[ \n]/, 1)[0] === heading);
  return found?.slice(found.indexOf("\n") + 1).trim();
}

/** The changelog with a head for this version; what was unreleased is below it. */
export const released = (changelog, version, day) =>
  changelog.replace(/^## Unreleased$/m, () => `## Unreleased\n\n## ${version} - ${day}`);
