// Builds what npm ships: the wasm files, their glue, the bytes as a JavaScript module, and the TypeScript layer, all into pkg/.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { likeBesideLike } from "./lib/function-order.mjs";
import { pageGlue, pageTypes, shortNames } from "./lib/glue.mjs";
import { packed } from "./lib/pack-wasm.mjs";
import { withoutPanicTexts } from "./lib/panic-texts.mjs";
import { fingerprint, hasStamp, inRoot, root, wasmTarget, writeStamp } from "./lib/project.mjs";
import { isMain, main, output, run, runTool, step } from "./lib/run.mjs";
import { subPaths, writeFolders } from "./lib/subpath-folders.mjs";
import { setup } from "./setup.mjs";

// What rustc's wasm32 target uses. Named one by one: with --all-features wasm-opt writes a module that no browser takes.
const wasmFeatures = [
  "bulk-memory",
  "bulk-memory-opt",
  "call-indirect-overlong",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

const asFlags = wasmFeatures.map((name) => `--enable-${name}`);
const strip = ["--strip-debug", "--strip-producers", "--strip-target-features"];

const generated = inRoot("js", "src", "wasm", "generated");

/** The wasm files, each made of a crate; of the one that every page loads, more orders are tried. */
const parts = [
  { name: "glove_wasm", crate: "page-sessions", orders: 16 },
  { name: "glove_providers", crate: "page-providers", orders: 3 },
  { name: "glove_tasks", crate: "page-tasks", orders: 3 },
];

/** What goes into a wasm file: the core, the crates of pages, and those that stand on the core alone. */
const wasmSources = [
  "src",
  ...["json", "macros", "task", "page", "page-sessions", "page-providers", "page-tasks", "page-decoders"].map(
    (crate) => `crates/${crate}`,
  ),
  "Cargo.toml",
  "Cargo.lock",
];

export async function build(tools) {
  await unpacker();
  for (const part of parts) await wasm(part, tools.bindgen);
  if (hasStamp("typescript", ofTypescript())) return;
  await step("compiling TypeScript", "Read the compiler's messages above.", typescript);
  writeStamp("typescript", ofTypescript());
}

/** All that the TypeScript layer is made of, and all that is made of it: when nothing of both has changed, it stands. */
const ofTypescript = () =>
  fingerprint({
    texts: [process.version],
    files: [
      ...["js", "pkg", ...subPaths, "scripts", "tools/sandbox", "crates/sandbox/src/prelude.js", "src/providers/table.json"],
      ...["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"],
    ].map((part) => inRoot(part)),
  });

/** Compiles a crate of the workspace that is in a folder to a wasm file, and gives its path. */
export async function compile(crate, folder = root) {
  const name = `glove-wasm-${crate}`;
  return cargo(name.replaceAll("-", "_"), folder, ["--package", name], inlining);
}

/** Where the sources stand once more while the build is checked for being reproducible. */
export const again = inRoot(".cache", "again");

/** Functions with more than this on their stack stay functions, also those that are called once: 1.4 kB of the page. */
const inlining = ["-Cllvm-args=-inline-max-stacksize=24"];

/** The names of functions are for what comes behind, which takes them out. */
export const releaseProfile = { CARGO_PROFILE_RELEASE_STRIP: "debuginfo" };

async function cargo(name, folder, options = [], flags = []) {
  const locked = process.env.CI ? ["--locked"] : [];
  const target = targetOf(folder === again ? root : folder);
  await run("cargo", ["build", "--release", "--target", wasmTarget, "--target-dir", target, ...options, ...locked], {
    cwd: folder,
    env: {
      // Folders of the building machine get neutral names, so that the same commit gives the same bytes everywhere.
      CARGO_ENCODED_RUSTFLAGS: [...remappedPaths(folder), ...flags].join("\x1f"),
      RUSTFLAGS: undefined,
      ...releaseProfile,
    },
  });
  return join(target, wasmTarget, "release", `${name}.wasm`);
}

/** Where cargo puts what it compiles of a workspace. */
const targetOf = (folder) =>
  JSON.parse(output("cargo", ["metadata", "--format-version", "1", "--no-deps"], { cwd: folder })).target_directory;

function remappedPaths(folder) {
  const places = [
    [process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "/cargo"],
    [output("rustc", ["--print", "sysroot"]), "/rust"],
    [folder, "/glove-wasm"],
    // The last one that fits counts. Always named, so that both builds are given the same, and share the crates of others.
    [again, "/glove-wasm"],
  ];
  return places.map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
}

const wasmFile = (name) => inRoot("pkg", `${name}_bg.wasm`);
const glueFiles = (name) => [`${name}.js`, `${name}.d.ts`, `${name}_bytes.js`, `${name}_bytes.d.ts`];

const unpackerFiles = ["unpacker.js", "unpacker.d.ts"];

/** The small wasm file that puts the others together, in digits of 16, in which compression finds more than in base64. */
async function unpacker() {
  const folder = inRoot("tools", "unpack");
  const inputs = fingerprint({
    texts: [output("rustc", ["--version"])],
    files: [...["src", "Cargo.toml", "Cargo.lock"].map((part) => join(folder, part)), import.meta.filename],
  });
  const [code, types] = unpackerFiles.map((file) => join(generated, file));
  if (hasStamp("unpacker", inputs) && existsSync(code)) return;
  const compiled = await step("compiling what unpacks the wasm files", "Read the compiler's messages above.", () =>
    cargo("glove_unpack", folder),
  );
  const small = inRoot(".cache", "unpack.wasm");
  await runTool("binaryen/bin/wasm-opt", [compiled, "-Oz", ...asFlags, ...strip, "-o", small]);
  mkdirSync(generated, { recursive: true });
  writeFileSync(code, `export const unpacker = "${readFileSync(small).toString("hex")}";\n`);
  writeFileSync(types, "/** The wasm file of tools/unpack, in digits of 16. */\nexport declare const unpacker: string;\n");
  writeStamp("unpacker", inputs);
}

async function wasm({ name, crate, orders }, bindgen) {
  const inputs = fingerprint({
    texts: [bindgen, output("rustc", ["--version"]), readFileSync(inRoot("node_modules", "binaryen", "package.json"), "utf8")],
    files: [
      ...wasmSources.map((part) => inRoot(part)),
      import.meta.filename,
      ...["ascii", "function-order", "glue", "instructions", "pack-wasm", "panic-texts"].map((file) =>
        inRoot("scripts", "lib", `${file}.mjs`),
      ),
    ],
  });
  const made = [wasmFile(name), ...glueFiles(name).map((file) => join(generated, file))];
  if (hasStamp(name, inputs) && made.every(existsSync)) return;
  const compiled = await step(`compiling Rust to WebAssembly (${crate})`, "Read the compiler's messages above.", () =>
    compile(crate),
  );
  const work = inRoot(".cache", "glue", name);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(generated, { recursive: true });
  mkdirSync(inRoot("pkg"), { recursive: true });

  await step("writing the JavaScript glue", "Read the messages of wasm-bindgen above.", async () => {
    await run(bindgen, [compiled, work, name]);
  });
  const written = join(work, `${name}_bg.wasm`);
  writeFileSync(written, withoutPanicTexts(readFileSync(written)));
  await step("optimising the wasm file (about a minute)", "Read the messages of wasm-opt above.", () =>
    optimise(written, wasmFile(name)),
  );
  const { wasm: optimised, names } = shortNames(readFileSync(wasmFile(name)));
  const travels = (params) => (wasm) => brotliCompressSync(packed(wasm), { params }).length;
  const file = likeBesideLike(optimised, orders, travels({}), travels({ [constants.BROTLI_PARAM_QUALITY]: 9 }));
  writeFileSync(wasmFile(name), file);
  writeFileSync(join(generated, `${name}.js`), pageGlue(readFileSync(join(work, `${name}.js`), "utf8"), names));
  writeFileSync(join(generated, `${name}.d.ts`), pageTypes(readFileSync(join(work, `${name}.d.ts`), "utf8")));
  const carried = { text: packed(file), length: file.length };
  writeFileSync(join(generated, `${name}_bytes.js`), `export const bytes = ${JSON.stringify(carried)};\n`);
  writeFileSync(join(generated, `${name}_bytes.d.ts`), `export declare const bytes: import("../inline.js").Packed;\n`);
  writeStamp(name, inputs);
}

/** The decoders alone, which only their benchmark loads; gives the path of the glue. */
export async function decoders({ bindgen }) {
  const folder = inRoot(".cache", "decoders");
  const glue = join(folder, "decoders.js");
  const inputs = fingerprint({
    texts: [bindgen, output("rustc", ["--version"])],
    files: [...wasmSources.map((part) => inRoot(part)), import.meta.filename],
  });
  if (hasStamp("decoders", inputs) && existsSync(glue)) return glue;
  await step("compiling the decoders alone (about a minute)", "Read the compiler's messages above.", async () => {
    const compiled = await compile("page-decoders");
    await run(bindgen, [compiled, folder, "decoders"]);
    const file = join(folder, "decoders_bg.wasm");
    await optimise(file, file);
  });
  writeStamp("decoders", inputs);
  return glue;
}

/**
 * What counts is the size as it travels. -Oz and --converge take two to four times as long and gain nothing; functions that are
 * called once stay functions, because inlined they repeat less (5 kB), and stand beside those with like names (1 kB). Nothing lies in
 * the first kilobyte, the far end of the stack: so a small number that is added to an address goes into the instruction (0.4 kB).
 */
async function optimise(input, file, names = strip) {
  const passes = [
    "-Os",
    "--one-caller-inline-max-function-size",
    "0",
    "--reorder-functions-by-name",
    "--reorder-locals",
    "--low-memory-unused",
  ];
  await runTool("binaryen/bin/wasm-opt", [input, ...passes, ...asFlags, ...names, "-o", file]);
}

/** The wasm file of sessions with the names of its functions, after a build; gives its path. */
export async function withNames() {
  const named = inRoot(".cache", "named.wasm");
  await optimise(inRoot(".cache", "glue", "glove_wasm", "glove_wasm_bg.wasm"), named, ["-g"]);
  return named;
}

/** The table of providers for JavaScript, from the one of Rust: short, because every page has it. */
function providerRows() {
  const table = JSON.parse(readFileSync(inRoot("src", "providers", "table.json"), "utf8"));
  const rows = table.map(({ id, name, format, baseURL, envVar, maxTokens, models }) => [
    ...[id, name, baseURL, envVar, maxTokens, models.join(" ")],
    ...(format === "openai" ? [] : [format]),
  ]);
  const row =
    "readonly [id: ProviderId, name: string, baseURL: string, envVar: string, maxTokens: number, models: string, format?: string]";
  writeFileSync(join(generated, "provider_rows.js"), `export const rows = ${JSON.stringify(rows)};\n`);
  const ids = rows.map(([id]) => JSON.stringify(id)).join(" | ");
  const types = `/** The providers that are known by name. */\nexport type ProviderId = ${ids};\nexport declare const rows: readonly (${row})[];\n`;
  writeFileSync(join(generated, "provider_rows.d.ts"), types);
}

/** The style sheet as a module, as small as it travels, and without the nesting that older browsers do not know. */
async function styles() {
  const { transform } = await import("esbuild");
  const options = { loader: "css", minify: true, target: ["chrome100", "firefox101", "safari16.4"] };
  const folder = inRoot("js", "react", "look", "generated");
  mkdirSync(folder, { recursive: true });
  for (const [name, sheet] of Object.entries(sheets)) {
    const text = readFileSync(inRoot("js", "react", sheet), "utf8");
    const { code } = await transform(name === "base-css" ? beforeMessages(text) : text, options);
    writeFileSync(join(folder, `${name}.js`), `export const css = ${JSON.stringify(code.trim())};\n`);
    writeFileSync(
      join(folder, `${name}.d.ts`),
      "/** A style sheet of the built-in look. */\nexport declare const css: string;\n",
    );
  }
}

/** The style sheets, by the name of their module: that of the look and its first part, that of a document, and those of what is loaded with the first file, with cards, with commands, with tables and code, with a search, with a selection, with a list of threads, with what is found in them, with a widget, with several questions, or while something waits; that of the board of tasks. */
const sheets = {
  css: "style.css",
  "base-css": "style.css",
  "attachments-css": "attachments/style.css",
  "large-css": "attachments/large.css",
  "calls-css": "parts/calls/style.css",
  "commands-css": "commands/style.css",
  "document-css": "look/document.css",
  "extras-css": "markdown/extras/style.css",
  "finding-css": "finding/style.css",
  "hits-css": "threads/hits.css",
  "questions-css": "questions/style.css",
  "quote-css": "parts/reading/quote.css",
  "threads-css": "threads/style.css",
  "widget-css": "widget/style.css",
  "working-css": "working/style.css",
  "task-board-css": "../tasks/react/style.css",
};

/** What a list of threads and a widget need of the look: all that stands before the line where the messages begin. */
function beforeMessages(sheet) {
  const [base, rest] = sheet.split(/^ *\/\* -+ the list -+ \*\/$/m);
  if (rest === undefined) throw new Error("js/react/style.css has no line where the list begins.");
  return `${base}}`;
}

const sandboxFolder = inRoot("js", "tools", "sandbox", "generated");
const sandboxFiles = ["engine.js", "engine.d.ts"];

/** The engine of sandboxed code and the text of its worker, as a module that is loaded with the first such call. */
async function sandbox() {
  const engine = inRoot("node_modules", "@jitl", "quickjs-ng-wasmfile-release-sync");
  const places = [inRoot("tools", "sandbox"), inRoot("crates", "sandbox", "src", "prelude.js"), import.meta.filename];
  const versions = [engine, inRoot("node_modules", "quickjs-emscripten-core")].map((folder) => join(folder, "package.json"));
  const inputs = fingerprint({ texts: versions.map((file) => readFileSync(file, "utf8")), files: places });
  if (hasStamp("sandbox", inputs) && sandboxFiles.every((file) => existsSync(join(sandboxFolder, file)))) return;
  const { build, transform } = await import("esbuild");
  const asText = {
    name: "prelude",
    setup: ({ onLoad }) =>
      onLoad({ filter: /prelude\.js$/ }, async ({ path }) => {
        // An expression that nobody uses would go away.
        const { code } = await transform(`used=${readFileSync(path, "utf8")}`, { minify: true, target: "es2022" });
        return { contents: code.replace(/^used=/, ""), loader: "text" };
      }),
  };
  const { outputFiles } = await build({
    entryPoints: [inRoot("tools", "sandbox", "worker.js")],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    conditions: ["browser"],
    // Nothing is fetched from there: the compiled engine comes with the call.
    define: { "import.meta.url": '"https://sandbox.invalid/"' },
    plugins: [asText],
    legalComments: "none",
    write: false,
  });
  const file = readFileSync(join(engine, "dist", "emscripten-module.wasm"));
  const carried = { text: packed(file), length: file.length };
  const licence = readFileSync(join(engine, "LICENSE"), "utf8").trim();
  mkdirSync(sandboxFolder, { recursive: true });
  const about = `QuickJS-ng and quickjs-emscripten.\n${licence}`.replaceAll("*/", "* /");
  const code = `/*! ${about} */\nexport const worker = ${JSON.stringify(outputFiles[0].text)};\nexport const engine = ${JSON.stringify(carried)};\n`;
  writeFileSync(join(sandboxFolder, "engine.js"), code);
  const types = `/** The text of the worker. */\nexport declare const worker: string;\nexport declare const engine: import("../../../src/wasm/inline.js").Packed;\n`;
  writeFileSync(join(sandboxFolder, "engine.d.ts"), types);
  writeStamp("sandbox", inputs);
}

/** The worker of pages whose core is in one, as a text: bundlers have no file to find. */
async function worker() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [inRoot("js", "src", "worker", "worker.ts")],
    bundle: true,
    minify: true,
    // No module: a frame that has no origin may not start one from a text.
    format: "iife",
    target: "es2022",
    legalComments: "none",
    write: false,
  });
  mkdirSync(workerFolder, { recursive: true });
  writeFileSync(join(workerFolder, "worker.js"), `export const text = ${JSON.stringify(outputFiles[0].text)};\n`);
  writeFileSync(join(workerFolder, "worker.d.ts"), "/** The text of the worker. */\nexport declare const text: string;\n");
}

