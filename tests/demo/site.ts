// The demo as somebody would have it who copied its folder and installed the package: built once for all its tests.
import { cpSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import type { TestProject } from "vitest/node";
import { installPacked } from "../support/packed.js";
import { root } from "../support/project.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** A folder with the built demo. */
    site: string;
  }
}

export async function setup(project: TestProject): Promise<() => void> {
  const { folder, app } = installPacked();
  cpSync(join(root, "demo"), join(app, "demo"), { recursive: true });
  for (const name of ["react", "react-dom", "vite", "zod"]) {
    symlinkSync(join(root, "node_modules", name), join(app, "node_modules", name), "junction");
  }
  const outDir = join(folder, "site");
  // As it is published: vitest's own setting would make it a build for development, which is several times slower.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  await build({ configFile: join(app, "demo", "vite.config.ts"), logLevel: "error", build: { outDir } });
  process.env.NODE_ENV = NODE_ENV;
  project.provide("site", outDir);
  return () => rmSync(folder, { recursive: true, force: true });
}
