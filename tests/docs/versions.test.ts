// docs/versions.md says the numbers of stored forms that the source has, and names fixtures that tests open.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrations } from "../../js/src/store/indexeddb/versions.js";
import { databasesOf } from "../../scripts/lib/versions.mjs";
import { root } from "../support/project.js";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const page = read("docs/versions.md");
const rows = [...page.matchAll(/^\| ([\w ()]+) \| (\d+) \| (.*) \|$/gm)].map(([, form = "", number, tests = ""]) => ({
  form,
  number: Number(number),
  fixtures: [...tests.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
}));
const numberIn = (file: string) => Number(/const VERSION: \w+ = (\d+);/.exec(read(file))?.[1]);

test("the numbers of stored forms are those of the source", () => {
  expect(Object.fromEntries(rows.map(({ form, number }) => [form, number]))).toEqual({
    "Database in a browser (IndexedDB)": migrations.length,
    "State of a run": numberIn("src/run/checkpoint.rs"),
    "Exported session": numberIn("src/store/transcript.rs"),
    "Recorded run": numberIn("src/run/replay.rs"),
    "Exported task": numberIn("crates/task/src/export.rs"),
    SQLite: numberIn("crates/sqlite/src/schema.rs"),
    PostgreSQL: numberIn("crates/postgres/src/schema.rs"),
    Redis: numberIn("crates/redis/src/database.rs"),
  });
});

test("each form has a fixture, and a test opens it", () => {
  const tests = [
    "tests/e2e/session-list.test.ts",
    "tests/it/machine/stored_form.rs",
    "tests/js/recording.test.ts",
    "tests/it/native_sqlite/transfer.rs",
    "tests/it/task/imports.rs",
    "tests/it/stored_databases/mod.rs",
  ];
  const code = tests.map(read).join("\n");
  for (const { form, fixtures } of rows) {
    expect(fixtures.length, form).toBeGreaterThan(0);
    for (const file of fixtures) {
      expect(existsSync(join(root, file)), file).toBe(true);
      // Those of a run are named by their number, and those of databases by the version that wrote them.
      const [name = "", folder = ""] = file
        .replace(/run-v\d+/, "run-v{version}")
        .replace(/databases\/\w+-\d+\.\d+\.\d+/, "fixtures/databases/{database}-{}")
        .split("/")
        .reverse();
      expect(
        [name, folder].filter((part) => !code.includes(part)),
        file,
      ).toEqual([]);
    }
  }
  const runs = rows.find(({ form }) => form === "State of a run");
  expect(runs?.fixtures).toEqual(Array.from({ length: runs?.number ?? 0 }, (_, at) => `tests/fixtures/run-v${at + 1}.json`));
});

test("each released version has left a database of each kind for the tests", () => {
  const versions = [...read("CHANGELOG.md").matchAll(/^## (\d\S*)/gm)].map(([, version = ""]) => version);
  expect(versions.flatMap(databasesOf).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("the oldest Node, React and Rust are those of the manifests", () => {
  const { engines, peerDependencies } = JSON.parse(read("package.json"));
  const oldest = [engines.node, peerDependencies.react].map((range: string) => range.replace(/>=|\.0$/g, ""));
  const [, rust] = /^rust-version = "(.*)"/m.exec(read("Cargo.toml")) ?? [];
  expect(page).toContain(`Node ${oldest[0]}, React ${oldest[1]} and Rust ${rust}, or newer`);
});
