// Writes into a folder that is new or empty, and over nothing.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refused } from "./choices.js";

/** A repository without a file counts as empty. */
export function refuseFull(folder) {
  const there = contents(folder).filter((name) => name !== ".git");
  if (there.length === 0) return;
  throw new Refused(`${folder} is not empty (it has ${there[0]}): name a new folder, or empty this one. Nothing was written.`);
}

function contents(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    const why = error.code === "ENOTDIR" ? "is a file" : `cannot be read (${error.code})`;
    throw new Refused(`${folder} ${why}: name a new folder. Nothing was written.`);
  }
}

export function write(folder, files) {
  refuseFull(folder);
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      // A file that somebody else writes at this moment stays.
      writeFileSync(path, text, { flag: "wx" });
    } catch (error) {
      throw new Refused(
        `${path} cannot be written (${error.code}). The app in ${folder} is not whole: remove it, and start again.`,
      );
    }
  }
}
