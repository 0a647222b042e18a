// `npm test`: set-up, then every test there is, but for what has passed in the same state; `npm test -- rust js` runs only those,
// `npm test -- long` the whole of the loops of which it runs a part otherwise. Ends with the sums of all runners.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { build, decoders } from "./build.mjs";
import { findShell } from "./lib/chromium.mjs";
import { engines } from "./lib/engines.mjs";
import { fingerprint, hasStamp, inRoot, writeStamp } from "./lib/project.mjs";
import { machineTime, main, output, processorTime, run, runTool, StepFailed } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

const runners = {
  rust: { run: (_, show) => cargo([], show), needs: { servers: true } },
  js: { run: () => vitest("js", ["js*"]), needs: { build: true } },
  e2e: { run: () => inBrowsers("e2e", ["e2e*"]), needs: { build: true, decoders: true, chromium: true, site: true } },
  engines: { run: inEngines, needs: { build: true, engines: true } },
  real: { run: withRealParts, needs: { build: true, chromium: true, real: true, servers: true } },
  packaging: { run: () => inBrowsers("packaging", ["packaging"]), needs: { build: true, chromium: true } },
  // Hours: before a release, and when what they are about has changed.
  long: { run: longLoops, needs: { build: true, chromium: true, servers: true }, byNameOnly: true },
};

/** As it was started: what set-up finds is set later. */
const settings = JSON.stringify(
  Object.entries(process.env)
    .filter(([name]) => /^(GLOVE_|RUST|CARGO_)/.test(name))
    .sort(),
);

/** Longer than the slowest build and the slowest file of tests take. */
const silenceMs = 10 * 60_000;
/** Longer than a whole loop of five hundred takes, which says nothing before its end. */
const longMs = 60 * 60_000;

await main(async () => {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in runners));
  if (unknown.length) {
    throw new StepFailed(`there are no tests called ${unknown.join(", ")}`, `Choose from: ${Object.keys(runners).join(", ")}.`);
  }
  await test(names.length ? names : standing(Object.keys(runners).filter((name) => !runners[name].byNameOnly)));
});

/**
 * What runs of these: all that was not named and has passed is left out while no file, tool or setting has changed since. CI runs
 * everything.
 */
function standing(names) {
  if (process.env.CI) return names;
  const now = state();
  const [passed, others] = [true, false].map((has) => names.filter((name) => hasStamp(`passed-${name}`, now) === has));
  if (passed.length) {
    console.log(`Skipped, because they passed and nothing has changed since: ${passed.join(", ")}. Name them to run them again.`);
  }
  return others;
}

/** All files but those that git ignores, the toolchains, and what is set for tests: any test may read any file. */
function state() {
  const files = output("git", ["ls-files", "-co", "--exclude-standard", "-z"])?.split("\0").filter(Boolean);
  // Without git nothing is known of them, and no two states are the same.
  if (!files) return String(Math.random());
  return fingerprint({
    texts: [process.version, output("rustc", ["-vV"]) ?? "", settings],
    files: [...new Set(files)].map((file) => inRoot(file)),
  });
}

