// The workflows of the forge run what anybody can run: each command of theirs is there, and takes what it is given.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/project.js";

const folder = join(root, ".github", "workflows");
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("every script that a workflow runs is there, and every part of the tests has that name", () => {
  const { scripts, engines } = JSON.parse(read("package.json")) as { scripts: Record<string, string>; engines: { node: string } };
  const parts = [...read("scripts/test.mjs").matchAll(/^ {2}(\w+): \{ run: /gm)].map(([, name]) => name);
  expect(parts).toContain("rust");
  let commands = 0;
  for (const { name, text } of workflows) {
    for (const [, script = ""] of text.matchAll(/npm run ([\w:-]+)/g)) expect(scripts, name).toHaveProperty([script]);
    for (const [, file = ""] of text.matchAll(/(?:node |run: )(scripts\/[\w.-]+|\.ci\/run)/g)) {
      expect(existsSync(join(root, file)), `${name}: ${file}`).toBe(true);
    }
    for (const [, given = ""] of text.matchAll(/npm test -- (.+)/g)) {
      const [, list] = /matrix: \{ part: \[([^\]]+)\]/.exec(text) ?? [];
      const named = given.includes("matrix.part") ? list?.split(", ") : given.split(" ");
      expect(
        named?.filter((part) => !parts.includes(part)),
        name,
      ).toEqual([]);
      commands += 1;
    }
    for (const [, version = ""] of text.matchAll(/node-version: (\d+)/g)) expect(Number(version)).toBeGreaterThanOrEqual(20);
  }
  expect(commands).toBeGreaterThan(2);
  // The oldest one is among those that are tested.
  expect(workflows.map(({ text }) => text).join()).toContain(`node: [${/\d+/.exec(engines.node)?.[0]}, 22, 24]`);
});

test("no workflow may do more than read, but for the jobs that publish", () => {
  const publishing: Record<string, string[]> = { "release.yml": ["id-token", "contents"], "site.yml": ["pages", "id-token"] };
  for (const { name, text } of workflows) {
    expect(text, name).toMatch(/^permissions: \{ contents: read \}$/m);
    const more = [...text.matchAll(/([\w-]+): write/g)].map(([, what]) => what);
    expect(more, name).toEqual(publishing[name] ?? []);
    // What others may send must not reach a secret, nor be read as a command.
    expect(text, name).not.toMatch(/pull_request_target|run: .*\$\{\{ (github\.event|github\.head_ref)/);
  }
});

test("what begins in a fresh clone imports no package before set-up has installed it", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const begun = Object.values(scripts).flatMap((command) => /^node (scripts\/[\w-]+\.mjs)/.exec(command)?.[1] ?? []);
  expect(begun).toContain("scripts/check.mjs");
  const from = new Map(begun.map((file) => [file, file]));
  const packages: string[] = [];
  for (const [file, command] of from) {
    for (const [, name = ""] of read(file).matchAll(/^(?:import|export) (?:[^"`;]*? from )?"([^"]+)";$/gm)) {
      if (name.startsWith(".")) from.set(relative(root, join(root, dirname(file), name)), command);
      else if (!name.startsWith("node:")) packages.push(`${file} imports ${name}, and ${command} begins with it`);
    }
  }
  expect(packages).toEqual([]);
});
