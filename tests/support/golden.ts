// Where the golden sessions are.
import { readdirSync } from "node:fs";
import { root } from "./project.js";

export const goldenFolder = `${root}/tests/fixtures/golden`;

export const goldenNames: readonly string[] = readdirSync(goldenFolder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -".json".length));
