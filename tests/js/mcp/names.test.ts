// The names of tools: those that every provider takes, told apart whatever servers call theirs.
import { expect, test } from "vitest";
import { fingerprintOf } from "../../../js/mcp/tools/fingerprint.js";
import { namesOf } from "../../../js/mcp/tools/names.js";

const names = (...tools: string[]) => [...namesOf("docs", tools).values()];

test("a plain name stays as it is, behind the server's", () => {
  expect(names("search", "read.file", "a-b_c")).toEqual(["docs__search", "docs__read.file", "docs__a-b_c"]);
});

test("names that differ by case, by letters that no provider takes, or far behind, differ still", () => {
  const long = "x".repeat(100);
  const all = names("Search", "search", "read file", "read/file", "read_file", `${long}1`, `${long}2`, "é", "ü");
  expect(new Set(all.map((name) => name.toLowerCase())).size).toBe(all.length);
  for (const name of all) expect(name).toMatch(/^docs__[A-Za-z0-9_.-]{1,58}$/);
});

test("the same tools have the same names in any order, over a thousand lists", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const letters = "aAbB_-. /é中";
  for (let list = 0; list < 1_000; list++) {
    const word = () => Array.from({ length: 1 + random(6) }, () => letters[random(letters.length)]).join("");
    const tools = [...new Set(Array.from({ length: 1 + random(8) }, word))];
    const there = namesOf("docs", tools);
    const turned = namesOf("docs", [...tools].reverse());
    for (const tool of tools) expect(turned.get(tool)).toBe(there.get(tool));
    expect(new Set([...there.values()].map((name) => name.toLowerCase())).size).toBe(tools.length);
  }
});

test("a fingerprint changes with what is said, and not with its order", async () => {
  const tool = { name: "a", description: "d", inputSchema: { type: "object", properties: { b: {}, a: {} } } };
  const turned = { inputSchema: { properties: { a: {}, b: {} }, type: "object" }, description: "d", name: "other", icons: [] };
  const print = await fingerprintOf(tool);
  expect(print).toMatch(/^[0-9a-f]{64}$/);
  expect(await fingerprintOf(turned)).toBe(print);
  for (const change of [
    { description: "D" },
    { inputSchema: { type: "object" } },
    { annotations: { readOnlyHint: true } },
    { title: "T" },
    { outputSchema: {} },
  ])
    expect(await fingerprintOf({ ...tool, ...change })).not.toBe(print);
});
