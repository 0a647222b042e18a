// How many files each bundler makes of what a page with a tool asks for until its first request leaves, where that waits for the core, and in
// how many waves: as read from what the bundler tells. tests/packaging/waves.test.ts counts the same in a browser.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fingerprint, inRoot, userCache } from "./project.mjs";

/** What a first message needs is named by these. */
const first = /(core\/session-chunk|wasm\/inline-file|tools\/runner)\.js$/;

const main = `
  import { createElement } from "react";
  import { createRoot } from "react-dom/client";
  import { defineTool, GloveClient, GloveProvider, useGlove } from "glove-wasm/react";
  const Chat = () => createElement("p", null, useGlove().status);
  const weather = defineTool({ name: "weather", description: "The weather.", jsonSchema: {}, do: async () => "Sun" });
  const client = new GloveClient({ endpoint: "/api/chat", tools: [weather] });
  createRoot(document.body).render(createElement(GloveProvider, { client }, createElement(Chat)));
`;

/** By bundler: files and waves. webpack is there once the tests of packaging have installed it. */
export async function waves() {
  // Below the package, which its files find by its own name.
  const folder = mkdtempSync(join(inRoot(".cache"), "waves-"));
  try {
    const entry = join(folder, "main.js");
    writeFileSync(entry, main);
    const rows = { esbuild: await byEsbuild(entry), Vite: await byVite(entry) };
    const webpack = webpackFolder();
    return existsSync(webpack) ? { ...rows, webpack: await byWebpack(webpack, entry) } : rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const webpackFolder = () => {
  const files = ["package.json", "package-lock.json", ".npmrc"].map((name) => inRoot("tests", "packaging", "bundlers", name));
  return join(userCache(), `bundlers-${fingerprint({ files })}`);
};

async function byEsbuild(entry) {
  const { build } = await import("esbuild");
  const define = { "process.env.NODE_ENV": '"production"' };
  const options = {
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    write: false,
    metafile: true,
    logLevel: "silent",
  };
  const { metafile } = await build({
    ...options,
    absWorkingDir: inRoot(),
    entryPoints: [entry],
    outdir: inRoot(".cache", "waves"),
    define,
  });
  const { outputs } = metafile;
  const named = (pattern) => Object.keys(outputs).filter((name) => pattern.test(outputs[name].entryPoint ?? ""));
  const importsOf = (name) => outputs[name].imports.filter(({ kind, external }) => kind === "import-statement" && !external);
  // What a file imports is known when it has come.
  return counted(named(/main\.js$/), named(first), (name) => importsOf(name).map(({ path }) => path), true);
}

async function byVite(entry) {
  const { build } = await import("vite");
  const built = await build({
    root: inRoot(),
    configFile: false,
    logLevel: "silent",
    build: { write: false, rolldownOptions: { input: entry } },
  });
  const chunks = new Map(
    [built].flat().flatMap(({ output }) => output.flatMap((one) => (one.type === "chunk" ? [[one.fileName, one]] : []))),
  );
  const named = (is) => [...chunks.keys()].filter((name) => is(chunks.get(name)));
  const late = named(({ facadeModuleId, isEntry }) => !isEntry && first.test(facadeModuleId ?? ""));
  // It asks for the imports of a file together with it.
  return counted(
    named(({ isEntry }) => isEntry),
    late,
    (name) => chunks.get(name).imports,
    false,
  );
}

async function byWebpack(folder, entry) {
  const webpack = createRequire(join(folder, "index.js"))("webpack");
  const output = { path: join(entry, "..", "dist") };
  const { compilation } = await new Promise((resolve, reject) =>
    webpack({ context: inRoot(), mode: "production", entry, output }, (error, stats) => (stats ? resolve(stats) : reject(error))),
  );
  if (compilation.errors.length) throw compilation.errors[0];
  const filesOf = (groups) => [...new Set(groups.flatMap(({ chunks }) => chunks.flatMap(({ files }) => [...files])))];
  const late = compilation.chunkGroups.filter(({ origins }) => origins.some(({ request }) => first.test(request ?? "")));
  return counted(filesOf([...compilation.entrypoints.values()]), filesOf(late), () => [], false);
}

/** The files and waves of what comes at once, and then of what comes late. */
function counted(atOnce, late, importsOf, waits) {
  if (!atOnce.length || !late.length)
    throw new Error("scripts/lib/waves.mjs finds no file of what opens a session: it has another name now.");
  const known = new Set();
  let count = 0;
  for (const some of [atOnce, late]) {
    for (let wave = some.filter((name) => !known.has(name)); wave.length; ) {
      count++;
      for (const name of wave) known.add(name);
      const behind = [...new Set(wave.flatMap(importsOf))].filter((name) => !known.has(name));
      if (waits) wave = behind;
      else {
        for (const name of reach(behind, importsOf)) known.add(name);
        wave = [];
      }
    }
  }
  return { files: known.size, waves: count };
}

function reach(names, importsOf) {
  const all = new Set(names);
  for (const name of all) for (const other of importsOf(name)) all.add(other);
  return all;
}
