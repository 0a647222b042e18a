// `npm run api`: writes the snapshot of the public API anew, after a change of it that is meant. A test compares.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { publicApi, snapshot } from "./lib/public-api.mjs";
import { main } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

await main(async () => {
  await build(await setup());
  rmSync(snapshot, { recursive: true, force: true });
  mkdirSync(snapshot, { recursive: true });
  const files = publicApi();
  for (const [name, text] of files) writeFileSync(join(snapshot, name), text);
  console.log(
    `Wrote ${files.size} files into tests/fixtures/api. Read their diff: docs/versions.md says which version each change needs.`,
  );
});
