// `npm run options`: writes the reference of options (`docs/reference`) anew, from the types and their comments. A test compares.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { folder, optionPages } from "./lib/option-pages.mjs";
import { main, StepFailed } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

await main(async () => {
  await build(await setup());
  const { pages, silent } = optionPages();
  if (silent.length) throw new StepFailed(`no sentence describes:\n    ${silent.join("\n    ")}`, "Write a comment above each.");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of pages) writeFileSync(join(folder, name), text);
});
