// The modules of the package as the files that it ships: what comes at one moment is one file, so that every bundler makes the same few
// files of it, each of them asked for at once. Which they are is in package-bundles.mjs.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { joinTypes } from "./bundle-types.mjs";
import { doctorProviders } from "./doctor-providers.mjs";
import { askedFor, stateOf } from "./module-state.mjs";
import { alone, bundles, copied, drawing, keptByEach, shared } from "./package-bundles.mjs";
import { entryFiles, leaveOut, packedFiles, withoutComments, withTabs } from "./package-files.mjs";
import { inRoot, unbundled } from "./project.mjs";

const pkg = inRoot("pkg");

const slashes = (path) => path.replaceAll("\\", "/");
/** How one file of the package names another. */
const named = (file, from) => slashes(relative(dirname(from), file)).replace(/^(?!\.)/, "./");
/** What stands in braces. */
const list = (names, write) => `{ ${[...names].map(([own, alias]) => (own === alias ? own : write(own, alias))).join(", ")} }`;

const options = { absWorkingDir: unbundled, format: "esm", target: "esnext", packages: "external", write: false, outdir: "." };

/** Does that to what the compiler has written, and makes it what is packed. */
export async function pack() {
  rmSync(dirname(unbundled), { recursive: true, force: true });
  mkdirSync(dirname(unbundled), { recursive: true });
  cpSync(pkg, unbundled, { recursive: true });
  cpSync(inRoot("package.json"), join(dirname(unbundled), "package.json"));
  const plan = planned(await graph(packedFiles().filter((name) => name.endsWith(".js"))));
  check(plan);
  const places = new Map();
  for (const file of plan.files.keys()) {
    for (const name of await write(file, plan)) places.set(name, [...(places.get(name) ?? []), file]);
  }
  checkCopies(places, plan.modules);
  joinTypes();
  withTabs();
  const atOnce = new Set([...entryFiles(), ...[...plan.files.values()].flatMap(({ imports }) => [...imports])]);
  await withoutComments(new Set([...plan.files].flatMap(([file, { isLater }]) => (isLater && !atOnce.has(file) ? [file] : []))));
  leaveOut();
  doctorProviders();
}

/** What each module imports, at once and later, and what it exports. */
async function graph(names) {
  const outside = ["*.wasm", "*?module"];
  const { metafile } = await build({
    ...options,
    entryPoints: names,
    outbase: ".",
    bundle: true,
    splitting: true,
    external: outside,
    logLevel: "error",
    metafile: true,
  });
  const imported = (name, kind) =>
    metafile.inputs[name].imports.filter((one) => one.kind === kind && !one.external).map(({ path }) => path);
  const about = (name) => ({
    exports: metafile.outputs[name].exports,
    imports: imported(name, "import-statement"),
    later: imported(name, "dynamic-import"),
  });
  return new Map(names.map((name) => [name, about(name)]));
}

/** Which modules each file has, and what it exports of them: the first file that reaches a module has it. */
function planned(modules) {
  const homes = new Map();
  const files = new Map();
  const take = (file, roots) => {
    const members = new Set(roots);
    for (const name of members) {
      if (!modules.has(name)) throw new Error(`There is no module ${name}: scripts/lib/package-bundles.mjs names it.`);
      if (homes.has(name)) throw new Error(`${name} is in ${homes.get(name)} already, and not in ${file}.`);
      for (const other of modules.get(name).imports) if (!homes.has(other) && !copied.has(other)) members.add(other);
    }
    for (const name of members) homes.set(name, file);
    files.set(file, { members });
  };
  for (const [file, roots] of Object.entries(bundles)) take(file, [file, ...roots]);
  for (const name of modules.keys()) if (!homes.has(name)) take(name, [name]);
  const later = new Set([...modules.values()].flatMap((module) => module.later));
  for (const [file, plan] of files) {
    const { members } = plan;
    const reached = new Set(members);
    for (const name of reached) for (const other of modules.get(name).imports) if (copied.has(other)) reached.add(other);
    const imports = [...reached].flatMap((name) => modules.get(name).imports.filter((other) => !copied.has(other)));
    plan.needs = new Set(imports.filter((name) => homes.get(name) !== file));
    plan.imports = new Set([...plan.needs].map((name) => homes.get(name)));
    plan.isLater = !drawing.has(file) && [...members].some((name) => later.has(name));
  }
  const needed = new Set([...files.values()].flatMap(({ needs }) => [...needs]));
  for (const [file, plan] of files) {
    // All exports of a file that is loaded later stay in it, whatever of them is used, and those of an entry are the package's.
    const isClosed = plan.isLater || entryFiles().has(file);
    const isOpen = (name) => !isClosed || name === file || later.has(name) || (plan.isLater && needed.has(name));
    plan.exports = exportsOf([...plan.members].filter(isOpen), modules);
  }
  return { modules, homes, files };
}

/** By module: the name of each of its exports in the file. */
function exportsOf(open, modules) {
  const taken = new Map();
  const nameOf = (name) => {
    const times = (taken.get(name) ?? 0) + 1;
    taken.set(name, times);
    return times === 1 ? name : `${name}$${times}`;
  };
  return new Map(open.map((name) => [name, new Map(modules.get(name).exports.map((own) => [own, nameOf(own)]))]));
}

