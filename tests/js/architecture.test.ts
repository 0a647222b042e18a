// How the files of `js/` may import each other, and how they are grouped.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path/posix";
import { expect, test } from "vitest";

const root = new URL("../../js", import.meta.url).pathname;

/** What each folder of `js/src` is about; a file beside them belongs to none of these. */
const subjects: Readonly<Record<string, string>> = {
  agents: "agents that others call as tools",
  answers: "answers with a schema",
  classic: "glove's classes",
  commands: "skills and hooks, which a message calls by their names",
  connection: "the connection of a session to its core",
  display: "slots and their answers",
  entries: "the classes of each entry, with the core that it has",
  messages: "what is shown, as messages with parts",
  models: "models: endpoints, providers, the browser's own, those of the application",
  plugins: "what prepares each call of the model, and what it keeps",
  recording: "recorded runs as files, and how they are played",
  relay: "a provider that a handler or the page asks",
  session: "one conversation, its configuration and what is asked of it",
  snapshot: "what a screen shows of a session",
  store: "what keeps sessions",
  tabs: "one session in several tabs",
  threads: "the list of sessions, kept up to date",
  timing: "promises, microtasks and frames",
  tools: "tools and their schemas",
  values: "values: JSON, copies, base64, checked options",
  wasm: "the wasm files and what crosses their border",
  wire: "the types that cross to the core, written from those of Rust",
  worker: "the core in a worker of the page",
};

const topLevel = ["error.ts", "exports.ts", "index.ts", "slim.ts"];
const mostInAFolder = 15;

/** What these folders may import beside their own files. */
const leaves: Readonly<Record<string, readonly string[]>> = {
  "src/timing": [],
  "src/values": ["src/error.ts", "src/timing"],
};

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
  expect(folders.sort()).toEqual(Object.keys(subjects));
  expect(entries.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual(topLevel);
});

test(`no folder has more than ${mostInAFolder} files beside each other`, () => {
  const counts = new Map<string, number>();
  for (const name of files.keys()) counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > mostInAFolder)).toEqual([]);
});

test.each(Object.entries(leaves))("what %s holds knows nothing of a session", (folder, known) => {
  const graph = graphOf(files);
  for (const [path, imported] of graph) {
    if (!path.startsWith(`${folder}/`)) continue;
    const others = imported.filter((name) => ![folder, ...known].some((place) => name === place || name.startsWith(`${place}/`)));
    expect([relative(folder, path), others]).toEqual([relative(folder, path), []]);
  }
});
