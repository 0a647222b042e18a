// Builds what npm ships: the wasm file, its glue, the bytes as a JavaScript module, and the TypeScript layer, all into pkg/.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fingerprint, hasStamp, inRoot, root, wasmTarget, writeStamp } from "./lib/project.mjs";
import { isMain, main, output, run, runTool, StepFailed, step } from "./lib/run.mjs";
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

const generated = inRoot("js", "src", "wasm", "generated");
const wasmFile = inRoot("pkg", "glove_wasm_bg.wasm");

export async function build(tools) {
  const compiled = await step("compiling Rust to WebAssembly", "Read the compiler's messages above.", () => compile());
  await glueAndBytes(compiled, tools.bindgen);
  await step("compiling TypeScript", "Read the compiler's messages above.", typescript);
}

/** Compiles the crate in a folder, and gives the path of the wasm file. */
export async function compile(folder = root) {
  const locked = process.env.CI ? ["--locked"] : [];
  await run("cargo", ["build", "--release", "--lib", "--target", wasmTarget, ...locked], {
    cwd: folder,
    // Folders of the building machine get neutral names, so that the same commit gives the same bytes everywhere.
    env: { CARGO_ENCODED_RUSTFLAGS: remappedPaths(folder).join("\x1f"), RUSTFLAGS: undefined },
  });
  const { target_directory } = JSON.parse(output("cargo", ["metadata", "--format-version", "1", "--no-deps"], { cwd: folder }));
  return join(target_directory, wasmTarget, "release", "glove_wasm.wasm");
}

function remappedPaths(folder) {
  const places = [
    [process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "/cargo"],
    [output("rustc", ["--print", "sysroot"]), "/rust"],
    [folder, "/glove-wasm"],
  ];
  return places.map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
}

async function glueAndBytes(compiled, bindgen) {
  const inputs = fingerprint({
    texts: [bindgen, readFileSync(inRoot("node_modules", "binaryen", "package.json"), "utf8")],
    files: [compiled, import.meta.filename],
  });
  if (hasStamp("glue", inputs) && existsSync(wasmFile) && existsSync(join(generated, "bytes.js"))) return;
  const work = inRoot(".cache", "glue");
  rmSync(work, { recursive: true, force: true });
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated, { recursive: true });
  mkdirSync(inRoot("pkg"), { recursive: true });

  await step("writing the JavaScript glue", "Read the messages of wasm-bindgen above.", async () => {
    await run(bindgen, [compiled, work, "glove_wasm"]);
    writeFileSync(join(generated, "glove_wasm.js"), guarded(readFileSync(join(work, "glove_wasm.js"), "utf8")));
    copyFileSync(join(work, "glove_wasm.d.ts"), join(generated, "glove_wasm.d.ts"));
  });
  await step("optimising the wasm file (about a minute)", "Read the messages of wasm-opt above.", () =>
    optimise(join(work, "glove_wasm_bg.wasm"), wasmFile),
  );
  // Hexadecimal, because it travels smaller than base64: compression still sees the repeated bytes in it. Of a wasm file of
  // 565 kB, brotli makes 142 kB; 151 kB of its hexadecimal text; 198 kB of its base64 text. Decoding takes the same time.
  writeFileSync(join(generated, "bytes.js"), `export const hex = "${readFileSync(wasmFile).toString("hex")}";\n`);
  writeFileSync(join(generated, "bytes.d.ts"), "export declare const hex: string;\n");
  writeStamp("glue", inputs);
}

/** The glue with js/src/wasm/guard.ts at the border of each instance, so that a trap ends neither a page nor what waits in it. */
function guarded(glue) {
  const changes = [
    ["wasm = instance.exports;", "wasm = guardExports(instance.exports);"],
    ["wasm = wasmInstance.exports;", "wasm = guardExports(wasmInstance.exports);"],
    ['"./glove_wasm_bg.js": import0,', '"./glove_wasm_bg.js": guardImports(import0),'],
    // Callbacks that an ended instance left behind.
    ["throw new Error('Cannot invoke closure from previous WASM instance');", "return;"],
  ];
  for (const [from, to] of changes) {
    if (!glue.includes(from)) throw new StepFailed(`The glue has no \`${from}\` any more`, "See what wasm-bindgen writes now.");
    glue = glue.replaceAll(from, to);
  }
  return `import { guardExports, guardImports } from "../guard.js";\n${glue}`;
}

/** -Oz and --converge take two to four times as long, and their files are no smaller as they travel. */
async function optimise(input, file) {
  const features = wasmFeatures.map((name) => `--enable-${name}`);
  const strip = ["--strip-debug", "--strip-producers", "--strip-target-features"];
  await runTool("binaryen/bin/wasm-opt", [input, "-Os", ...features, ...strip, "-o", file]);
}

export async function typescript() {
  for (const part of ["src", "react", "server", "testing"]) rmSync(inRoot("pkg", part), { recursive: true, force: true });
  await runTool("typescript/bin/tsc", ["-p", "tsconfig.build.json"]);
  const folder = inRoot("pkg", "src", "wasm", "generated");
  mkdirSync(folder, { recursive: true });
  for (const name of ["glove_wasm.js", "glove_wasm.d.ts", "bytes.js", "bytes.d.ts"]) {
    copyFileSync(join(generated, name), join(folder, name));
  }
  copyFileSync(inRoot("js", "src", "wasm", "module.d.ts"), `${wasmFile}.d.ts`);
  copyFileSync(inRoot("js", "react", "style.css"), inRoot("pkg", "react", "style.css"));
}

if (isMain(import.meta)) await main(async () => build(await setup()));
