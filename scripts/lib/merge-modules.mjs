// Modules that always come together, as one: a bundler gives each module that several parts share a file of its own, and each file costs a
// page a request, what compression would find in the others, and some milliseconds of its main thread.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { doctorProviders } from "./doctor-providers.mjs";
import { leaveOut, withoutComments } from "./package-files.mjs";
import { inRoot } from "./project.mjs";

/** By the module that becomes all of them. What a page has before it draws is in none with what it has not: it would bring the rest. */
const mergedModules = {
  "src/values/error.js": ["src/values/tab-version.js", "src/timing/in-background.js", "src/timing/next-frame.js"],
  "src/wasm/border.js": [
    ...["controllers", "core", "guard", "generated/glove_wasm"].map((name) => `src/wasm/${name}.js`),
    "src/relay/http.js",
  ],
  "src/store/indexeddb/session-row-store.js": [
    ...["change-channel", "connection", "failures", "media", "read", "title", "versions"].map(
      (name) => `src/store/indexeddb/${name}.js`,
    ),
    ...["json-text", "local/stored-session-ids", "run-format", "step"].map((name) => `src/store/${name}.js`),
  ],
  "src/tools/spec.js": ["src/tools/answer-tool.js", "src/tools/task-tool.js"],
  "src/values/utf8.js": ["src/values/base64.js"],
};

/** Modules that have their own copy of others, which keep nothing. */
const copies = {
  // What unpacks the wasm file comes with it; other files that travel packed come without this one.
  "src/wasm/inline-file.js": ["src/wasm/inline.js", "src/wasm/generated/unpacker.js"],
};

const pkg = inRoot("pkg");

/** Does that to what the compiler has written, and makes it what is packed. */
export async function pack() {
  // esbuild puts a module into the first file of a page whose imports could reach it. Who imports `createMessages` has a copy.
  copyFileSync(join(pkg, "src", "messages", "messages.js"), join(pkg, "react", "hooks", "messages.js"));
  for (const [whole, others] of Object.entries(copies)) await packed(whole, others, [whole]);
  for (const [whole, others] of Object.entries(mergedModules)) {
    const exported = await packed(whole, others, [whole, ...others]);
    for (const member of others) {
      writeFileSync(join(pkg, member), `export { ${exported(member).join(", ")} } from "${named(whole, member)}";\n`);
    }
  }
  await withoutComments();
  leaveOut();
  doctorProviders();
}

const slashes = (path) => path.replaceAll("\\", "/");
/** How one module of the package names another. */
const named = (module, from) => slashes(relative(dirname(from), module)).replace(/^(?!\.)/, "./");

/** Puts others into a module, which exports what some of them do. Gives what each exports. */
async function packed(whole, others, open) {
  const { build } = await import("esbuild");
  const members = [whole, ...others];
  const options = { absWorkingDir: pkg, format: "esm", target: "esnext", write: false, metafile: true, outdir: "." };
  const { metafile } = await build({ ...options, entryPoints: members, outbase: "." });
  const exported = (member) => metafile.outputs[member].exports;
  const outside = {
    name: "outside",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const module = slashes(relative(pkg, join(resolveDir, path)));
        return members.includes(module) ? undefined : { path: named(module, whole), external: true };
      }),
  };
  const made = await build({
    ...options,
    stdin: {
      contents: open.map((member) => `export * from "./${member}";`).join("\n"),
      resolveDir: pkg,
    },
    bundle: true,
    plugins: [outside],
  });
  // What two modules call alike is left out by `export *`.
  const [{ exports }] = Object.values(made.metafile.outputs);
  const lost = open.flatMap(exported).find((name) => !exports.includes(name));
  if (lost) throw new Error(`Two modules of ${whole} export "${lost}": give one of them another name.`);
  const [about] = readFileSync(join(pkg, whole), "utf8").split("\n");
  writeFileSync(join(pkg, whole), `${about}\n${made.outputFiles[0].text}`);
  return exported;
}
