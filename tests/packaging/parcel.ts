// Parcel 2, with what README.md says that it needs.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Builds `index.html` into `dist/`, and gives what Parcel said. */
export function parcel(folder: string): string {
  // Parcel takes the folder that has these for the project. There are no settings in it.
  writeFileSync(join(folder, "package.json"), "{}");
  writeFileSync(join(folder, "package-lock.json"), "{}");
  // Parcel and zod do not get along otherwise.
  const tools = join(folder, "src", "tools.tsx");
  writeFileSync(tools, readFileSync(tools, "utf8").replace(`import { z } from "zod"`, `import * as z from "zod"`));
  const command = join(dirname(createRequire(join(folder, "index.js")).resolve("parcel")), "bin.js");
  const args = [command, "build", "index.html", "--no-cache", "--no-source-maps", "--log-level", "warn"];
  return execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: { ...process.env, NODE_ENV: "production" } });
}
