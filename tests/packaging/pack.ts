// The package as users get it, once for all packaging tests.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { installPacked } from "../support/packed.js";
import { bundlers } from "./bundlers.js";

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
  const { folder, tarball, app } = installPacked();
  const projects = mkdtempSync(join(bundlers(), "run-"));
  cpSync(join(app, "node_modules"), join(projects, "node_modules"), { recursive: true });
  project.provide("tarball", tarball);
  project.provide("app", app);
  project.provide("projects", projects);
  return () => {
    for (const made of [folder, projects]) rmSync(made, { recursive: true, force: true });
  };
}
