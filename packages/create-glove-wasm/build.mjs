// Writes src/generated.js: the providers with their default models, and the versions that this repository is tested with.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const root = join(here, "..", "..");
const read = (...path) => JSON.parse(readFileSync(join(root, ...path), "utf8"));

const { version, devDependencies } = read("package.json");
const own = read("packages", "create-glove-wasm", "package.json");
if (own.version !== version)
  throw new Error(`create-glove-wasm is ${own.version}, glove-wasm ${version}: give both one version.`);

/** A chat handler asks these two forms; the models of a local server are those that are installed there. */
const providers = read("src", "providers", "table.json")
  .filter(({ format }) => format === "openai" || format === "anthropic")
  .map(({ id, name, envVar, models }) => ({ id, name, envVar, model: models[0] ?? "" }));

const tested = {
  ...devDependencies,
  ...read("tests", "packaging", "bundlers", "package.json").dependencies,
  ...read("tests", "packaging", "create", "package.json").dependencies,
};
const names = ["@vitejs/plugin-react", "next", "react", "react-dom", "tsx", "vite", "vitest", "zod"];
const types = ["@types/node", "@types/react", "@types/react-dom"];
const versions = Object.fromEntries([...names, ...types].map((name) => [name, `^${tested[name]}`]));
// Next asks TypeScript by its API, which 7 has not.
const typescript = { next: `^${tested.typescript}`, others: `^${devDependencies.typescript}` };

const text = `// Written by build.mjs.
export const version = ${JSON.stringify(version)};
export const providers = ${JSON.stringify(providers)};
export const versions = ${JSON.stringify({ "glove-wasm": `^${version}`, ...versions })};
export const typescript = ${JSON.stringify(typescript)};
`;
writeFileSync(join(here, "src", "generated.js"), text);
for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join(root, name), join(here, name));
