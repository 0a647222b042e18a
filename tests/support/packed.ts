// Packs the package as npm publishes it, and installs it into an empty application.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./project.js";

export interface Packed {
  /** Holds all of it; to be removed in the end. */
  readonly folder: string;
  /** The packed file. */
  readonly tarball: string;
  /** A folder whose node_modules holds the package. */
  readonly app: string;
}

export function installPacked(): Packed {
  const folder = mkdtempSync(join(tmpdir(), "glove-wasm-pack-"));
  const app = join(folder, "app");
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  const npm = (args: string[], cwd: string) =>
    execFileSync("npm", args, { cwd, encoding: "utf8", shell: process.platform === "win32" });
  const packed = JSON.parse(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], root));
  const tarball = join(folder, packed[0].filename);
  npm(["install", "--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock", tarball], app);
  return { folder, tarball, app };
}
