// `npm run bench`: the criterion benchmarks in benches/, then what a stream costs in Node and in Chromium, and a step in
// the database of each browser that is there.
import { build, decoders } from "./build.mjs";
import { engines, findEngine } from "./lib/engines.mjs";
import { main, run, runTool, step } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

await main(async () => {
  const tools = await setup();
  // More arguments (`npm run bench -- sse`) choose benchmarks by name.
  const wanted = process.argv.slice(2);
  await step("Rust benchmarks", "Read cargo's messages above.", () => run("cargo", ["bench", "--benches", ...wanted]));
  await build(tools);
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
});
