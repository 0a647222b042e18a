// `npm run size`: how many bytes a page loads, raw and as they travel, what each part of it costs, and what comes later and
// only where it is used; against the budget in size-budget.json; and how many files each bundler makes of it. `-- modules` says what the wasm file is made of, `-- glove` what
// the native program weighs, as a release.
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { moduleSizes } from "./lib/module-sizes.mjs";
import { inRoot, root, unbundled } from "./lib/project.mjs";
import { isMain, main, run, StepFailed } from "./lib/run.mjs";
import { waves } from "./lib/waves.mjs";
import { setup } from "./setup.mjs";

/** The page of an application: a client of an endpoint, kept sessions, tools, hook and view. */
export const page = `
  import { GloveClient, IndexedDBStore, createEndpointModel, defineTool } from "glove-wasm";
  import { GloveProvider, Render, useGlove } from "glove-wasm/react";
  export { createEndpointModel, defineTool, GloveClient, GloveProvider, IndexedDBStore, Render, useGlove };
`;

/** The same of another framework, which draws by itself. */
const pageOf = (name) =>
  `export { createEndpointModel, defineTool, GloveClient, IndexedDBStore, useGlove, useThreads } from "glove-wasm/${name}"`;

/** The same without React, for what comes later whoever draws. */
const conversation = 'export { GloveClient, IndexedDBStore, createEndpointModel, defineTool } from "glove-wasm"';

/** What the page is made of, by the files of each part. A part's cost is what the page is smaller without it. */
const parts = {
  "wasm file, as text": /generated\/(glove_wasm_bytes|unpacker)/,
  "glue of the wasm file": /generated\/glove_wasm\.js|wasm\/border/,
  "IndexedDB store": /src\/store\/(indexeddb|sessions|transcript|step|json-text)/,
  "React: provider, hooks, view": /pkg\/react\//,
  // Without the names that a session gives its tools, which are not in these files.
  "tools and schemas": /src\/(schema|tools\/(?!combined-tools|skill-tool))/,
  "display stack": /src\/display\//,
  models: /src\/(models|relay)\//,
};

