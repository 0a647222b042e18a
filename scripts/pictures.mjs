// `node scripts/pictures.mjs [folder] [part of a name]`: pictures of every state of the built-in look, in Chromium, light and dark.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { inRoot } from "./lib/project.mjs";
import { main } from "./lib/run.mjs";

await main(async () => {
  const [folder = inRoot(".cache", "pictures"), only = ""] = process.argv.slice(2);
  const outfile = inRoot(".cache", "pictures.mjs");
  await build({
    entryPoints: [inRoot("tests", "support", "look-pictures.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
    define: { "import.meta.url": JSON.stringify(pathToFileURL(inRoot("tests", "support", "look.ts")).href) },
  });
  const { takePictures } = await import(pathToFileURL(outfile).href);
  const made = await takePictures(folder, new RegExp(only));
  console.log(`${made.length} pictures in ${join(folder)}`);
});
