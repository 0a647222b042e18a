// What only these tests need, as the bundlers: installed once for all clones, so that nobody else waits for it.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fingerprint, inRoot, userCache } from "../../scripts/lib/project.mjs";

const files = ["package.json", "package-lock.json", ".npmrc"];

/** A folder whose node_modules holds the bundlers. What lies below finds them as an application finds what it has installed. */
export function bundlers(): string {
  return installed("bundlers");
}

/** The same with what a folder beside this file names. */
export function installed(name: "bundlers" | "glove" | "create"): string {
  const source = inRoot("tests", "packaging", name);
  const folder = join(userCache(), `${name}-${fingerprint({ files: files.map((name) => join(source, name)) })}`);
  if (existsSync(folder)) return folder;
  const begun = `${folder}.${process.pid}`;
  mkdirSync(begun, { recursive: true });
  for (const name of files) copyFileSync(join(source, name), join(begun, name));
  const install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", install, { cwd: begun, encoding: "utf8", shell: process.platform === "win32" });
  try {
    renameSync(begun, folder); // As the last thing, so that a broken-off installation is never used.
  } catch (error) {
    rmSync(begun, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // Otherwise another clone was faster.
  }
  return folder;
}