/** What else is measured: what travels with other imports, and what is loaded when it is first used. */
const measured = {
  wasm: async () => readFileSync(inRoot("pkg", "glove_wasm_bg.wasm")),
  "everything of 'glove-wasm'": async () => (await bundle('export * from "glove-wasm"')).opened,
  "everything of 'glove-wasm/slim'": async () => (await bundle('export * from "glove-wasm/slim"')).opened,
  "everything of 'glove-wasm/ai-sdk'": async () => (await bundle('export * from "glove-wasm/ai-sdk"')).opened,
  "everything of 'glove-wasm/remote'": async () => (await bundle('export * from "glove-wasm/remote"')).opened,
  "everything of 'glove-wasm/mcp'": async () => (await bundle('export * from "glove-wasm/mcp"')).atOnce,
  "a page with 'glove-wasm/mcp/apps' before it draws": async () =>
    (await bundle(`${page} export { createMcpApps } from "glove-wasm/mcp/apps";`)).atOnce,
  "everything of 'glove-wasm/skills'": async () => (await bundle('export * from "glove-wasm/skills"')).atOnce,
  "everything of 'glove-wasm/webmcp'": async () => (await bundle('export * from "glove-wasm/webmcp"')).atOnce,
  "a page with 'glove-wasm/a2ui' before it draws": async () =>
    (await bundle(`${page} export { a2ui } from "glove-wasm/a2ui";`)).atOnce,
  "everything of 'glove-wasm/ag-ui'": async () => (await bundle('export * from "glove-wasm/ag-ui"')).atOnce,
  ...Object.fromEntries(
    ["vue", "svelte", "solid"].map((name) => [
      `a page of 'glove-wasm/${name}' before it draws`,
      async () => (await bundle(pageOf(name))).atOnce,
    ]),
  ),
  "later: servers of MCP": async () => (await bundle('export * from "glove-wasm/mcp"')).later(/mcp\/client\.js/),
  // Without zod, which is its peer and the application's.
  "later: signing in to servers of MCP": async () => (await bundle('export * from "glove-wasm/mcp"')).later(/auth\/sign-in\.js/),
  "later: drawing what servers of MCP ask": async () => (await bundle(page)).later(/renderers\/mcp\.js/),
  "later: drawing apps of MCP": async () => (await bundle('export * from "glove-wasm/mcp/apps"')).later(/apps\/app-view\.js/),
  "later: the official bridge to apps of MCP": async () =>
    (await bundle('export * from "glove-wasm/mcp/apps"')).later(/apps\/bridge\.js/),
  "later: the official client of MCP": async () => (await bundle('export * from "glove-wasm/mcp"')).later(/connection\/sdk\.js/),
  "later: the look of <Render>": async () => (await bundle(page)).later(/look\/view/),
  "later: what cards show when they are opened": async () => (await bundle(page)).later(/calls\/details/),
  "later: the rows of long conversations": async () => (await bundle(page)).later(/render\/drawn-view/),
  "later: what draws slots": async () => (await bundle(page)).later(/slots\/slot-parts/),
  "later: the button for files": async () => (await bundle(page)).later(/attachments\/attach/),
  "later: drawing files": async () => (await bundle(page)).later(/attachments\/index/),
  "later: reading files": async () => (await bundle(page)).later(/attachments\/tray/),
  "later: keeping files of drafts": async () => (await bundle(page)).later(/attachments\/draft/),
  "later: the words of another language": async () => (await bundle(page)).later(/languages\/pl/),
  "later: the list of commands": async () => (await bundle(page)).later(/commands\/menu/),
  "later: several questions of one call": async () => (await bundle(page)).later(/react\/questions\/questions/),
  "later: finding in a conversation": async () => (await bundle(page)).later(/react\/finding\/finder/),
  "later: what waits, a full context, a cut answer": async () => (await bundle(page)).later(/react\/working\/index/),
  // With the variables of the look, which <Render> brings too.
  "later: the list of threads": async () =>
    (await bundle('export { GloveClient, GloveProvider, ThreadList } from "glove-wasm/react"')).later(/react\/threads\/index/),
  "later: finding in the messages of threads": async () =>
    (await bundle('export { GloveClient, GloveProvider, ThreadList } from "glove-wasm/react"')).later(/react\/threads\/hits/),
  "later: the look of a document": async () => (await bundle(page)).later(/generated\/document-css/),
  // With the same variables. The chat in it comes when the panel is opened.
  "later: the button and the panel of a widget": async () =>
    (await bundle('export { ChatWidget, GloveClient, GloveProvider } from "glove-wasm/react"')).later(/react\/widget\/index/),
  "later: tables, code and sources of answers": async () => (await bundle(page)).later(/markdown\/extras\/index/),
  "later: what people think of answers, reading aloud": async () => (await bundle(page)).later(/answers\/answer-tools/),
  "later: markdown": async () => (await bundle(page)).later(/markdown\/index/),
  "later: colours of code, without its languages": async () => (await bundle(page)).later(/highlight\.js\/(es|lib)\/core/),
  "later: tasks": async () => (await bundle('export * from "glove-wasm/tasks"')).later(/tasks\/inline-file/),
  "everything of 'glove-wasm/tasks' but its wasm file": async () => (await bundle('export * from "glove-wasm/tasks"')).atOnce,
  // With the look of <Render>, which draws its questions.
  "everything of 'glove-wasm/tasks/react'": async () => (await bundle('export * from "glove-wasm/tasks/react"')).atOnce,
  "later: asking providers from the page": async () => (await bundle('export * from "glove-wasm"')).later(/direct/),
  "everything of 'glove-wasm/tools'": async () => (await bundle('export * from "glove-wasm/tools"')).atOnce,
  "later: the engine of sandboxed code": async () =>
    (await bundle('export * from "glove-wasm/tools"')).later(/sandbox\/(engine|run)/),
  "later: the core in a worker, without its wasm file": async () => (await bundle(conversation)).later(/worker\/core/),
  "later: running tools": async () => (await bundle(conversation)).later(/tools\/runner/),
  "later: plugins": async () => (await bundle(conversation)).later(/plugins\/plugins/),
  "later: skills": async () => (await bundle(conversation)).later(/plugins\/skills/),
  "later: hooks": async () => (await bundle(conversation)).later(/plugins\/prepare-message/),
  "later: drawing what tools show": async () => (await bundle(page)).later(/outputs\/output-view/),
  "later: asking a model of the page": async () => (await bundle(conversation)).later(/models\/bridge/),
  "later: sessions exported, imported or damaged": async () => (await bundle(conversation)).later(/store\/maintenance-chunk/),
  // What zod 4.2 and later say themselves.
  "later: JSON Schema of older zod": async () => (await bundle(conversation)).later(/schema\/zod/),
  "later: checking raw JSON Schema": async () => (await bundle(conversation)).later(/schema\/validator/),
};

/** What an application gets when it imports this, minified as applications do; `without` some modules, of the package as it is compiled. */
async function bundle(contents, without) {
  const { build } = await import("esbuild");
  const leaveOut = {
    name: "leave-out",
    // A module without exports of its own may be imported by any name.
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.js$/ }, ({ path }) => (without.test(path) ? { contents: "module.exports = {}" } : undefined)),
  };
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: without ? dirname(unbundled) : root, sourcefile: "page.js" },
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    write: false,
    logLevel: "silent",
    metafile: true,
    outdir: inRoot(".cache", "size"),
    target: "es2022",
    external: ["react", "react-dom", "zod", "vue", "svelte", "solid-js"],
    plugins: without ? [leaveOut] : [],
  });
  const text = new Map(outputFiles.map(({ path, contents }) => [path.split(/[\\/]/).at(-1), contents]));
  const files = Object.entries(metafile.outputs).map(([path, output]) => ({ name: path.split("/").at(-1), ...output }));
  const entry = files.find(({ entryPoint }) => entryPoint?.endsWith("page.js"));
  const atOnce = reached([entry], files);
  // By what they are made of: in the order of their names, which are hashes, the same files weigh 150 bytes more or less by chance.
  const made = ({ inputs }) => Object.keys(inputs).join();
  const inOrder = (some) => [...some].sort((one, other) => (made(one) < made(other) ? -1 : 1));
  const join = (some) => Buffer.concat(inOrder(some).map(({ name }) => text.get(name)));
  const opening = files.filter(({ entryPoint }) =>
    /(wasm\/inline-file|core\/session-chunk|indexeddb\/session-row-store)\.js$/.test(entryPoint ?? ""),
  );
  return {
    atOnce: join(atOnce),
    /** With what every page asks for as soon as it has drawn: the core, the way to it, and what tabs tell each other. */
    opened: join(reached([entry, ...opening], files)),
    later(what) {
      const lazy = files.filter((file) => !atOnce.includes(file) && what.test(file.entryPoint ?? ""));
      return join(reached(lazy, files).filter((file) => !atOnce.includes(file)));
    },
  };
}

