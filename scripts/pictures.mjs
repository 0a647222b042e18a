// `node scripts/pictures.mjs [folder] [part of a name]`: pictures of every state of the built-in look, in Chromium, light and dark.
// `node scripts/pictures.mjs guides [part of a name]`: those of README.md and docs/guides, from the code that is printed there, into docs/pictures.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { inRoot } from "./lib/project.mjs";
import { main } from "./lib/run.mjs";

await main(async () => {
  const [first = inRoot(".cache", "pictures"), only = ""] = process.argv.slice(2);
  const ofGuides = first === "guides";
  const outfile = inRoot(".cache", "pictures.mjs");
  await build({
    entryPoints: [inRoot("tests", "support", ofGuides ? "guide-pictures.ts" : "look-pictures.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
    define: { "import.meta.url": JSON.stringify(pathToFileURL(inRoot("tests", "support", "look.ts")).href) },
  });
  const made = await import(pathToFileURL(outfile).href);
  const folder = ofGuides ? inRoot("docs", "pictures") : first;
  const names = await (ofGuides ? made.takeGuidePictures : made.takePictures)(folder, new RegExp(only));
  console.log(`${names.length} pictures in ${join(folder)}`);
});
