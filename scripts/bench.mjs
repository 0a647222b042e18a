// `npm run bench`: the criterion benchmarks in benches/, then those of the JavaScript layer in tests/bench/.
import { existsSync } from "node:fs";
import { build } from "./build.mjs";
import { inRoot } from "./lib/project.mjs";
import { main, run, runTool, step } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

await main(async () => {
  const tools = await setup();
  // More arguments (`npm run bench -- sse`) choose benchmarks by name.
  const wanted = process.argv.slice(2);
  await step("Rust benchmarks", "Read cargo's messages above.", () => run("cargo", ["bench", "--benches", ...wanted]));
  if (!existsSync(inRoot("tests", "bench"))) return;
  await build(tools);
  await step("JavaScript benchmarks", "Read vitest's messages above.", () =>
    runTool("vitest/vitest.mjs", ["bench", "--run", "--project", "js", ...wanted]),
  );
});
