// How the files of `js/` may import each other, and how they are grouped and ordered.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { expect, test } from "vitest";

const root = new URL("../../js", import.meta.url).pathname;

/** What each folder of `js/src` is about, from the lowest to the highest: each may import from those before it alone, types too. */
const subjects: Readonly<Record<string, string>> = {
  timing: "promises, microtasks and frames",
  values: "values: JSON, copies, base64, errors, ids, checked options",
  wire: "the types that cross to the core, written from those of Rust",
  wasm: "the wasm files and what crosses their border",
  snapshot: "what a screen shows of a session",
  schema: "values checked by schemas, and their JSON Schema",
  ports: "what an application gives and is given: interfaces, and what checks them",
  middleware: "what stands around calls of models and of tools",
  store: "what keeps sessions",
  tools: "tools and their calls",
  relay: "a model behind HTTP, asked by a handler or by the page",
  models: "models: endpoints, providers, the browser's own, those of the application",
  display: "slots and their answers",
  plugins: "plugins, skills and hooks: what prepares a message and each call of the model",
  recording: "recorded runs as files, and how they are played",
  messages: "messages: what is sent, what came of it, and how they are shown",
  early: "the first answer of a session, which the page asks for before the core is there",
  tabs: "one session in several tabs",
  core: "a session and its core: the way to it, when it starts and ends, what it asks of the page and tells it",
  worker: "the core in a worker of the page",
  session: "one conversation and what is asked of it, and the client that has them all",
  agents: "agents that others call as tools",
  classic: "glove's classes",
  threads: "the list of sessions, kept up to date",
  entries: "the core of each entry, and its classes",
};

/** Above all folders. */
const topLevel = ["exports.ts", "index.ts", "slim.ts"];
const maxInAFolder = 15;

type Files = ReadonlyMap<string, string>;

/** The files of a text's imports, those of types too. */
function importsOf(text: string): string[] {
  const statements = /^(?:import|export)\b[^;"']*?\bfrom\s+"(\.[^"]+)"/gm;
  const inPlace = /\bimport\(\s*"(\.[^"]+)"\s*\)|^import\s+"(\.[^"]+)"/gm;
  return [...text.matchAll(statements), ...text.matchAll(inPlace)].map(([, from, alone]) => from ?? alone ?? "");
}

function graphOf(files: Files): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const [path, text] of files) {
    const found = importsOf(text).map((specifier) => {
      const target = join(dirname(path), specifier).replace(/\.js$/, "");
      return [`${target}.ts`, `${target}.tsx`].find((name) => files.has(name));
    });
    graph.set(
      path,
      found.filter((name) => name !== undefined),
    );
  }
  return graph;
}

/** One circle through each file that is in one and has not been in an earlier one. */
function circlesOf(files: Files): string[] {
  const graph = graphOf(files);
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push([...path.slice(at), file].join(" → "));
    if (at >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}

function read(): Map<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  const code = names.filter((name) => /\.tsx?$/.test(name) && !name.includes("/generated/"));
  return new Map(code.map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

const files = read();

test("no file imports itself by way of others, not even for a type", () => {
  expect(circlesOf(files)).toEqual([]);
});

test.each([
  ["values", 'import { b } from "./b.js";', 'export * from "./a.js";'],
  ["types", 'import type { B } from "./b.js";', 'export type { A } from "./a.js";'],
  ["a type in place", 'export let b: import("./b.js").B;', 'import {\n  type A,\n  other,\n} from "./a.js";'],
  ["a file that is loaded later", 'const b = await import("./b.js");', 'import "./a.js";'],
])("a circle of %s is found", (_, a, b) => {
  const planted = new Map([
    ["x/a.ts", a],
    ["x/b.tsx", b],
    ["x/c.ts", 'import { a } from "./a.js";'],
  ]);
  expect(circlesOf(planted)).toEqual(["x/a.ts → x/b.tsx → x/a.ts"]);
});

test("every import of a file of `js/` is seen", () => {
  const graph = graphOf(files);
  for (const [path, text] of files) {
    const specifiers = [...text.matchAll(/(?<=["'`])\.\.?\/[^"'`\s]*\.js(?=["'`])/g)].map(([name]) => name);
    const ours = specifiers.filter((name) => !name.includes("/generated/"));
    expect([path, new Set(graph.get(path)).size]).toEqual([path, new Set(ours).size]);
  }
});

test("each folder of `js/src` is one subject, and nothing lies beside them that belongs into one", () => {
  const entries = readdirSync(join(root, "src"), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.sort()).toEqual(Object.keys(subjects).sort());
  expect(entries.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual(topLevel);
});

test(`no folder has more than ${maxInAFolder} files beside each other`, () => {
  const counts = new Map<string, number>();
  for (const name of files.keys()) counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > maxInAFolder)).toEqual([]);
});

/** The arrows between the folders of `js/src` that do not point down. A file beside them stands above all. */
function upwardOf(files: Files): string[] {
  const order = Object.keys(subjects);
  const heightOf = (file: string) => {
    const [, folder = "", name] = file.split("/");
    return name === undefined ? order.length : order.indexOf(folder);
  };
  const found: string[] = [];
  for (const [file, imported] of graphOf(files)) {
    if (!file.startsWith("src/")) continue;
    const upward = imported.filter((name) => !name.startsWith("src/") || heightOf(name) > heightOf(file));
    found.push(...upward.map((name) => `${file} → ${name}`));
  }
  return found;
}

test("each folder of `js/src` imports from those below it alone, and from no other entry", () => {
  expect(upwardOf(files)).toEqual([]);
});

test.each([
  ["a value", "src/store/a.ts", 'import { b } from "../session/b.js";', "src/session/b.ts"],
  ["a type", "src/values/a.ts", 'import type { B } from "../wire/b.js";', "src/wire/b.ts"],
  ["a type in place", "src/ports/a.ts", 'export let b: import("../store/b.js").B;', "src/store/b.ts"],
  ["a file that is loaded later", "src/messages/a.ts", 'const b = await import("../tabs/b.js");', "src/tabs/b.ts"],
  ["a file of a folder inside", "src/store/indexeddb/a.ts", 'import "../../tabs/b.js";', "src/tabs/b.ts"],
  ["a file beside the folders", "src/entries/a.ts", 'export * from "../b.js";', "src/b.ts"],
  ["another entry", "src/session/a.ts", 'import { b } from "../../tasks/b.js";', "tasks/b.ts"],
])("an arrow upwards to %s is found", (_, from, text, to) => {
  const planted = new Map([
    [from, text],
    [to, ""],
    ["src/index.ts", `export * from "./${to.replace(/^src\//, "").replace(/\.ts$/, ".js")}";`],
  ]);
  expect(upwardOf(planted)).toEqual([`${from} → ${to}`]);
});

test("docs/architecture.md says the same order", () => {
  const text = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  const [, said = ""] = text.match(/```text\n(timing → [^`]*)```/) ?? [];
  expect(said.split("→").map((name) => name.trim())).toEqual([...Object.keys(subjects), "index, slim, exports"]);
});
