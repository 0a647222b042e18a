// The public items of the crates that are published, by name and kind, as rustdoc lists them. What their signatures are only an
// unstable form of rustdoc says.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { byCode } from "./declarations.mjs";
import { inRoot } from "./project.mjs";
import { output } from "./run.mjs";

const snapshot = inRoot("tests", "fixtures", "api-rust");

/** The list of each published crate with a library. Rustdoc has run before. */
function rustItems() {
  const args = ["metadata", "--format-version", "1", "--no-deps", "--locked"];
  const { packages, target_directory } = JSON.parse(output("cargo", args));
  const lists = new Map();
  for (const { name, publish, targets } of packages) {
    const library = targets.find(({ kind }) => kind.some((one) => /^(lib|proc-macro)$/.test(one)));
    // An empty list of registries is `publish = false`.
    if (!library || publish?.length === 0) continue;
    const page = readFileSync(join(target_directory, "doc", library.name.replaceAll("-", "_"), "all.html"), "utf8");
    const items = [...page.matchAll(/<a href="(?:[\w/]+\/)?(\w+)\.[^"]+\.html">([^<]+)<\/a>/g)].map(
      ([, kind, path]) => `${kind} ${path}`,
    );
    lists.set(name, `${items.sort(byCode).join("\n")}\n`);
  }
  return lists;
}

/** Fails where an item came or went that the snapshot does not say. */
export function checkRustItems() {
  for (const [name, now] of rustItems()) {
    const file = join(snapshot, `${name}.txt`);
    const before = existsSync(file) ? readFileSync(file, "utf8") : "";
    if (now === before) continue;
    const [gone, added] = [without(before, now), without(now, before)];
    throw new Error(
      `the public items of ${name} have changed:\n${[...gone.map((item) => `    - ${item}`), ...added.map((item) => `    + ${item}`)].join("\n")}\n` +
        "  If that is meant, run `npm run reference -- --write`, read the diff of tests/fixtures/api-rust, and see docs/versions.md.",
    );
  }
}

export function writeRustItems() {
  rmSync(snapshot, { recursive: true, force: true });
  mkdirSync(snapshot, { recursive: true });
  for (const [name, text] of rustItems()) writeFileSync(join(snapshot, `${name}.txt`), text);
}

const without = (one, other) => one.split("\n").filter((line) => line && !other.split("\n").includes(line));
