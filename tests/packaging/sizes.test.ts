// What the package adds to a page in each bundler, and that README.md tells it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import { beforeAll, expect, test } from "vitest";
import { page } from "../../scripts/size.mjs";
import { root } from "../support/project.js";
import { makeProject } from "./app.js";
import { webpack } from "./webpack.js";

let folder: string;
beforeAll(() => {
  const main = `import * as page from "./page.js";\nglobalThis.page = page;\n`;
  folder = makeProject("size", { "package.json": JSON.stringify({ type: "module" }), "page.js": page, "main.js": main });
});

/** They are in the page anyway. */
const external = ["react", "react/jsx-runtime", "react-dom", "zod"];

const bundlers: Record<string, () => Promise<Buffer>> = {
  async Vite() {
    const rolldownOptions = { input: join(folder, "main.js"), external };
    const built = await vite({ root: folder, logLevel: "silent", build: { write: false, rolldownOptions } });
    const chunks = [built].flat().flatMap((result) => ("output" in result ? result.output : []));
    const entry = chunks.find((chunk) => chunk.type === "chunk" && chunk.isEntry);
    const atOnce = chunks.filter(
      (chunk) => chunk === entry || (entry?.type === "chunk" && entry.imports.includes(chunk.fileName)),
    );
    return Buffer.from(atOnce.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join(""));
  },
  async webpack() {
    const externals = Object.fromEntries(external.map((name) => [name, name.replace(/\W/g, "_")]));
    await webpack(folder, { entry: "./main.js", externals });
    return readFileSync(join(folder, "dist", "main.js"));
  },
  async esbuild() {
    const output = { bundle: true, splitting: true, format: "esm", minify: true, outdir: "out" } as const;
    const { metafile } = await esbuild({ absWorkingDir: folder, entryPoints: ["main.js"], ...output, metafile: true, external });
    const names = ["out/main.js", ...(metafile.outputs["out/main.js"]?.imports ?? []).filter(atOnce).map(({ path }) => path)];
    return Buffer.concat(names.map((name) => readFileSync(join(folder, name))));
  },
};
const atOnce = ({ kind, external }: { kind: string; external?: boolean }) => kind === "import-statement" && !external;

test.each(Object.keys(bundlers))(
  "README tells what a page gets from %s, to one part in ten",
  async (name) => {
    const built = (await bundlers[name]?.()) ?? "";
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const [, ...told] = new RegExp(`^\\| ${name} \\| (\\d+) kB \\| (\\d+) kB \\|$`, "m").exec(readme) ?? [];
    expect(told).toHaveLength(2);
    for (const [at, compress] of [brotliCompressSync, gzipSync].entries()) {
      const kilobytes = compress(built).length / 1000;
      expect(Math.abs(kilobytes / Number(told[at]) - 1), `${name}: ${kilobytes} kB`).toBeLessThan(0.1);
    }
  },
  300_000,
);
