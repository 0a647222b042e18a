// `npm run bench`: the criterion benchmarks in benches/, what a stream and a stored step cost in Node and in browsers, and the rows of
// benches/rows beside other libraries. `-- w2 w6` runs some rows, `-- rust sse` criterion's benchmarks with this name, `-- film`
// draws what a phone shows of a cold page, `-- load` opens 10,000 streams on a server (`-- load 1000` as many), `-- profile w2` says
// where the time of a row goes, `-- parts` what the parts of a round cost.
import { readdirSync } from "node:fs";
import { build, decoders } from "./build.mjs";
import { compare } from "./lib/compare.mjs";
import { engines, findEngine } from "./lib/engines.mjs";
import { installPeers } from "./lib/peers.mjs";
import { inRoot } from "./lib/project.mjs";
import { main, run, runTool, StepFailed, step } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

const rows = readdirSync(inRoot("benches", "rows"))
  .map((file) => file.replace(/\.mjs$/, ""))
  .sort((one, other) => Number(one.slice(1)) - Number(other.slice(1)) || one.localeCompare(other));

await main(async () => {
  const requestedRows = process.argv.slice(2);
  const tools = await setup();
  if (requestedRows[0] === "rust") return rust(requestedRows.slice(1));
  if (requestedRows[0] === "film") return film(tools);
  if (requestedRows[0] === "profile") return profiled(tools, requestedRows[1] ?? "w2");
  if (requestedRows[0] === "parts") return parts(tools);
  if (requestedRows[0] === "load") return load(requestedRows[1] ?? "10000");
  const unknown = requestedRows.filter((name) => !rows.includes(name));
  if (unknown.length) {
    throw new StepFailed(
      `there is no benchmark called ${unknown.join(", ")}`,
      `Choose from: rust, film, load, parts, profile, ${rows.join(", ")}.`,
    );
  }
  if (!requestedRows.length) await rust([]);
  await build(tools);
  if (!requestedRows.length) await costs(tools);
  await installPeers();
  for (const row of requestedRows.length ? requestedRows : rows) {
    await step(row, "Read its messages above.", () => compare(row));
  }
});

function rust(names) {
  return step("Rust benchmarks", "Read cargo's messages above.", () => run("cargo", ["bench", "--benches", ...names]));
}

async function load(streams) {
  const client = [
    "--release",
    "--manifest-path",
    inRoot("benches", "load", "Cargo.toml"),
    "--target-dir",
    inRoot("target", "load"),
  ];
  await step("building glove and the clients", "Read cargo's messages above.", async () => {
    await run("cargo", ["build", "--release", "--package", "glove-wasm-cli"]);
    await run("cargo", ["build", ...client]);
  });
  await step("streams", "Linux, two cores and `taskset` are needed; `ulimit -Hn` says how many files may be open.", () =>
    run(inRoot("target", "load", "release", "glove-wasm-load"), [inRoot("target", "release", "glove"), streams]),
  );
}

async function parts(tools) {
  await build(tools);
  await step("the parts of a round", "Read its messages above.", async () => {
    await run("node", [inRoot("benches", "round-parts.mjs")]);
    await run("node", [inRoot("benches", "round-parts.mjs"), "count"]);
  });
}

/** The rows of Node. */
async function profiled(tools, row) {
  if (!["w1", "w2", "w3", "w6", "w7", "w8", "w11"].includes(row)) {
    throw new StepFailed(`there is no profile of ${row}`, "Choose from: w1, w2, w3, w6, w7, w8, w11.");
  }
  await build(tools);
  await step("profile", "Read its messages above.", async () => {
    const { profile } = await import(`../benches/profile${row === "w6" ? "-page" : ""}.mjs`);
    const { file, lines } = await profile(row);
    console.log([...lines, file].join("\n"));
  });
}

async function film(tools) {
  await build(tools);
  await installPeers();
  await step("film", "Read its messages above.", async () => {
    const { film } = await import("../benches/film.mjs");
    console.log(await film());
  });
}

async function costs(tools) {
  await decoders(tools);
  await step("streams in Node and Chromium", "Read vitest's messages above.", () =>
    runTool("vitest/vitest.mjs", ["run", "--project", "e2e-timed", "tests/e2e/decoding-cost.test.ts"]),
  );
  const inBrowsers = ["e2e-timed", ...engines.filter(findEngine).map((name) => `engines-${name}`)];
  await step("steps in the browsers' databases", "Read vitest's messages above.", async () => {
    for (const project of inBrowsers) {
      await runTool("vitest/vitest.mjs", ["run", "--project", project, "tests/e2e/durability-cost.test.ts"]);
    }
  });
}
