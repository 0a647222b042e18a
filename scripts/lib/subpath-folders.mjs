// Real folders for the package's sub-paths, as `react/package.json`: for bundlers and tools that do not read `exports` (Parcel
// with its defaults, older resolvers).
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { inRoot } from "./project.mjs";

/** The sub-paths that get one; `.gitignore` and `files` in package.json name them too. */
export const subPaths = ["react", "server", "slim", "tasks", "testing"];

export function writeFolders() {
  const { exports } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  for (const name of subPaths) {
    const { types, default: code } = exports[`./${name}`];
    const from = (file) => file.replace("./", "../");
    rmSync(inRoot(name), { recursive: true, force: true });
    mkdirSync(inRoot(name));
    const manifest = { type: "module", main: from(code), module: from(code), types: from(types), sideEffects: ["**/*.css"] };
    writeFileSync(inRoot(name, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  }
  writeFileSync(inRoot("react", "style.css"), `@import "../pkg/react/style.css";\n`);
}
