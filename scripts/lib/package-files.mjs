// What of pkg/ is packed, and in which form.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inRoot } from "./project.mjs";

const pkg = inRoot("pkg");
const files = () =>
  readdirSync(pkg, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => statSync(join(pkg, name)).isFile());

/** Takes the comments out of the code: what they say is in the types and in the sources. */
export async function withoutComments() {
  const { transform } = await import("esbuild");
  for (const name of files()) {
    if (!name.endsWith(".js") || name.includes("/generated/")) continue;
    const text = readFileSync(join(pkg, name), "utf8");
    const { code } = await transform(text, { target: "esnext", charset: "utf8", legalComments: "inline" });
    if (code !== text) writeFileSync(join(pkg, name), code);
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
