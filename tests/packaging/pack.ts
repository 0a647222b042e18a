// The package as users get it, once for all packaging tests.
import { rmSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { installPacked } from "../support/packed.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** The packed file. */
    tarball: string;
    /** A folder whose node_modules holds the package as its users get it. */
    app: string;
  }
}

export default function pack(project: TestProject): () => void {
  const { folder, tarball, app } = installPacked();
  project.provide("tarball", tarball);
  project.provide("app", app);
  return () => rmSync(folder, { recursive: true, force: true });
}
