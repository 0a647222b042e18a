// `npm run size`: how many bytes users get, raw and as they travel, against the budget in size-budget.json.
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { inRoot, root } from "./lib/project.mjs";
import { isMain, main, StepFailed } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

/** What is measured: a name, and the bytes it stands for. */
const measured = {
  wasm: async () => readFileSync(inRoot("pkg", "glove_wasm_bg.wasm")),
  "bundle of 'glove-wasm'": () => bundle('export * from "glove-wasm"'),
  "bundle of 'glove-wasm/slim'": () => bundle('export * from "glove-wasm/slim"'),
  "the React layer alone": () => bundle('export * from "./pkg/react/index.js"', ["../src/*", "../../src/*"]),
};

/** What an application gets when it imports this, minified as applications do. */
async function bundle(contents, without = []) {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
    target: "es2022",
    external: ["react", "react-dom", "zod", ...without],
  });
  return outputFiles[0].contents;
}

/** The sizes of the build that is in pkg/, and which of them are over their budget. */
export async function measure() {
  const budget = JSON.parse(readFileSync(inRoot("size-budget.json"), "utf8"));
  const rows = [];
  for (const [name, read] of Object.entries(measured)) {
    const bytes = await read();
    const row = { name, raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes).length };
    const over = Object.entries(budget[name] ?? {}).filter(([way, limit]) => row[way] > limit);
    rows.push({ ...row, over: over.map(([way, limit]) => `${row[way] - limit} bytes (${way}) over its budget of ${limit}`) });
  }
  const unknown = Object.keys(budget).filter((name) => !(name in measured));
  if (unknown.length) throw new Error(`size-budget.json names what is not measured: ${unknown.join(", ")}`);
  return rows;
}

async function size() {
  const { build } = await import("./build.mjs");
  await build(await setup());
  const rows = await measure();
  const line = (...cells) =>
    console.log(
      cells[0].padEnd(30) +
        cells
          .slice(1)
          .map((cell) => String(cell).padStart(10))
          .join(""),
    );
  console.log();
  line("", "raw", "gzip", "brotli");
  for (const row of rows) line(row.name, row.raw, row.gzip, row.brotli);
  const over = rows.flatMap((row) => row.over.map((what) => `${row.name}: ${what}`));
  if (over.length) throw new StepFailed(over.join("; "), "Make it smaller, or raise size-budget.json and say why in the commit.");
}

if (isMain(import.meta)) await main(size);
