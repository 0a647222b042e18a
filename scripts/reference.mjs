// `npm run reference`: the API reference of both languages, from the types and their comments. `-- --write` also writes the snapshot
// of Rust's public items anew, after a change of them that is meant.
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { inRoot } from "./lib/project.mjs";
import { isMain, main, output, run, step } from "./lib/run.mjs";
import { checkRustItems, writeRustItems } from "./lib/rust-items.mjs";
import { setup } from "./setup.mjs";

/** Writes both; a warning is an error. Needs the declarations that the build writes. */
export async function reference() {
  const typedoc = inRoot("tools", "reference", "node_modules", "typedoc", "bin", "typedoc");
  await run(process.execPath, [typedoc, "--options", inRoot("tools", "reference", "typedoc.json")]);
  await run("cargo", ["doc", "--workspace", "--no-deps", "--all-features"], { env: { RUSTDOCFLAGS: "-D warnings" } });
  if (process.argv.includes("--write")) writeRustItems();
  checkRustItems();
}

if (isMain(import.meta)) {
  await main(async () => {
    await build(await setup());
    await step("writing the reference", "Read the messages above.", reference);
    const { target_directory } = JSON.parse(output("cargo", ["metadata", "--format-version", "1", "--no-deps"]));
    for (const page of [inRoot(".cache", "reference", "index.html"), `${target_directory}/doc/glove_wasm/index.html`]) {
      console.log(pathToFileURL(page).href);
    }
  });
}
