// The site, built once for all of its tests.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { site } from "../../scripts/site.mjs";

declare module "vitest" {
  export interface ProvidedContext {
    /** A folder with the built site of the docs. */
    docsSite: string;
  }
}

export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "glove-site-"));
  await site(folder);
  project.provide("docsSite", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
