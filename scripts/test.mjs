// `npm test`: set-up, then every test there is; `npm test -- rust js` runs only those. Ends with the sums of all runners.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { build, decoders } from "./build.mjs";
import { engines } from "./lib/engines.mjs";
import { inRoot } from "./lib/project.mjs";
import { main, run, runTool, StepFailed } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

const runners = {
  rust: { run: cargo, needs: { servers: true } },
  js: { run: () => vitest("js*"), needs: { build: true } },
  e2e: { run: () => vitest("e2e*"), needs: { build: true, decoders: true, chromium: true } },
  engines: { run: inEngines, needs: { build: true, engines: true } },
  real: { run: withRealParts, needs: { build: true, chromium: true, real: true, servers: true } },
  packaging: { run: () => vitest("packaging"), needs: { build: true, chromium: true } },
};

await main(async () => {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in runners));
  if (unknown.length) {
    throw new StepFailed(`there are no tests called ${unknown.join(", ")}`, `Choose from: ${Object.keys(runners).join(", ")}.`);
  }
  await test(names.length ? names : Object.keys(runners));
});

async function test(names) {
  const needed = (what) => names.some((name) => runners[name].needs[what]);
  const tools = await setup({
    chromium: needed("chromium"),
    engines: needed("engines") ? engines : [],
    servers: needed("servers"),
    real: needed("real"),
  });
  if (tools.chromium) process.env.GLOVE_CHROME = tools.chromium;

  const sums = { passed: 0, failed: 0, skipped: 0 };
  const add = (counts) => {
    for (const key of Object.keys(sums)) sums[key] += counts[key];
  };
  // Most of the build is the work of one core, so the Rust tests are compiled beside it; running them says what is wrong.
  const compiling =
    needed("build") && names.includes("rust") && failureOf(() => run("cargo", rustTests("--no-run"), { silent: true }));
  // A build that fails must not keep the Rust tests from running: they may say why.
  const buildFailure = needed("build") && (await failureOf(() => builds(tools, needed("decoders"))));
  await compiling;
  if (buildFailure) add({ passed: 0, failed: 1, skipped: 0 });
  for (const name of names) {
    if (runners[name].needs.build && buildFailure) {
      console.error(`✗ ${name} tests not run: ${buildFailure.message}`);
      continue;
    }
    console.log(`\n── ${name} tests`);
    add(await runners[name].run(tools));
  }
  console.log(`\n${sums.passed} passed, ${sums.failed} failed${sums.skipped ? `, ${sums.skipped} skipped` : ""}`);
  if (sums.failed) process.exitCode = 1;
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

/** Unit, integration and documentation tests. */
async function cargo() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const onLine = (line) => {
    const found = /^test result: .*? (\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
    if (!found) return;
    counts.passed += Number(found[1]);
    counts.failed += Number(found[2]);
    counts.skipped += Number(found[3]);
  };
  const failure = await failureOf(() => run("cargo", rustTests("--no-fail-fast"), { onLine }));
  return countFailure(counts, failure);
}

/** The tests of browsers, in those that are not Chromium. */
async function inEngines(tools) {
  const sums = { passed: 0, failed: 0, skipped: 0 };
  for (const name of engines) {
    const programs = tools.engines[name];
    if (!programs) {
      console.log(`The tests in ${name} are skipped: it is not installed, and only root on Debian can install it here.`);
      sums.skipped++;
      continue;
    }
    Object.assign(process.env, programs);
    const counts = await vitest(`engines-${name}`);
    for (const key of Object.keys(sums)) sums[key] += counts[key];
  }
  return sums;
}

/** Servers, clients and engines that others wrote. */
async function withRealParts(tools) {
  if (tools.llama) process.env.GLOVE_LLAMA = tools.llama;
  else console.log("The tests with llama.cpp's server are skipped: it is not installed, and pip cannot install it here.");
  return vitest("real");
}

/** The projects of vitest.config.ts with this name. */
async function vitest(project) {
  const report = inRoot(".cache", "reports", `${project.replace("*", "")}.json`);
  mkdirSync(inRoot(".cache", "reports"), { recursive: true });
  rmSync(report, { force: true });
  const failure = await failureOf(() =>
    runTool("vitest/vitest.mjs", [
      "run",
      "--project",
      project,
      "--reporter=default",
      "--reporter=json",
      `--outputFile=${report}`,
    ]),
  );
  const counts = { passed: 0, failed: 0, skipped: 0 };
  if (existsSync(report)) {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, "utf8"));
    Object.assign(counts, { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests });
  }
  return countFailure(counts, failure);
}

// A runner that failed without a failed test (nothing compiled, a file that cannot be loaded) counts as one failure.
function countFailure(counts, failure) {
  if (failure) console.error(`✗ ${failure.message}`);
  return failure && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}
