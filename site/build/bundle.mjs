// The scripts and style sheets of the site: plain scripts, so that they run in a frame without an origin and from a folder.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { inRoot } from "../../scripts/lib/project.mjs";

const { exports } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));

export const tools = inRoot("tools", "site", "node_modules");

/** The package by its name, as an app finds it. */
const itself = {
  name: "itself",
  setup({ onResolve }) {
    onResolve({ filter: /^glove-wasm(\/|$)/ }, ({ path }) => {
      const found = exports[path.replace("glove-wasm", ".")];
      if (found) return { path: inRoot(found.default) };
    });
  },
};

const common = {
  bundle: true,
  minify: true,
  target: "es2022",
  conditions: ["browser"],
  nodePaths: [tools],
  legalComments: "none",
  logLevel: "warning",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"', "import.meta.env.DEMO_ENDPOINT": "null" },
  plugins: [itself],
};

export async function bundle(out) {
  const assets = join(out, "assets");
  mkdirSync(assets, { recursive: true });
  const page = (name) => inRoot("site", "page", `${name}.ts`);
  await Promise.all([
    build({
      ...common,
      format: "iife",
      entryPoints: [
        ...["theme", "page", "live", "home", "gallery", "scenes"].map(page),
        ...["frame", "frame-tasks"].map((name) => inRoot("site", "frame", `${name}.ts`)),
      ],
      entryNames: "[name]",
      outdir: assets,
    }),
    // In a page of its own origin: what it does not show is not loaded.
    build({
      ...common,
      format: "esm",
      splitting: true,
      entryPoints: [inRoot("site", "hero", "hero.tsx")],
      outdir: join(assets, "hero"),
    }),
    build({
      ...common,
      entryPoints: ["site", "hero", "frame"].map((name) => inRoot("site", "style", `${name}.css`)),
      external: ["*.woff2"],
      outdir: assets,
    }),
  ]);
  copyFileSync(
    join(tools, "@fontsource-variable", "inter", "files", "inter-latin-wght-normal.woff2"),
    join(assets, "inter.woff2"),
  );
  writeFileSync(join(assets, "licences.txt"), licences());
  copyFileSync(inRoot("demo", "public", "icon.svg"), join(assets, "icon.svg"));
}

/** Of what the site has of others beside the package: its texts go along with it. */
function licences() {
  const names = ["@fontsource-variable/inter", "highlight.js", "marked", "minisearch", "react", "react-dom", "sucrase", "zod"];
  return names
    .map((name) => {
      const folder = [tools, inRoot("node_modules")].map((place) => join(place, name)).find(existsSync);
      const file = ["LICENSE", "LICENSE.txt", "LICENSE.md"].map((one) => join(folder ?? name, one)).find(existsSync);
      if (!file) throw new Error(`${name} has no licence.`);
      return `${name}\n\n${readFileSync(file, "utf8").trim()}\n`;
    })
    .join("\n----\n\n");
}

/** What a module of the page gives, for the build: the list of parts, the form of the index. */
export async function load(file) {
  const { outputFiles } = await build({
    ...common,
    platform: "node",
    format: "esm",
    entryPoints: [inRoot("site", "page", file)],
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}
