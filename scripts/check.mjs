// `npm run check`: formatting, lints, types, licences and the wasm target's dependencies; `npm run check -- clippy types`
// runs only those. All run, whatever fails; the end says which did. With `--release` what else is only told fails too.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { again, build, compile, releaseProfile } from "./build.mjs";
import { endings, noticeDays, providerRows, userTexts } from "./lib/model-ends.mjs";
import { inRoot, userCache, wasmTarget } from "./lib/project.mjs";
import { main, output, run, runTool, StepFailed, step } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

const denyWarnings = ["--", "-D", "warnings"];
const bindgen = "tools/bindgen/Cargo.toml";
const unpack = "tools/unpack/Cargo.toml";

const checks = {
  format: {
    fix: "Run `cargo fmt --all`, and for a tool `cargo fmt --manifest-path tools/bindgen/Cargo.toml`.",
    async run() {
      await run("cargo", ["fmt", "--all", "--check"]);
      for (const tool of [bindgen, unpack]) await run("cargo", ["fmt", "--check", "--manifest-path", tool]);
    },
  },
  lint: {
    fix: "Run `npx biome check --write`, and mend by hand what is left.",
    run: () => runTool("@biomejs/biome/bin/biome", ["ci", ...(process.stdout.isTTY ? [] : ["--colors=off"])]),
  },
  clippy: {
    fix: "Read clippy's messages above.",
    async run() {
      await run("cargo", ["clippy", "--workspace", "--all-targets", "--all-features", ...denyWarnings]);
      // Not among all targets, because it needs a server to run.
      await run("cargo", ["clippy", "--workspace", "--all-features", "--test", "native_llama", ...denyWarnings]);
      // Together they ask for the core as most users have it: what only the rest needs is dead code there. Their macros are those
      // of the build.
      const pages = ["sessions", "providers", "tasks", "decoders"].flatMap((part) => ["--package", `glove-wasm-page-${part}`]);
      await run("cargo", ["clippy", "--release", ...pages, "--target", wasmTarget, ...denyWarnings], { env: releaseProfile });
      await run("cargo", ["clippy", "--manifest-path", unpack, "--target", wasmTarget, ...denyWarnings]);
    },
  },
  architecture: {
    fix: "tests/it/architecture.rs, tests/it/crates.rs and tests/js/architecture.test.ts say what each part may know of, and tests/it/import_circles.rs that nothing knows of itself in a circle; move the code, or that line.",
    async run() {
      const subjects = ["architecture::", "crates::", "import_circles::"];
      await run("cargo", ["test", "--workspace", "--all-features", "--test", "it", "--", ...subjects]);
      await runTool("vitest/vitest.mjs", ["run", "--project", "js", "tests/js/architecture.test.ts"]);
    },
  },
  types: {
    wasm: true,
    fix: "Read the compiler's messages above.",
    async run({ tools }) {
      // The declarations of the core come out of the build.
      await build(tools);
      await runTool("typescript/bin/tsc", ["--noEmit"]);
    },
  },
  models: {
    fix: "Take a model of today's list: change its row in src/providers/table.json, with its date and source, and the texts that name it.",
    run: modelEnds,
  },
  dependencies: {
    fix: "Leave the crate out, or add it to wasm-dependencies.txt and tell in the commit what it weighs.",
    run: wasmDependencies,
  },
  reproducible: {
    wasm: true,
    fix: "Look for a path, a time or a random order that gets into the code; scripts/build.mjs gives folders neutral names.",
    run: reproducible,
  },
  // Behind what one core makes: it takes both, and waits for all else that is compiled for this machine.
  reference: {
    wasm: true,
    fix: "Read the messages of rustdoc and typedoc above. What a public type names is exported, or listed in tools/reference/typedoc.json.",
    async run({ tools }) {
      await build(tools);
      // Here, as it needs packages that set-up installs.
      const { reference } = await import("./reference.mjs");
      await reference();
    },
  },
  licences: {
    fix: "Read cargo-deny's messages above; deny.toml holds the rules. `npm run third-party` writes the notices anew.",
    run: licences,
  },
};

const release = process.argv.includes("--release");

await main(async () => {
  const names = process.argv.slice(2).filter((name) => name !== "--release");
  const unknown = names.filter((name) => !(name in checks));
  if (unknown.length) {
    throw new StepFailed(`there is no check called ${unknown.join(", ")}`, `Choose from: ${Object.keys(checks).join(", ")}.`);
  }
  const tools = await setup({ site: true });
  const failures = [];
  const inOrder = async (some) => {
    for (const name of some) {
      await step(name, checks[name].fix, () => checks[name].run({ tools })).catch((error) => failures.push(error));
    }
  };
  const chosen = names.length ? names : Object.keys(checks);
  // Making a wasm file is the work of one core most of the time, so the other has the rest meanwhile.
  await Promise.all([true, false].map((wasm) => inOrder(chosen.filter((name) => (checks[name].wasm ?? false) === wasm))));
  if (failures.length === 0) return console.log("\nAll checks passed.");
  console.error(failures.map((error) => `\n✗ ${error.message}${error.fix ? `\n  ${error.fix}` : ""}`).join(""));
  process.exitCode = 1;
});