const workerFolder = inRoot("js", "src", "worker", "generated");
const workerFiles = ["worker.js", "worker.d.ts"];

export async function typescript() {
  await worker();
  providerRows();
  await styles();
  await sandbox();
  for (const part of ["src", "react", "remote", "server", "tasks", "testing", "tools", "ai-sdk", "mcp"])
    rmSync(inRoot("pkg", part), { recursive: true, force: true });
  await runTool("typescript/bin/tsc", ["-p", "tsconfig.build.json"]);
  const folder = inRoot("pkg", "src", "wasm", "generated");
  mkdirSync(folder, { recursive: true });
  for (const file of unpackerFiles) copyFileSync(join(generated, file), join(folder, file));
  for (const { name } of parts) {
    for (const file of glueFiles(name)) copyFileSync(join(generated, file), join(folder, file));
    copyFileSync(inRoot("js", "src", "wasm", "module.d.ts"), `${wasmFile(name)}.d.ts`);
  }
  for (const file of ["provider_rows.js", "provider_rows.d.ts"]) copyFileSync(join(generated, file), join(folder, file));
  mkdirSync(inRoot("pkg", "react", "look", "generated"), { recursive: true });
  for (const name of Object.keys(sheets).flatMap((name) => [`${name}.js`, `${name}.d.ts`])) {
    copyFileSync(inRoot("js", "react", "look", "generated", name), inRoot("pkg", "react", "look", "generated", name));
  }
  mkdirSync(inRoot("pkg", "tools", "sandbox", "generated"), { recursive: true });
  mkdirSync(inRoot("pkg", "src", "worker", "generated"), { recursive: true });
  for (const file of workerFiles) copyFileSync(join(workerFolder, file), inRoot("pkg", "src", "worker", "generated", file));
  for (const file of sandboxFiles) copyFileSync(join(sandboxFolder, file), inRoot("pkg", "tools", "sandbox", "generated", file));
  for (const name of ["style.css", "style.css.d.ts"]) copyFileSync(inRoot("js", "react", name), inRoot("pkg", "react", name));
  // Here, as it needs packages that set-up installs.
  const { pack } = await import("./lib/bundle-modules.mjs");
  await pack();
  writeFolders();
}

if (isMain(import.meta)) await main(async () => build(await setup()));