/** The files that come with these. */
function reached(some, files) {
  const all = [...new Set(some)];
  for (const { imports } of all) {
    for (const { path, kind } of imports) {
      const file = kind === "import-statement" && files.find(({ name }) => name === path.split("/").at(-1));
      if (file && !all.includes(file)) all.push(file);
    }
  }
  return all;
}

/**
 * What a figure may be over its budget without anybody having added to it: each change of Rust puts the functions of the wasm file in
 * another order, which moves it by 300 bytes and more, and a part's figure is a difference of compressed files.
 */
export const noise = (limit) => Math.max(limit / 100, 100);

/** The sizes of the build that is in pkg/, and which of them are over their budget by more than the margin allows. */
export async function measure(margin = () => 0) {
  const budget = JSON.parse(readFileSync(inRoot("size-budget.json"), "utf8"));
  const rows = [];
  const add = (name, { raw, gzip, brotli }) => {
    if (raw === 0) throw new Error(`scripts/size.mjs finds nothing for "${name}": its file has another name now.`);
    const over = Object.entries(budget[name] ?? {}).filter(
      ([way, limit]) => ({ raw, gzip, brotli })[way] > limit + margin(limit),
    );
    const told = over.map(([way, limit]) => `${{ raw, gzip, brotli }[way] - limit} bytes (${way}) over its budget of ${limit}`);
    rows.push({ name, raw, gzip, brotli, over: told });
  };
  const bundled = await bundle(page);
  const whole = sizes(bundled.opened);
  add("page", whole);
  add("- before it draws", sizes(bundled.atOnce));
  // Nothing has this name.
  const modules = sizes((await bundle(page, /^$/)).opened);
  for (const [name, files] of Object.entries(parts)) {
    const rest = sizes((await bundle(page, files)).opened);
    add(`- ${name}`, { raw: modules.raw - rest.raw, gzip: modules.gzip - rest.gzip, brotli: modules.brotli - rest.brotli });
  }
  for (const [name, read] of Object.entries(measured)) add(name, sizes(await read()));
  const unknown = Object.keys(budget).filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length) throw new Error(`size-budget.json names what is not measured: ${unknown.join(", ")}`);
  return rows;
}

function sizes(bytes) {
  return { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes).length };
}

async function size() {
  const { build } = await import("./build.mjs");
  await build(await setup());
  const rows = await measure();
  const line = (name, ...cells) => console.log(name.padEnd(40) + cells.map((cell) => String(cell).padStart(10)).join(""));
  console.log();
  line("", "raw", "gzip", "brotli");
  for (const row of rows) line(row.name, row.raw, row.gzip, row.brotli);
  console.log("\nA page with a tool asks, until a first request that waits for the core leaves:");
  for (const [bundler, { files, waves: count }] of Object.entries(await waves()))
    line(bundler, `${files} files`, `${count} waves`);
  const over = rows.flatMap((row) => row.over.map((what) => `${row.name.trim()}: ${what}`));
  if (over.length) throw new StepFailed(over.join("; "), "Make it smaller, or raise size-budget.json and say why in the commit.");
}

/** Of the program with all that it has: the databases of servers, too. */
const maxOfGlove = 15_000_000;

async function sizeOfGlove() {
  await run("cargo", ["build", "--release", "--package", "glove-wasm-cli"]);
  const { size } = statSync(inRoot("target", "release", "glove"));
  console.log(`\nglove: ${(size / 1e6).toFixed(1)} MB`);
  if (size > maxOfGlove) throw new StepFailed(`glove has ${size} bytes, more than ${maxOfGlove}`, "Make it smaller.");
}

async function sizesOfModules() {
  const { build, withNames } = await import("./build.mjs");
  await build(await setup());
  for (const [module, bytes] of moduleSizes(await withNames())) console.log(module.padEnd(40) + String(bytes).padStart(10));
}

if (isMain(import.meta)) await main({ glove: sizeOfGlove, modules: sizesOfModules }[process.argv[2]] ?? size);