/** Models that users read of are there for a while yet. Time alone breaks no check of an older state, but no release. */
function modelEnds() {
  const found = endings(providerRows(), userTexts(), new Date().toISOString().slice(0, 10));
  if (found.length === 0) return;
  const told = `models that are gone, or end within ${noticeDays} days:\n${found.map((line) => `    ${line}`).join("\n")}`;
  if (release) throw new Error(told);
  console.warn(`  Warning: ${told}`);
}

/** The crates that reach the wasm file are exactly those of the list. */
function wasmDependencies() {
  // What runs at compile time only (a proc macro and what it needs) is no part of the wasm file.
  const args = [
    "tree",
    "--package",
    "glove-wasm-page-tasks",
    "--target",
    wasmTarget,
    "-e",
    "normal,no-proc-macro",
    "--prefix",
    "none",
    "--format",
    "{p}",
  ];
  const tree = output("cargo", args);
  if (tree === undefined) throw new Error("cargo tree failed");
  const used = new Set(tree.split("\n").map((line) => line.split(" ")[0]));
  for (const own of used) if (own.startsWith("glove-wasm")) used.delete(own);
  const list = readFileSync(inRoot("wasm-dependencies.txt"), "utf8").split("\n");
  const allowed = new Set(list.filter((line) => line && !line.startsWith("#")));
  const added = [...used].filter((name) => !allowed.has(name));
  const gone = [...allowed].filter((name) => !used.has(name));
  if (added.length) throw new Error(`not in the list: ${added.join(", ")}`);
  if (gone.length) throw new Error(`in the list and not used: ${gone.join(", ")}`);
}

/** The same sources in another folder give the same bytes. The crates of others, which stand where they stood, are compiled once. */
async function reproducible() {
  rmSync(again, { recursive: true, force: true });
  try {
    const file = await compile("page-sessions");
    const [here, since] = [readFileSync(file), statSync(file).mtimeMs];
    // What Cargo.toml names has to be there too. A copy is younger than what was compiled, so cargo compiles it.
    for (const part of [
      "Cargo.toml",
      "Cargo.lock",
      "src",
      "crates",
      "benches",
      "tests/Cargo.toml",
      "tests/it",
      "tests/native_llama.rs",
    ]) {
      cpSync(inRoot(part), join(again, part), { recursive: true });
    }
    const there = await compile("page-sessions", again);
    if (statSync(there).mtimeMs === since) throw new Error("the second build compiled nothing");
    if (!here.equals(readFileSync(there))) throw new Error("a second build in another folder gave other bytes");
  } finally {
    rmSync(again, { recursive: true, force: true });
  }
}

/** Licences and sources of all crates, and the notices that are shipped. Advisories stay out: their database is no package, and not every CI reaches it. */
async function licences() {
  const deny = await cargoDeny();
  for (const manifest of ["Cargo.toml", bindgen]) {
    const options = ["--manifest-path", manifest, "--config", "deny.toml", "--log-level", "error"];
    await run(deny, [...options, "check", "licenses", "bans", "sources"]);
  }
  // Here, as it needs packages that set-up installs.
  const { checkThirdParty } = await import("./third-party.mjs");
  await checkThirdParty();
}

/** cargo-deny, built once into the user's cache folder, without optimisation: that halves the wait. */
async function cargoDeny() {
  const version = "0.20.2";
  const folder = join(userCache(), `cargo-deny-${version}`);
  const program = join(folder, "bin", process.platform === "win32" ? "cargo-deny.exe" : "cargo-deny");
  if (existsSync(program)) return program;
  await step(
    `building cargo-deny ${version} into the user's cache (one to two minutes, once)`,
    "Check that cargo reaches crates.io, then run this again.",
    async () => {
      const target = join(folder, `build-${process.pid}`);
      mkdirSync(target, { recursive: true });
      await run(
        "cargo",
        ["install", "cargo-deny", "--version", version, "--locked", "--debug", "--root", folder, "--target-dir", target],
        {
          env: { CARGO_PROFILE_DEV_DEBUG: "0", CARGO_PROFILE_DEV_STRIP: "symbols" },
        },
      );
      rmSync(target, { recursive: true, force: true });
    },
  );
  return program;
}