async function test(names) {
  const needed = (what) => names.some((name) => runners[name].needs[what]);
  const tools = await setup({
    chromium: needed("chromium"),
    engines: needed("engines") ? engines : [],
    servers: needed("servers"),
    real: needed("real"),
    site: needed("site"),
  });
  if (tools.chromium) process.env.GLOVE_CHROME = tools.chromium;
  const shell = tools.chromium && (await findShell());
  if (shell) process.env.GLOVE_CHROME_SHELL = shell;

  const sums = none();
  const times = [];
  const runs = async (name, show = undefined) => {
    const [since, worked, machine, before] = [performance.now(), processorTime(), machineTime(), state()];
    const found = await runners[name].run(tools, show);
    add(sums, found);
    if (found.passed > 0 && found.failed.length === 0) writeStamp(`passed-${name}`, before);
    const took = performance.now() - since;
    const share = Math.round((100 * (machineTime() - machine)) / (took * availableParallelism()));
    const own = worked === undefined ? "" : `${seconds(processorTime() - worked)} of the processor, `;
    // What runs beside others is counted with them.
    times.push(`${name} ${seconds(took)} (${show ? "beside the next" : `${own}${share} % of the machine`})`);
  };
  // Most of the build is the work of one core, and the Rust tests wait for servers and clocks: they run beside the build and the tests
  // behind it, and are shown when they have ended.
  let inRust;
  if (names.includes("rust") && needed("build")) {
    const shown = [];
    inRust = runs("rust", (text) => shown.push(text)).finally(() => console.log(`\n── rust tests\n${shown.join("")}`));
    // Its failure is thrown where it is waited for.
    inRust.catch(() => {});
  }
  // A build that fails must not keep the Rust tests from running: they may say why.
  const buildFailure = needed("build") && (await failureOf(() => builds(tools, needed("decoders"))));
  if (buildFailure) sums.failed.push(`the build: ${buildFailure.message}`);
  for (const name of names) {
    if (inRust && name === "rust") continue;
    if (runners[name].needs.build && buildFailure) {
      console.error(`✗ ${name} tests not run: ${buildFailure.message}`);
      continue;
    }
    // Browsers have the machine for themselves.
    if (name !== "js") await inRust;
    console.log(`\n── ${name} tests`);
    await runs(name);
  }
  await inRust;
  const { passed, failed, skipped } = sums;
  // Last, so that it is there where only the end of what was printed is kept.
  for (const name of failed) console.error(`✗ ${name}`);
  console.log(`\n${times.join(", ")}`);
  console.log(`${passed} passed, ${failed.length} failed${skipped ? `, ${skipped} skipped` : ""}`);
  if (failed.length) process.exitCode = 1;
}

function seconds(ms) {
  return `${Math.round(ms / 1000)} s`;
}

// What failed is named.
function none() {
  return { passed: 0, failed: [], skipped: 0 };
}

function add(sums, { passed, failed, skipped }) {
  sums.passed += passed;
  sums.failed.push(...failed);
  sums.skipped += skipped;
}

async function builds(tools, alsoDecoders) {
  await build(tools);
  if (alsoDecoders) await decoders(tools);
}

async function failureOf(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
}

function rustTests(option) {
  return ["test", "--workspace", "--all-features", option, ...(process.env.CI ? ["--locked"] : [])];
}

/** Kills at any moment, five hundred times each, and what is made with every tool that the package is made for. */
async function longLoops() {
  Object.assign(process.env, { GLOVE_LONG: "1", GLOVE_KILLS: process.env.GLOVE_KILLS ?? "500" });
  const sums = none();
  // One after the other: they measure what happens on a machine that has time.
  add(sums, await cargo(["--test", "it", "--", "killed", "answered", "native_glove::green", "--test-threads", "1"]));
  add(
    sums,
    await vitest("e2e", ["e2e"], {
      files: ["kills", "tab-deaths", "tasks", "walk-throughs"].map((name) => `tests/e2e/${name}.test.ts`),
    }),
  );
  add(
    sums,
    await vitest("packaging", ["packaging"], {
      files: ["next", "create", "created-apps"].map((name) => `tests/packaging/${name}.test.ts`),
    }),
  );
  return sums;
}

