// `npx glove-wasm add` and `registry`: what they write, and what they leave alone.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterEach, expect, test } from "vitest";
import { parts, textOf } from "../../bin/add/parts.mjs";
import { root } from "../support/project.js";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function app(manifest: string | undefined = "{}"): string {
  const folder = mkdtempSync(join(tmpdir(), "glove-add-"));
  made.push(folder);
  mkdirSync(join(folder, "src"));
  if (manifest !== "") writeFileSync(join(folder, "package.json"), manifest);
  return folder;
}

function glove(cwd: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "bin/glove-wasm.mjs"), ...args], {
    cwd,
    encoding: "utf8",
  });
  return { status, said: `${stdout}${stderr}` };
}

const place = "src/components/glove";
const written = (folder: string) => readdirSync(join(folder, place)).sort();

test("a part comes with what it needs, and with its style sheet where there is no Tailwind", () => {
  const plain = app();
  expect(glove(plain, "add", "message-list")).toMatchObject({ status: 0, said: expect.stringContaining("glove-chat") });
  expect(written(plain)).toEqual(["glove.css", "message-list.tsx", "tool-card.tsx"]);
  const tailwind = app(JSON.stringify({ devDependencies: { tailwindcss: "^4" } }));
  expect(glove(tailwind, "add", "composer", "threads", "--to", "ui")).toMatchObject({ status: 0 });
  expect(readdirSync(join(tailwind, "ui")).sort()).toEqual(["composer.tsx", "threads.tsx"]);
});

test("what was changed is replaced only where that is asked for, and else nothing at all is written", () => {
  const folder = app();
  glove(folder, "add", "approval");
  writeFileSync(join(folder, place, "approval.tsx"), "mine");
  expect(glove(folder, "add", "composer", "approval")).toMatchObject({
    status: 1,
    said: expect.stringContaining("approval.tsx would be replaced"),
  });
  expect(written(folder)).toEqual(["approval.tsx", "glove.css"]);
  expect(readFileSync(join(folder, place, "approval.tsx"), "utf8")).toBe("mine");
  expect(glove(folder, "add", "approval", "--overwrite")).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, place, "approval.tsx"), "utf8")).toBe(textOf("approval.tsx"));
  expect(glove(folder, "add", "approval")).toMatchObject({ status: 0, said: expect.stringContaining("already") });
});

test.each([
  ["a part that does not exist", ["add", "sidebar"], 1, "There are message-list"],
  ["a folder outside of the app", ["add", "chat", "--to", "../elsewhere"], 1, "is not in"],
  ["no part", ["add"], 2, "Which part?"],
  ["an option of another command", ["add", "chat", "--offline"], 2, "takes no --offline"],
  ["an unknown command", ["constructor"], 2, "There is no command"],
])("%s is refused", (_, args, status, said) => {
  const folder = app();
  expect(glove(folder, ...args)).toEqual({ status, said: expect.stringContaining(said) });
  expect(readdirSync(join(folder, "src"))).toEqual([]);
});

test("a folder that is no app is refused", () => {
  expect(glove(app(""), "add", "chat")).toMatchObject({ status: 1, said: expect.stringContaining("has no package.json") });
  expect(glove(app("no JSON"), "add", "chat")).toMatchObject({ status: 1, said: expect.stringContaining("is no JSON") });
});

/** What the classes of the parts are, in each text between quotes that is given as one. */
const classes = (text: string) =>
  [...text.matchAll(/(?:lassName="|`|"|\? "|: ")([^"`]*)["`]/g)]
    .flatMap(([, found = ""]) => found.replace(/\$\{[^}]*\}/g, " ").split(/\s+/))
    .filter((name) =>
      /^(?:(?:md|dark|hover|focus-visible|focus-within|disabled|has-checked|placeholder|empty):)?[a-z]+(?:-[\w.[\]()%,/-]+)?$/.test(
        name,
      ),
    );

test("the style sheet has a rule for each class that looks like one of Tailwind's", () => {
  const css = textOf("glove.css").replace(/\\/g, "");
  const known =
    /^(?:(?:md|dark|hover|focus-visible|focus-within|disabled|has-checked|placeholder|empty):|(?:m[stbxy]|p[stbxy]?|gap|text|bg|border|rounded|font|size|min|max|w|h|items|justify|self|grid|flex|overflow|shadow|whitespace|leading|shrink|resize|animate|fill|stroke|outline|accent|break)-)/;
  const used = new Set(
    parts
      .flatMap(({ files }) => files)
      .flatMap((file) => classes(textOf(file)))
      .filter((name) => known.test(name)),
  );
  expect(used.size).toBeGreaterThan(80);
  expect([...used].filter((name) => !css.includes(`.${name}`))).toEqual([]);
});

test("the registry holds to the schemas of shadcn, and its files are the parts", () => {
  const folder = app();
  expect(glove(folder, "registry", "r").status).toBe(0);
  const read = (file: string) => JSON.parse(readFileSync(join(folder, "r", file), "utf8"));
  const schema = (name: string) => JSON.parse(readFileSync(join(root, "tests/fixtures/shadcn", name), "utf8"));
  const ajv = new Ajv({ strict: false, allErrors: true });
  const item = ajv.compile(strict(schema("registry-item.json")));
  const list = ajv.compile(schema("registry.json"));
  const errors = (validate: typeof item, value: unknown) => (validate(value) ? [] : validate.errors);
  expect(errors(list, read("registry.json"))).toEqual([]);
  for (const { name, files } of parts) {
    const one = read(`${name}.json`);
    expect(errors(item, one)).toEqual([]);
    expect(one.files.map(({ content }: { content: string }) => content)).toEqual(files.map(textOf));
    expect(one.dependencies).toEqual([`glove-wasm@^${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version}`]);
    // Each file that one of them imports comes with it.
    const imported = files.flatMap((file) => [...textOf(file).matchAll(/from "\.\/(.+)"/g)].map(([, found]) => `${found}.tsx`));
    expect(imported.filter((file) => !files.includes(file))).toEqual([]);
  }
  // A second time it writes over its own, and over nothing else.
  expect(glove(folder, "registry", "r").status).toBe(0);
  writeFileSync(join(folder, "r/chat.json"), '{"name":"mine"}');
  expect(glove(folder, "registry", "r")).toMatchObject({
    status: 1,
    said: expect.stringContaining("chat.json is there already"),
  });
  expect(readFileSync(join(folder, "r/chat.json"), "utf8")).toBe('{"name":"mine"}');
});

/** Nothing that the schema does not name. */
function strict(schema: { properties: Record<string, { items?: object }> }) {
  const { files } = schema.properties;
  const named = {
    ...schema.properties,
    $schema: { type: "string" },
    files: { ...files, items: { ...files?.items, additionalProperties: false } },
  };
  return { ...schema, properties: named, additionalProperties: false };
}
