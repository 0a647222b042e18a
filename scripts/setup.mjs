// Makes a fresh clone ready: finds or installs what the commands need, and skips what is there already.
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findChromium, installChromium } from "./lib/chromium.mjs";
import { findEngine, installEngine } from "./lib/engines.mjs";
import { findLlama, installLlama } from "./lib/llama.mjs";
import { fingerprint, hasStamp, inRoot, lockedVersion, userCache, wasmTarget, writeStamp } from "./lib/project.mjs";
import { isMain, main, output, run, StepFailed, step } from "./lib/run.mjs";
import { installServers } from "./lib/servers.mjs";

/** Prepares the clone; `chromium: true` also asks for a browser, `servers` for those
 * that tests start, `real` for what others wrote, `site` for what only the site needs, `pictures` for what films need,
 * `engines` for browsers that may be missing. Gives the paths of what it found. */
export async function setup({
  chromium = false,
  engines = [],
  servers = false,
  real = false,
  site = false,
  pictures = false,
} = {}) {
  const since = performance.now();
  checkNode();
  checkRust();
  await wasmStandardLibrary();
  await npmPackages();
  const tools = { bindgen: await bindgen(), chromium: chromium ? await browser() : undefined, engines: {} };
  for (const name of engines) tools.engines[name] = await engine(name);
  if (servers) await installServers();
  if (pictures) await packagesIn("tools/pictures", "what films need");
  if (site) await packagesIn("tools/site", "what the site needs");
  if (real) {
    await packagesIn("tests/real/clients", "what others wrote: clients");
    await packagesIn("tests/real/copilotkit", "what others wrote: copilotkit");
    await packagesIn("tests/real/mcp", "what others wrote: mcp");
    tools.llama = await llamaServer();
  }
  console.log(`Set-up is complete (${((performance.now() - since) / 1000).toFixed(1)} s).`);
  return tools;
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new StepFailed(`Node ${process.versions.node} is too old`, "Install Node 20.19 or newer.");
}

function checkRust() {
  if (output("cargo", ["--version"])) return;
  throw new StepFailed(
    "Rust was not found",
    "Install it with rustup (https://rustup.rs), open a new terminal, and run this again.",
  );
}

async function wasmStandardLibrary() {
  const folder = output("rustc", ["--print", "target-libdir", "--target", wasmTarget]);
  if (folder && existsSync(folder)) return;
  await step(
    `installing Rust's ${wasmTarget} target`,
    `Run \`rustup target add ${wasmTarget}\` by hand; without rustup, install your distribution's Rust library for that target.`,
    () => run("rustup", ["target", "add", wasmTarget]),
  );
}

async function npmPackages() {
  const fingerprintNow = fingerprint({ texts: [process.version], files: [inRoot("package-lock.json")] });
  if (existsSync(inRoot("node_modules")) && hasStamp("npm", fingerprintNow)) return;
  await step(
    "installing npm packages (about half a minute)",
    "Check that npm reaches its registry, delete node_modules, and run `npm ci`.",
    () => run("npm", ["ci", "--ignore-scripts", "--loglevel=error"]),
  );
  writeStamp("npm", fingerprintNow);
}

/** The packages of a folder with a lock of its own, which only some commands need. */
async function packagesIn(folder, what) {
  const cwd = inRoot(...folder.split("/"));
  const name = folder.split("/").at(-1);
  const fingerprintNow = fingerprint({ texts: [process.version], files: [join(cwd, "package-lock.json")] });
  if (existsSync(join(cwd, "node_modules")) && hasStamp(name, fingerprintNow)) return;
  await step(
    `installing ${what} (about ten seconds)`,
    `Check that npm reaches its registry, delete ${folder}/node_modules, and run \`npm ci\` there.`,
    () => run("npm", ["ci", "--ignore-scripts", "--loglevel=error"], { cwd }),
  );
  writeStamp(name, fingerprintNow);
}

/** The program that writes the glue, built once into the user's cache folder. */
async function bindgen() {
  const source = inRoot("tools", "bindgen");
  const version = lockedVersion(inRoot("Cargo.lock"), "wasm-bindgen");
  const built = lockedVersion(join(source, "Cargo.lock"), "wasm-bindgen-cli-support");
  if (version !== built) {
    throw new StepFailed(
      `wasm-bindgen is ${version} in Cargo.lock and ${built} in tools/bindgen/Cargo.lock`,
      "Set the same version in Cargo.toml and tools/bindgen/Cargo.toml, and update both lock files.",
    );
  }
  const name = process.platform === "win32" ? "glove-bindgen.exe" : "glove-bindgen";
  const sources = ["Cargo.toml", "Cargo.lock", "src"].map((part) => join(source, part));
  const folder = join(userCache(), `wasm-bindgen-${version}`, `${process.arch}-${fingerprint({ files: sources })}`);
  const program = join(folder, name);
  if (existsSync(program)) return program;

  await step(
    `building wasm-bindgen ${version} into the user's cache (one to two minutes, once)`,
    "Check that cargo reaches crates.io and that a C linker (cc) is installed, then run this again.",
    async () => {
      const target = join(folder, `build-${process.pid}`);
      mkdirSync(target, { recursive: true });
      const manifest = join(source, "Cargo.toml");
      await run("cargo", ["build", "--release", "--locked", "--manifest-path", manifest, "--target-dir", target], {
        env: { RUSTFLAGS: "", CARGO_BUILD_TARGET: undefined },
      });
      // Moved into place as the last thing, so that a broken-off build leaves no half program.
      copyFileSync(join(target, "release", name), `${program}.${process.pid}`);
      renameSync(`${program}.${process.pid}`, program);
      rmSync(target, { recursive: true, force: true });
    },
  );
  return program;
}

async function browser() {
  const found = findChromium();
  if (found) return found;
  await step(
    "installing Chromium",
    "Install Chrome or Chromium, or set GLOVE_CHROME to the path of its program.",
    installChromium,
  );
  return findChromium();
}

/** A test in another engine can be left out, so nothing fails here. */
async function engine(name) {
  if (!findEngine(name)) await installEngine(name).catch((error) => console.error(error.message));
  return findEngine(name);
}

/** So can the tests of llama.cpp's server. */
async function llamaServer() {
  if (!findLlama()) {
    await step("installing llama.cpp's server (34 MB)", "", installLlama).catch((error) => console.error(error.message));
  }
  return findLlama();
}

if (isMain(import.meta)) await main(() => setup({ chromium: true }));
