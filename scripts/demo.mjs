// `npm run demo`: set-up, build, and the demo on localhost.
import { build } from "./build.mjs";
import { main, runTool, step } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

await main(async () => {
  await build(await setup());
  // Vite prints the URL; more arguments (`npm run demo -- --port 8000`) go to it.
  await step("serving the demo: open the address below, end it with Ctrl+C", "Read Vite's messages above.", () =>
    runTool("vite/bin/vite.js", ["--config", "demo/vite.config.ts", ...process.argv.slice(2)]),
  );
});
