// What of pkg/ is packed, and in which form.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAst } from "vite";
import { walk } from "./module-state.mjs";
import { inRoot } from "./project.mjs";

const pkg = inRoot("pkg");
const files = () =>
  readdirSync(pkg, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => statSync(join(pkg, name)).isFile());

/** With a tab in the place of each step to the right: a tenth of the code is space. What stands in a template stays. */
function indented(text, step, lang = "js") {
  const templates = [];
  walk(parseAst(text, { lang }).body, ({ type, start, end }) => type === "TemplateElement" && templates.push([start, end]));
  const space = new RegExp(`^(${step})+`, "gm");
  return text.replace(space, (found, _, at) =>
    templates.some(([start, end]) => start < at && at <= end) ? found : "\t".repeat(found.length / step.length),
  );
}

/**
 * Takes the comments out of the code: what they say is in the types and in the sources; and the space where a file is loaded `later`, of which
 * no bundler leaves anything out, so that it needs no marks for that. Names and lines stay, for traces.
 */
export async function withoutComments(later) {
  const { transform } = await import("esbuild");
  for (const name of files()) {
    if (!name.endsWith(".js") || name.includes("/generated/")) continue;
    const text = readFileSync(join(pkg, name), "utf8");
    const options = { target: "esnext", charset: "utf8", legalComments: "inline" };
    // What carries a file as a text stays as it is: a long text would be broken too.
    const isSmall = later.has(name) && !/.{20000}/.test(text);
    const { code: written } = await transform(text, isSmall ? { ...options, minifyWhitespace: true, lineLimit: 120 } : options);
    const code = isSmall ? written : indented(written, "  ");
    if (code !== text) writeFileSync(join(pkg, name), code);
  }
}

/** The same for types, as the compiler writes them. */
export function withTabs() {
  for (const name of packedFiles()) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(pkg, name);
    writeFileSync(file, indented(readFileSync(file, "utf8"), "    ", "dts"));
  }
}

/** The files that package.json names. */
export function entryFiles() {
  const { exports } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  const entries = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry)));
  return new Set(entries.filter((entry) => entry.startsWith("./pkg/")).map((entry) => entry.slice("./pkg/".length)));
}

/** The files that an entry leads to. */
export function packedFiles() {
  const reached = new Set();
  const todo = [...entryFiles()];
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (reached.has(name) || !existsSync(join(pkg, name))) continue;
    reached.add(name);
    if (/\.(js|css)$/.test(name) || name.endsWith(".d.ts")) todo.push(...named(name));
  }
  return [...reached];
}

/** Leaves out of the package what no entry leads to: types of what has none outside, and a wasm file that travels as a text alone. */
export function leaveOut() {
  const packed = new Set(packedFiles());
  const others = files().filter((name) => !packed.has(name) && name !== ".npmignore");
  writeFileSync(join(pkg, ".npmignore"), others.map((name) => `/${name}\n`).join(""));
}

/** The files that one names, as code and as types. */
function named(name) {
  const text = readFileSync(join(pkg, name), "utf8");
  const names = [...text.matchAll(/(?:\bfrom|\bimport|\bURL\()[\s(]*["'](\.[^"'?]+)/g)].map(([, path]) =>
    join(dirname(name), path),
  );
  const slashed = names.map((path) => path.replaceAll("\\", "/"));
  return name.endsWith(".d.ts") ? slashed.map((path) => path.replace(/\.js$/, ".d.ts")) : slashed;
}
