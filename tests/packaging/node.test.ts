// The packed package in Node, without a bundler.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { packageVersion } from "../support/project.js";
import { makeApp, sandboxed } from "./app.js";

function node(code: string): string {
  const folder = makeApp("node", { "main.js": code });
  return execFileSync(process.execPath, ["main.js"], { cwd: folder, encoding: "utf8" }).trim();
}

test("Node imports the default entry", () => {
  expect(node(`import { version } from "glove-wasm"; console.log(version());`)).toBe(packageVersion);
});

test("Node runs sandboxed code", () => {
  expect(node(`${sandboxed} console.log(await answer);`)).toBe(packageVersion);
});

test("Node starts the slim entry from the bytes that ./wasm names", () => {
  const code = `
    import { readFileSync } from "node:fs";
    import { initSync, version } from "glove-wasm/slim";
    initSync(readFileSync(new URL(import.meta.resolve("glove-wasm/wasm"))));
    console.log(version());`;
  expect(node(code)).toBe(packageVersion);
});
