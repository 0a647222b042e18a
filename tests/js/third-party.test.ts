// The notices that are shipped: each crate of the wasm files is among them, in the version that is locked. `npm run check` compares all.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundled, chosen, page } from "../../scripts/lib/third-party.mjs";
import { root } from "../support/project.js";

const read = (file: string) => readFileSync(join(root, file), "utf8");

test("every crate that may be in a wasm file is named with its version and its licence", () => {
  const text = read("THIRD-PARTY.md");
  const names = read("wasm-dependencies.txt")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    const versions = [...read("Cargo.lock").matchAll(new RegExp(`name = "${name}"\\nversion = "([^"]+)"`, "g"))].map(
      ([, version]) => version,
    );
    const [, listed] = new RegExp(`^\\| ${name} \\| (\\S+) \\| \\S`, "m").exec(text) ?? [];
    expect(versions, name).toContain(listed);
  }
  expect(read("crates/glove/THIRD-PARTY.md")).toMatch(/^\| ring \| [\d.]+ \| Apache-2\.0 AND ISC \|$/m);
});

test("npm packages whose code is carried are found by bundling, and named", async () => {
  const names = (await bundled()).map(({ name }) => name).sort();
  expect(names).toEqual(["@jitl/quickjs-ffi-types", "@jitl/quickjs-ng-wasmfile-release-sync", "quickjs-emscripten-core"]);
  for (const name of names) expect(read("THIRD-PARTY.md")).toContain(`| ${name} | `);
});

test("of licences to choose from one is taken, and of those that hold together all", () => {
  expect(chosen("MIT OR Apache-2.0")).toEqual(["MIT"]);
  expect(chosen("Unlicense/MIT")).toEqual(["MIT"]);
  expect(chosen("Apache-2.0 AND ISC")).toEqual(["Apache-2.0", "ISC"]);
  expect(chosen("(MIT OR Apache-2.0) AND Unicode-3.0")).toEqual(["MIT", "Unicode-3.0"]);
  expect(chosen("Apache-2.0 WITH LLVM-exception")).toEqual(["Apache-2.0 WITH LLVM-exception"]);
  expect(() => chosen("GPL-3.0-only")).toThrow("no licence of");
  expect(() => chosen("(MIT AND ISC) OR Apache-2.0")).toThrow("has to be read by hand");
});

test("a notice is kept whole, and one that is missing is an error", () => {
  const part = (name: string, licence: string, texts: string[]) => ({
    name,
    version: "1.0.0",
    licence,
    chosen: chosen(licence),
    texts,
    authors: [],
  });
  const mit = read("LICENSE-MIT").replace(/Copyright .*/, "Copyright (c) 2020 Somebody\nCopyright (c) 2021 Somebody Else");
  const text = page("# Head", [
    part("b", "ISC", ["An ISC text of b."]),
    part("a", "MIT", [mit]),
    part("c", "ISC", ["An ISC text of b."]),
  ]);
  expect(text).toContain("a 1.0.0: (c) 2020 Somebody; (c) 2021 Somebody Else");
  expect(text).toContain("## b 1.0.0, c 1.0.0\n\n```text\nAn ISC text of b.\n```");
  expect(text.match(/Permission is hereby granted/g)).toHaveLength(1);
  expect(() => page("# Head", [part("d", "ISC", [])])).toThrow("d 1.0.0 has no text of its licence (ISC)");
});
