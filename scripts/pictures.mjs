// `npm run pictures`: the pictures and films of README.md and the docs, in Chromium, from the code that is printed there.
// `-- guides [part of a name]` takes the pictures alone, `-- films [part of a name]` the films.
// `-- frames [folder] [part of a name]`: what is seen each 50 ms of an answer, a call, a question and a queue that is handed over.
// `-- look [folder] [part of a name]`: pictures of every state of the built-in look, light and dark.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inRoot } from "./lib/project.mjs";
import { main, StepFailed } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

/** What takes them: a module of the tests, which serve the same pages. */
async function load(name) {
  // Here, as set-up installs it.
  const { build } = await import("esbuild");
  const outfile = inRoot(".cache", `${name}.mjs`);
  await build({
    entryPoints: [inRoot("tests", "support", `${name}.ts`)],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
    define: { "import.meta.url": JSON.stringify(pathToFileURL(inRoot("tests", "support", "look.ts")).href) },
  });
  return import(pathToFileURL(outfile).href);
}

const folders = { films: inRoot("docs", "films"), pictures: inRoot("docs", "pictures") };

async function guides(only) {
  const names = await (await load("guide-pictures")).takeGuidePictures(folders.pictures, new RegExp(only));
  console.log(`${names.length} pictures in ${folders.pictures}`);
}

async function films(only) {
  const sharp = createRequire(inRoot("tools", "pictures", "package.json"))("sharp");
  await (await load("guide-films")).takeGuideFilms(sharp, folders, new RegExp(only));
}

async function look(folder = inRoot(".cache", "pictures"), only = "") {
  const names = await (await load("look-pictures")).takePictures(folder, new RegExp(only));
  console.log(`${names.length} pictures in ${join(folder)}`);
}

async function frames(folder = inRoot(".cache", "frames"), only = "") {
  const count = await (await load("look-frames")).takeFrames(folder, new RegExp(only));
  console.log(`${count} frames in ${folder}`);
}

await main(async () => {
  const [what, ...rest] = process.argv.slice(2);
  await setup({ chromium: true, pictures: true });
  if (what === undefined) {
    await guides("");
    await films("");
  } else if (what === "guides") await guides(rest[0] ?? "");
  else if (what === "films") await films(rest[0] ?? "");
  else if (what === "frames") await frames(...rest);
  else if (what === "look") await look(...rest);
  else throw new StepFailed(`"${what}" is not known`, "Say nothing, or `guides`, `films`, `frames` or `look`.");
});