/** Unit, integration and documentation tests. */
async function cargo(some = [], show = undefined) {
  const counts = none();
  const running = new Set();
  const onLine = (line) => {
    const slow = /^test (.*) has been running for over/.exec(line);
    if (slow) running.add(slow[1]);
    const [, ended, result] = /^test (.*) \.\.\. (\w+)/.exec(line) ?? [];
    running.delete(ended);
    if (result === "FAILED") counts.failed.push(ended);
    const sums = /^test result: .*? (\d+) passed; \d+ failed; (\d+) ignored/.exec(line);
    if (sums) add(counts, { passed: Number(sums[1]), failed: [], skipped: Number(sums[2]) });
  };
  // Many of them wait for servers and clocks.
  const env = { RUST_TEST_THREADS: process.env.RUST_TEST_THREADS ?? String(2 * availableParallelism()) };
  const failure = await failureOf(() =>
    run("cargo", [...rustTests("--no-fail-fast"), ...some], { onLine, show, env, silenceMs: some.length ? longMs : silenceMs }),
  );
  counts.failed.push(...[...running].map((name) => `${name}: it did not end`));
  return countFailure(counts, failure);
}

/** The tests of browsers, in those that are not Chromium: beside each other, as neither keeps two cores busy to its end. */
async function inEngines(tools) {
  const sums = none();
  const installed = [];
  for (const name of engines) {
    const programs = tools.engines[name];
    if (!programs) {
      console.log(`The tests in ${name} are skipped: it is not installed, and only root on Debian can install it here.`);
      sums.skipped++;
      continue;
    }
    Object.assign(process.env, programs);
    installed.push(`engines-${name}`);
  }
  if (installed.length) add(sums, await inBrowsers("engines", installed));
  return sums;
}

/** Servers, clients and engines that others wrote. */
async function withRealParts(tools) {
  if (tools.llama) process.env.GLOVE_LLAMA = tools.llama;
  else console.log("The tests with llama.cpp's server are skipped: it is not installed, and pip cannot install it here.");
  return vitest("real", ["real"]);
}

/** Tests of browsers wait a third of their time, so there is one more of them than cores. */
function inBrowsers(name, projects) {
  return vitest(name, projects, { workers: availableParallelism() + 1 });
}

/** These projects of vitest.config.ts, or these files of them; the report has the name. */
async function vitest(name, projects, { files = [], workers = availableParallelism() } = {}) {
  const report = inRoot(".cache", "reports", `${name}.json`);
  mkdirSync(inRoot(".cache", "reports"), { recursive: true });
  rmSync(report, { force: true });
  const failure = await failureOf(() =>
    runTool(
      "vitest/vitest.mjs",
      [
        "run",
        ...projects.flatMap((project) => ["--project", project]),
        ...files,
        ...["--reporter=default", "--reporter=json", `--outputFile=${report}`],
      ],
      { silenceMs, env: { TEST_WORKERS: String(workers) } },
    ),
  );
  const counts = none();
  if (existsSync(report)) {
    const { numPassedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
    const failed = testResults.flatMap(({ name: file, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === "failed")
        .map(({ fullName, failureMessages = [] }) => `${relative(inRoot(), file)}: ${fullName}${reason(failureMessages[0])}`),
    );
    add(counts, { passed: numPassedTests, failed, skipped: numPendingTests });
    const longest = testResults
      .map(({ name: file, startTime, endTime }) => ({ file: relative(inRoot(), file), seconds: (endTime - startTime) / 1000 }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, 8);
    console.log(`Longest: ${longest.map(({ file, seconds }) => `${file} ${seconds.toFixed()} s`).join(", ")}`);
    // Why the first try failed says what to mend.
    for (const { name: file, assertionResults } of testResults)
      for (const { status, fullName, failureMessages } of assertionResults)
        if (status === "passed" && failureMessages?.length)
          console.log(`↻ ${relative(inRoot(), file)}: ${fullName}: ${failureMessages.join("\n")}`);
  }
  return countFailure(counts, failure);
}

/** How a failure begins, on one line: the end of what was printed may be all that is kept. */
function reason(message = "") {
  return message && `: ${message.replace(/\s+/g, " ").slice(0, 400)}`;
}

// A runner that failed without a failed test (nothing compiled, a file that cannot be loaded) counts as one failure.
function countFailure(counts, failure) {
  if (failure) console.error(`✗ ${failure.message}`);
  return failure && !counts.failed.length ? { ...counts, failed: [failure.message] } : counts;
}
