// The declarations of the package as few files: those of each folder that are in no entry's own file are one, and up to two more for
// those whose names mean something else in the first. Nothing but editors and compilers reads them, and each file is one more to unpack.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseAst } from "vite";
import { walk } from "./module-state.mjs";
import { entryFiles, packedFiles } from "./package-files.mjs";
import { inRoot } from "./project.mjs";

const pkg = inRoot("pkg");
const slashes = (path) => path.replaceAll("\\", "/");
const named = (file, from) => slashes(relative(dirname(from), file)).replace(/^(?!\.)/, "./");

/** They stand beside what is no JavaScript. */
const apart = /_bg\.wasm\.d\.ts$|\.css\.d\.ts$/;

/** Joins what is packed. In the place of a file that is in another one now stands what leads there, for tests. */
export function joinTypes() {
  const entries = entryFiles();
  const packed = packedFiles().filter((name) => name.endsWith(".d.ts"));
  const modules = new Map(packed.map((name) => [name, about(name)]));
  const homes = new Map();
  const wholes = new Map();
  const bySize = [...modules.values()].sort(
    (one, other) => other.code.length - one.code.length || (one.name < other.name ? -1 : 1),
  );
  for (const module of bySize) {
    if (entries.has(module.name) || apart.test(module.name) || module.leads) continue;
    // Who does not draw with React may not have its types.
    // Nor do the types of the wasm files' glue stand beside others: they change with each function, and no user can reach them.
    const [folder] = /^src\/wasm(?=\/)|^[^/]+/.exec(module.name);
    const start = `${folder}/${needsReact(module, modules) ? "react-" : ""}declarations`;
    const ofHome = (home) => wholes.get(home) ?? { members: [], names: new Map(), asked: new Set() };
    const home = ["", "-2", "-3"].map((n) => `${start}${n}.d.ts`).find((home) => fits(module, ofHome(home), modules));
    if (home === undefined) continue;
    const whole = ofHome(home);
    wholes.set(home, whole);
    homes.set(module.name, home);
    whole.members.push(module);
    for (const [name, from] of module.names) whole.names.set(name, from);
    for (const name of module.asked) whole.asked.add(name);
  }
  const placed = (name) => homes.get(name) ?? name;
  // What a file gives is a part of what the whole gives.
  const allOf = ({ all, from }, file) => ({
    ...all,
    text: `export { ${[...modules.get(from).given].join(", ")} } from "${jsOf(named(placed(from), file))}";`,
  });
  for (const [home, { members }] of wholes) write(home, members, placed);
  for (const { name, code, links } of modules.values()) {
    if (homes.has(name)) continue;
    const text = edited(
      code,
      0,
      code.length,
      links.map((link) => (link.all && homes.has(link.from) ? allOf(link, name) : led(link, name, placed))),
    );
    if (text !== code) writeFileSync(join(pkg, name), text);
  }
  for (const [name, home] of homes)
    writeFileSync(join(pkg, name), `export { ${[...modules.get(name).given].join(", ")} } from "${jsOf(named(home, name))}";\n`);
}

/** Whether a file leads to the types of React, by itself or through others. */
function needsReact(module, modules) {
  const reached = new Set([module.name]);
  for (const name of reached) {
    for (const { from } of modules.get(name)?.links ?? []) {
      if (from === "react" || from.startsWith("react/jsx")) return true;
      reached.add(from);
    }
  }
  return false;
}

const jsOf = (name) => name.replace(/\.d\.ts$/, ".js");

/** What a file of declarations says: the names that it has at its top with where each comes from, those it takes from the platform, and what leads to other files. */
function about(name) {
  const code = readFileSync(join(pkg, name), "utf8");
  const { body } = parseAst(code, { lang: "dts" });
  const target = (source) => (source.startsWith(".") ? slashes(join(dirname(name), source)).replace(/\.js$/, ".d.ts") : source);
  const names = new Map();
  const given = new Set();
  const imports = [];
  const links = [];
  const passed = [];
  const rest = [];
  let leads = false;
  for (const statement of body) {
    if (statement.type === "ImportDeclaration") {
      const from = target(statement.source.value);
      for (const one of statement.specifiers) {
        const what = one.type === "ImportSpecifier" ? one.imported.name : one.type === "ImportDefaultSpecifier" ? "default" : "*";
        names.set(one.local.name, `${what} of ${from}`);
        imports.push({ local: one.local.name, what, from });
      }
      leads ||= statement.specifiers.length === 0;
      links.push({ node: statement.source, from });
      continue;
    }
    const passedOn = passes(statement, imports, target);
    if (passedOn) {
      for (const one of passedOn) {
        names.set(one.name, `${one.name} of ${one.from}`);
        given.add(one.name);
        passed.push(one);
      }
      if (statement.source) links.push({ node: statement.source, from: target(statement.source.value) });
      continue;
    }
    if (statement.source || statement.type === "ExportAllDeclaration" || statement.type === "ExportDefaultDeclaration") {
      leads = true;
      if (statement.source) {
        const all = statement.type === "ExportAllDeclaration" && !statement.exported && statement;
        links.push({ node: statement.source, from: target(statement.source.value), all });
      }
      continue;
    }
    if (statement.type === "ExportNamedDeclaration" && !statement.declaration) {
      // Of what is declared here; nothing where the compiler only says that this is a module.
      leads ||= statement.specifiers.length > 0;
      continue;
    }
    for (const own of declared(statement.declaration ?? statement)) {
      names.set(own, `${own} of ${name}`);
      if (statement.declaration) given.add(own);
    }
    rest.push(statement);
  }
  const asked = new Set();
  walk(body, (node) => {
    if (node.type === "TSImportType") {
      const literal = node.source ?? node.argument;
      links.push({ node: literal.literal ?? literal, from: target((literal.literal ?? literal).value) });
    }
    const root = rootOf(node);
    if (root && !names.has(root)) asked.add(root);
  });
  return { name, code, names, given, imports, links, passed, rest, leads, asked };
}

