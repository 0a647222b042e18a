// Packs the package as npm publishes it and installs it into an empty application, once for all packaging tests.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { root } from "../support/project.js";
import { bundlers, npm } from "./bundlers.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** The packed file. */
    tarball: string;
    /** A folder whose node_modules holds the package as its users get it, and nothing else. */
    app: string;
    /** A folder for applications below it: they find the package, React, zod and the bundlers. */
    projects: string;
  }
}

export default function pack(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "glove-wasm-pack-"));
  const app = join(folder, "app");
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  const packed = JSON.parse(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], root));
  const tarball = join(folder, packed[0].filename);
  npm(["install", "--offline", "--no-audit", "--no-fund", "--no-package-lock", tarball], app);
  const projects = mkdtempSync(join(bundlers(), "run-"));
  cpSync(join(app, "node_modules"), join(projects, "node_modules"), { recursive: true });
  project.provide("tarball", tarball);
  project.provide("app", app);
  project.provide("projects", projects);
  return () => {
    for (const made of [folder, projects]) rmSync(made, { recursive: true, force: true });
  };
}
