// Every code that this package gives to an error is in the documentation.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../support/project.js";

test("the documentation lists every code", () => {
  const folder = `${root}/js`;
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  const codes = files
    .filter((name) => !name.includes("generated") && !name.endsWith("providers.ts"))
    .flatMap((name) => readFileSync(`${folder}/${name}`, "utf8").match(/"[A-Z]+_[A-Z_]+"/g) ?? []);
  const documented = readFileSync(`${root}/docs/errors.md`, "utf8");
  expect(codes.length).toBeGreaterThan(20);
  expect([...new Set(codes)].filter((code) => !documented.includes(`\`${code.slice(1, -1)}\``))).toEqual([]);
});
