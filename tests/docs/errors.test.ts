// docs/errors.md lists the codes that the source holds: all of them, and no others.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/project.js";

const area =
  "CLIENT|COMMAND|COMPACTION|CONFIG|CORE|DISPLAY|HOOK|LISTENER|MCP|MESSAGE|MIDDLEWARE|MODEL|PLUGIN|RECORDING|RENDERER|REQUEST|SANDBOX|SCHEMA|SCRIPT|SESSIONS?|SKILL|STORAGE|STORE|SUBSCRIBER|TASK|TOOL|WASM";
// What a chat handler refuses with has codes of its own.
const refused = /"((?:[A-Z]+_)+[A-Z]+|UNAUTHORIZED|FORBIDDEN|INTERNAL)"/g;
const code = new RegExp(`"((?:${area})_[A-Z_]+|ABORTED|NOT_[A-Z_]+|NOTHING_TO_[A-Z_]+|OUT_OF_[A-Z_]+)"`, "g");

function source(folder: string, extension: RegExp): string {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  const read = names.filter((name) => extension.test(name) && !name.includes("generated"));
  return read.map((name) => readFileSync(join(root, folder, name), "utf8").split("#[cfg(test)]")[0]).join("\n");
}

/** The events of AG-UI that look like codes. */
const event = /^TOOL_CALL_(START|ARGS|END|CHUNK|RESULT)$/;

/** What a request leaves out is told by codes too, and is no error. */
const noticesOf = (text: string) =>
  new Set([...text.matchAll(/"([A-Z]+_(?:LEFT_OUT|CHANGED|SIMPLIFIED))"/g)].map(([, name = ""]) => name));

test("the guide to models lists every notice of the source", () => {
  const told = [...noticesOf(source("src", /\.rs$/))];
  const page = readFileSync(join(root, "docs", "models-and-keys.md"), "utf8");
  const rows = [...page.matchAll(/^\| (`[A-Z_`, ]+`) \|/gm)].map(([, names]) => names).join();
  expect(told.length).toBeGreaterThan(5);
  expect(told.filter((name) => !rows.includes(`\`${name}\``))).toEqual([]);
});

test("the page of errors lists every code of the source, and no other", () => {
  const text = source("js", /\.tsx?$/) + source("src", /\.rs$/) + source("crates", /\.rs$/);
  const handler =
    source("js/server", /\.ts$/) +
    source("js/src/relay", /\.ts$/) +
    source("src/endpoint", /\.rs$/) +
    source("crates/serve/src", /\.rs$/);
  const refusals = source("js/ag-ui", /\.ts$/).matchAll(/refuse\(\s*\d+,\s*"([A-Z_]+)"/g);
  const found = [text.matchAll(/GloveError\(\s*"([A-Z_]+)"/g), refusals, text.matchAll(code), handler.matchAll(refused)];
  const notices = noticesOf(text);
  const thrown = found
    .flatMap((matches) => [...matches].map(([, name]) => name))
    .filter((name = "") => !notices.has(name) && !event.test(name));
  const page = readFileSync(join(root, "docs", "errors.md"), "utf8");
  const listed = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual([...new Set(listed)]);
  expect([...listed].sort()).toEqual([...new Set(thrown)].sort());
});

test("the thirty codes that are met most have a cause, a way to mend it and an example, and are in the tables too", () => {
  const page = readFileSync(join(root, "docs", "errors.md"), "utf8");
  const parts = [...page.matchAll(/^### `([A-Z_]+)`\n([\s\S]*?)(?=^##)/gm)];
  expect(parts).toHaveLength(30);
  for (const [, code = "", text = ""] of parts) {
    expect(text, code).toMatch(/\*\*Cause\.\*\* [\s\S]*\*\*Mend\.\*\* [\s\S]*```/);
    expect(page, code).toContain(`\n| \`${code}\` |`);
  }
});

/** How what is to be done begins. */
const verbs =
  "add|answer|approve|ask|await|begin|call|catch|change|check|choose|convert|correct|define|delete|export|fix|give|install|keep|leave|let|load|look|lower|make|move|open|pass|play|put|raise|read|register|reload|rename|report|resume|return|say|see|send|set|show|shorten|sign|simplify|split|start|stop|store|take|tell|test|try|update|use|wait|write";
const means = "`(?:resume|dispose|takeOver|client\\.\\w+)\\b|nothing(?: else)? is to be done|each request needs";
const mend = new RegExp(`(?:[:;.,)] |\\band |\\bor )\\[?(?:(?:${verbs})\\b|await |\`await |${means})`, "i");

test("every code has a cause, and says what to do, or that nothing is to be done", () => {
  const page = readFileSync(join(root, "docs", "errors.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (?:(?:\d{3}|–) \| )?(.*) \|$/gm)];
  expect(rows.length).toBeGreaterThan(180);
  expect(rows.filter(([, , text = ""]) => !mend.test(text)).map(([, name]) => name)).toEqual([]);
});
