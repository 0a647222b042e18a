// Packs the package as npm publishes it and installs it into an empty application, once for all packaging tests.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { root } from "../support/project.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** The packed file. */
    tarball: string;
    /** A folder whose node_modules holds the package as its users get it. */
    app: string;
  }
}

export default function pack(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "glove-wasm-pack-"));
  const app = join(folder, "app");
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  const npm = (args: string[], cwd: string) =>
    execFileSync("npm", args, { cwd, encoding: "utf8", shell: process.platform === "win32" });
  const packed = JSON.parse(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], root));
  const tarball = join(folder, packed[0].filename);
  npm(["install", "--offline", "--no-audit", "--no-fund", "--no-package-lock", tarball], app);
  project.provide("tarball", tarball);
  project.provide("app", app);
  return () => rmSync(folder, { recursive: true, force: true });
}
