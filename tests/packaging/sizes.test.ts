// What the package adds to a page in each bundler, and that README.md tells it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import { beforeAll, expect, test } from "vitest";
import { bytes } from "../../pkg/src/wasm/generated/glove_wasm_bytes.js";
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

/** What is loaded before the page draws, and what opens a session, which comes after: the wasm file, the way to it, and the database. */
interface Built {
  readonly atOnce: Buffer;
  readonly core: Buffer;
}

const marker = bytes.text.slice(1000, 1100);
/** What only the files with the way to the core and with the database say. */
const opening = ["visibilitychange", "createObjectStore"];
const holdsCore = (code: string) => code.includes(marker);
/** The text of the worker holds all of it once more. */
const isWorker = (code: string) => code.includes("worker-src blob:");
const opensSessions = (code: string) => holdsCore(code) || (!isWorker(code) && opening.some((word) => code.includes(word)));
const joined = (codes: readonly string[]) => Buffer.from(codes.join(""));

/** The files that Vite makes, and those of them that a page has before it draws. */
async function builtByVite() {
  const rolldownOptions = { input: join(folder, "main.js"), external };
  const built = await vite({ root: folder, logLevel: "silent", build: { write: false, rolldownOptions } });
  const outputs = [built].flat().flatMap((result) => ("output" in result ? result.output : []));
  const chunks = outputs.flatMap((output) => (output.type === "chunk" ? [output] : []));
  const entry = chunks.find(({ isEntry }) => isEntry);
  const first = chunks.filter((chunk) => chunk === entry || entry?.imports.includes(chunk.fileName));
  return { chunks, first };
}

const bundlers: Record<string, () => Promise<Built>> = {
  async Vite() {
    const { chunks, first } = await builtByVite();
    const rest = chunks.filter((chunk) => !first.includes(chunk));
    const codes = (some: typeof chunks) => some.map(({ code }) => code);
    return { atOnce: joined(codes(first)), core: joined(codes(rest).filter(opensSessions)) };
  },
  async webpack() {
    const externals = Object.fromEntries(external.map((name) => [name, name.replace(/\W/g, "_")]));
    await webpack(folder, { entry: "./main.js", externals });
    const dist = join(folder, "dist");
    const rest = readdirSync(dist).filter((name) => name.endsWith(".js") && name !== "main.js");
    const codes = rest.map((name) => readFileSync(join(dist, name), "utf8"));
    return { atOnce: readFileSync(join(dist, "main.js")), core: joined(codes.filter(opensSessions)) };
  },
  async esbuild() {
    const output = { bundle: true, splitting: true, format: "esm", minify: true, outdir: "out" } as const;
    const { metafile } = await esbuild({ absWorkingDir: folder, entryPoints: ["main.js"], ...output, metafile: true, external });
    const names = ["out/main.js", ...(metafile.outputs["out/main.js"]?.imports ?? []).filter(atOnce).map(({ path }) => path)];
    const rest = Object.keys(metafile.outputs).filter((name) => !names.includes(name));
    const code = (name: string) => readFileSync(join(folder, name), "utf8");
    return { atOnce: joined(names.map(code)), core: joined(rest.map(code).filter(opensSessions)) };
  },
};
const atOnce = ({ kind, external }: { kind: string; external?: boolean }) => kind === "import-statement" && !external;

test.each(Object.entries(bundlers))(
  "README tells what a page gets from %s, and before it draws, to one part in twenty-five",
  async (name, build) => {
    const { atOnce, core } = await build();
    expect(holdsCore(atOnce.toString())).toBe(false);
    expect(holdsCore(core.toString())).toBe(true);
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const [, ...told] = new RegExp(`^\\| ${name} \\| (\\d+) kB \\| (\\d+) kB \\| (\\d+) kB \\|$`, "m").exec(readme) ?? [];
    const whole = Buffer.concat([atOnce, core]);
    const built = [brotliCompressSync(whole), gzipSync(whole), brotliCompressSync(atOnce)].map(({ length }) => length / 1000);
    expect(told).toHaveLength(built.length);
    for (const [at, kilobytes] of built.entries()) {
      expect(Math.abs(kilobytes / Number(told[at]) - 1), `${name}: ${kilobytes} kB`).toBeLessThan(0.04);
    }
  },
  300_000,
);
