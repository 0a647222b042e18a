// `npm run example -- vite`: builds and packs the package, installs it into that folder of examples/, and starts what is there.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { inRoot } from "./lib/project.mjs";
import { main, output, run, StepFailed, step } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

const names = readdirSync(inRoot("examples")).filter((name) => name !== "rust");

await main(async () => {
  const [name, ...more] = process.argv.slice(2);
  if (!names.includes(name))
    throw new StepFailed("which example?", `Choose one of ${names.join(", ")}: npm run example -- ${names[0]}`);
  await build(await setup());
  const folder = inRoot("examples", name);
  await step("installing the package into the example", "Check that npm reaches its registry.", async () => {
    const packed = JSON.parse(output("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", inRoot(".cache")]));
    // In the place of the version that its package.json names.
    await run(
      "npm",
      ["install", "--no-save", "--no-package-lock", "--loglevel=error", join(inRoot(".cache"), packed[0].filename)],
      {
        cwd: folder,
      },
    );
  });
  await step("running the example; end it with Ctrl+C", "Read the messages above.", () =>
    run("npm", ["run", "dev", "--", ...more], { cwd: folder }),
  );
});