/** What a statement passes on from another file under its own name, if it does nothing else. */
function passes({ type, source, specifiers, declaration, exportKind }, imports, target) {
  if (type !== "ExportNamedDeclaration" || declaration || specifiers.length === 0) return undefined;
  const all = specifiers.map(({ local, exported }) => {
    const from = source ? target(source.value) : imports.find((one) => one.local === local.name && one.what === local.name)?.from;
    return from?.endsWith(".d.ts") && local.name === exported.name && { name: local.name, from, kind: exportKind };
  });
  return all.every(Boolean) ? all : undefined;
}

function declared(node) {
  if (node.type === "VariableDeclaration") return node.declarations.map(({ id }) => id.name);
  if (!node.id?.name) throw new Error(`A declaration without a name: ${node.type}`);
  return [node.id.name];
}

/** The name that a use of something begins with. */
function rootOf(node) {
  let at =
    node.type === "TSTypeReference"
      ? node.typeName
      : node.type === "TSTypeQuery"
        ? node.exprName
        : /^TS(ClassImplements|InterfaceHeritage)$/.test(node.type)
          ? node.expression
          : node.type === "ClassDeclaration"
            ? node.superClass
            : node.computed
              ? node.key
              : undefined;
  while (at && at.type !== "Identifier") at = at.left ?? at.object;
  return at?.name;
}

/** Whether each name means in the whole what it means in this file. */
function fits({ name: file, names, asked }, whole, modules) {
  const members = new Set(whole.members.map(({ name }) => name));
  for (const [name, from] of names) {
    const there = whole.names.get(name);
    if (there !== undefined && there !== from) return false;
    if (whole.asked.has(name)) return false;
  }
  for (const name of asked) if (whole.names.has(name)) return false;
  // What is called by another name here has no declaration of that name in the whole.
  return [...names].every(([name, from]) => {
    const [what, home] = from.split(" of ");
    return what === name || (!members.has(home) && !modules.has(home)) || home === file;
  });
}

function write(home, members, placed) {
  const inside = new Set(members.map(({ name }) => name));
  const imports = new Map();
  for (const { imports: all } of members)
    for (const { local, what, from } of all) {
      if (inside.has(from)) continue;
      const source = from.endsWith(".d.ts") ? jsOf(named(placed(from), home)) : from;
      const names = imports.get(source) ?? new Map();
      imports.set(source, names.set(local, what));
    }
  const lines = [...imports].sort().flatMap(([source, names]) => {
    const every = [...names].sort();
    const whole = every.filter(([, what]) => what === "*").map(([local]) => `import type * as ${local} from "${source}";`);
    const some = every
      .filter(([, what]) => what !== "*")
      .map(([local, what]) => (local === what ? local : `${what} as ${local}`));
    return some.length > 0 ? [...whole, `import type { ${some.join(", ")} } from "${source}";`] : whole;
  });
  const texts = [...members]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(({ code, rest, links }) =>
      rest.map((statement) => {
        const begin = commentBefore(code, statement.start);
        const edits = links.filter(({ node }) => node.start >= begin && node.end <= statement.end);
        const leading = edits.map((link) => led(link, home, placed));
        return edited(code, begin, statement.end, leading);
      }),
    );
  const passedOn = members.flatMap(({ passed }) =>
    passed.flatMap(({ name, from, kind }) =>
      placed(from) === home
        ? []
        : [`export ${kind === "type" ? "type " : ""}{ ${name} } from "${jsOf(named(placed(from), home))}";`],
    ),
  );
  writeFileSync(join(pkg, home), `${[...lines, ...new Set(passedOn), ...texts].join("\n")}\nexport {};\n`);
}

/** Where the comments begin that stand before a place, with nothing but space between. */
function commentBefore(code, place) {
  const before = code.slice(0, place).trimEnd();
  return before.endsWith("*/") ? before.lastIndexOf("/*") : place;
}

const led = ({ node, from }, file, placed) => ({
  ...node,
  text: from.endsWith(".d.ts") ? JSON.stringify(jsOf(named(placed(from), file))) : JSON.stringify(from),
});

/** A part of a text with other words in some of its places. */
function edited(code, begin, end, edits) {
  let text = "";
  let at = begin;
  for (const { start, end: to, text: put } of edits.sort((one, other) => one.start - other.start)) {
    text += code.slice(at, start) + put;
    at = to;
  }
  return text + code.slice(at, end);
}
