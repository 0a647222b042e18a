// What the entries of the package export, name by name and type by type, changes only where somebody meant it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { publicApi, snapshot } from "../../scripts/lib/public-api.mjs";

const remedy =
  "The public API has changed. If that is not meant, take it back. If it is, run `npm run api`, read the diff of tests/fixtures/api, write " +
  "a line into CHANGELOG.md, and see docs/versions.md for the version that it needs: what is gone or narrower breaks users.";

test("the declarations of every entry are those of the snapshot", { timeout: 120_000 }, () => {
  const now = publicApi();
  expect(now.size).toBeGreaterThan(10);
  expect([...now.keys()].sort(), remedy).toEqual(readdirSync(snapshot).sort());
  for (const [name, text] of now) {
    const before = readFileSync(join(snapshot, name), "utf8");
    const [gone, added] = [lines(before, text), lines(text, before)];
    const told = [...gone.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
    expect(text === before, `${remedy}\n${name}:\n${told.slice(0, 40).join("\n")}`).toBe(true);
  }
  // It is the API, and not an empty list that is like an empty list.
  expect(now.get("glove-wasm.txt")).toContain("function defineTool<");
  expect(now.get("glove-wasm.txt")).toContain("class GloveClient");
  expect(now.get("react.txt")).toContain("function useGlove");
});

/** Lines of one text that another has not. */
function lines(one: string, other: string): string[] {
  const there = new Set(other.split("\n"));
  return one.split("\n").filter((line) => !there.has(line));
}
