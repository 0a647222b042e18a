// React, copies of packages that must be there once, and the bundler.
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { json } from "./app.mjs";

/** The oldest major versions that the package is tested with. */
const bundlers = { vite: 7, next: 16, webpack: 5, parcel: 2 };

export function packages({ root, manifest, files }) {
  if (!manifest) {
    const message = "There is no package.json that can be read in this folder.";
    return [{ level: "wrong", code: "NO_PACKAGE_JSON", message, mend: "Run the doctor in the folder of the app." }];
  }
  if (existsSync(join(root, ".pnp.cjs"))) {
    const message = "Yarn keeps packages out of node_modules here, so versions and copies were not looked at.";
    return [{ level: "note", code: "PLUG_AND_PLAY", message, mend: "Run `yarn why react` and `yarn why glove-wasm` for these." }];
  }
  const direct = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies });
  const find = (name) => installed(name, root);
  const own = find("glove-wasm");
  if (!own && manifest.name !== "glove-wasm") {
    const message = "glove-wasm is not installed here.";
    const mend = direct.includes("glove-wasm") ? "Run `npm install`." : "Run `npm install glove-wasm`.";
    return [{ level: "wrong", code: "NOT_INSTALLED", message, mend }];
  }
  const drawn = files.some(({ text }) => /["']glove-wasm\/(tasks\/)?react["']/.test(text));
  return [...react(find, drawn), ...copies(root, direct), ...bundler(direct, find)];
}

/** The package as a module in a folder finds it: in the `node_modules` of this folder or of one above. */
function installed(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, "node_modules", name);
    const manifest = json(join(place, "package.json"));
    if (manifest) return { place: realpathSync(place), version: String(manifest.version), manifest };
    if (dirname(folder) === folder) return undefined;
  }
}

const major = (version) => Number.parseInt(version, 10);

function react(find, drawn) {
  const [core, dom] = [find("react"), find("react-dom")];
  if (!core && drawn) {
    const message = "The app imports glove-wasm/react, and React is not installed here.";
    return [{ level: "wrong", code: "REACT_MISSING", message, mend: "Run `npm install react react-dom`." }];
  }
  if (!core) return [];
  if (major(core.version) < 18) {
    const message = `React is ${core.version}; glove-wasm/react needs 18 or newer.`;
    return [{ level: "wrong", code: "REACT_OLD", message, mend: "Run `npm install react@latest react-dom@latest`." }];
  }
  if (!dom || dom.version === core.version) return [];
  const message = `react is ${core.version} and react-dom ${dom.version}: React refuses two versions.`;
  return [
    {
      level: "wrong",
      code: "REACT_VERSIONS",
      message,
      mend: `Run \`npm install react@${core.version} react-dom@${core.version}\`.`,
    },
  ];
}

/** Two copies know nothing of each other: hooks fail, and a provider is not found. */
function copies(root, direct) {
  const found = [];
  for (const name of ["react", "glove-wasm"]) {
    const places = new Map();
    const note = (copy, user) => copy && !places.has(copy.place) && places.set(copy.place, `${copy.version} for ${user}`);
    note(installed(name, root), "the app");
    for (const user of direct) {
      const dependency = installed(user, root);
      const { dependencies, peerDependencies } = dependency?.manifest ?? {};
      if (dependencies?.[name] || peerDependencies?.[name]) note(installed(name, dependency.place), user);
    }
    if (places.size < 2) continue;
    const message = `${name} is installed ${places.size} times: ${[...places.values()].join(", ")}.`;
    const mend = `Give all of them one version (\`npm dedupe\`, or \`overrides\` in package.json); \`npm ls ${name}\` shows who wants which.`;
    found.push({ level: "wrong", code: name === "react" ? "REACT_COPIES" : "GLOVE_COPIES", message, mend });
  }
  return found;
}

function bundler(direct, find) {
  const found = [];
  for (const [name, least] of Object.entries(bundlers)) {
    const version = direct.includes(name) ? find(name)?.version : undefined;
    if (version === undefined || major(version) >= least) continue;
    const message = `${name} is ${version}; glove-wasm is tested with ${least} and newer.`;
    found.push({
      level: "note",
      code: "BUNDLER_OLD",
      message,
      mend: `If the app does not build or load, run \`npm install ${name}@latest\`.`,
    });
  }
  return found;
}
