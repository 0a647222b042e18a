// Where the repository is, and the version it says it has.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export const packageVersion: string = JSON.parse(readFileSync(`${root}/package.json`, "utf8")).version;