/** Whether a file has this module in it, and not another file that it imports. */
function isInside(file, name, { files, homes }) {
  const home = homes.get(name);
  return home === file || (copied.has(name) && !drawing.has(home) && !files.get(file).imports.has(home));
}

/**
 * What is loaded later needs nothing but what draws, or bundlers make more files of it, one of which is asked for when the other has come.
 * And no file imports itself through others.
 */
function check({ modules, homes, files }) {
  const users = new Map();
  for (const [file, { needs, isLater }] of files) {
    if (!isLater && !shared.has(file)) continue;
    for (const name of needs) {
      const home = homes.get(name);
      if (!drawing.has(home)) users.set(home, [...(users.get(home) ?? []), [file, name]]);
    }
  }
  const isShared = (by) => new Set(by.map(([file]) => file)).size > 1;
  const faults = [...users].filter(
    ([file, by]) => !shared.has(file) && (isShared(by) || files.get(file).isLater || alone.has(file)),
  );
  if (faults.length > 0) {
    const told = faults.flatMap(([home, by]) => by.map(([file, name]) => `${name} of ${home}: imported by ${file}`));
    throw new Error(`Say in scripts/lib/package-bundles.mjs where this belongs:\n${told.join("\n")}`);
  }
  const done = new Set();
  const visit = (file, path) => {
    if (path.includes(file)) throw new Error(`Files of the package import each other: ${[...path, file].join(" → ")}`);
    if (done.has(file)) return;
    for (const other of files.get(file).imports) visit(other, [...path, file]);
    done.add(file);
  };
  for (const file of files.keys()) visit(file, []);
  for (const name of copied) if (!modules.has(name)) throw new Error(`There is no module ${name}: package-bundles.mjs names it.`);
}

/** What keeps something, or others may ask for, is in one file of those that are packed. */
function checkCopies(places, modules) {
  const code = (name) => readFileSync(join(unbundled, name), "utf8");
  const packed = new Set(packedFiles());
  const given = [...entryFiles()].flatMap((name) => modules.get(name)?.exports ?? []);
  const asked = new Set([...given, ...[...modules.keys()].flatMap((name) => askedFor(code(name)))]);
  const faults = [];
  for (const [name, all] of places) {
    const files = all.filter((file) => packed.has(file));
    const kept = files.length > 1 ? stateOf(code(name), asked) : [];
    if (kept.length > 0 && !keptByEach.has(name)) faults.push(`${name} in ${files.join(" and ")}: ${kept.join("; ")}`);
    if (keptByEach.has(name) && kept.length === 0) faults.push(`${name} keeps nothing twice: take it out of \`keptByEach\`.`);
  }
  if (faults.length > 0) throw new Error(`What two files of the package have may keep nothing:\n${faults.join("\n")}`);
}

/** Writes a file, and in the place of its other modules what leads to it, for tests: nothing that is packed names them. Gives the modules of which something is in it. */
async function write(file, plan) {
  const { exports } = plan.files.get(file);
  const contents = [...exports].map(([name, own]) => `export ${list(own, (from, to) => `${from} as ${to}`)} from "./${name}";\n`);
  const outside = {
    name: "outside",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ path, resolveDir, namespace, kind }) => {
        if (namespace === "outside") return { path, external: true, sideEffects: false };
        const name = slashes(relative(unbundled, join(resolveDir, path)));
        if (!plan.modules.has(name)) return { path: named(name, file), external: true };
        if (kind === "dynamic-import") return { path: named(plan.homes.get(name), file), external: true };
        return isInside(file, name, plan) ? undefined : { path: name, namespace: "outside", sideEffects: false };
      });
      onLoad({ filter: /.*/, namespace: "outside" }, ({ path: name }) => {
        const home = plan.homes.get(name);
        const names = plan.files.get(home).exports.get(name);
        if (!names) throw new Error(`${file} imports ${name}, of which ${home} exports nothing.`);
        const from = `${list(names, (own, alias) => `${alias} as ${own}`)} from "${named(home, file)}"`;
        return { contents: `export ${from};`, resolveDir: unbundled };
      });
    },
  };
  const made = await build({
    ...options,
    stdin: { contents: contents.join(""), resolveDir: unbundled },
    bundle: true,
    metafile: true,
    plugins: [outside],
  });
  const [directive = ""] = /^"use client";\n/.exec(readFileSync(join(unbundled, file), "utf8")) ?? [];
  writeFileSync(join(pkg, file), directive + made.outputFiles[0].text);
  for (const [name, own] of exports) {
    if (name === file) continue;
    writeFileSync(join(pkg, name), `export ${list(own, (from, to) => `${to} as ${from}`)} from "${named(file, name)}";\n`);
  }
  const [{ inputs }] = Object.values(made.metafile.outputs);
  return Object.entries(inputs).flatMap(([name, { bytesInOutput }]) =>
    bytesInOutput > 0 && plan.modules.has(name) ? [name] : [],
  );
}
