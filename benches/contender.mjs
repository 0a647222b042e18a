// Runs one contender of a row in a process of its own, and prints what it measured: `node contender.mjs w2 ours`. A wasm file may take
// the place of ours: one with names, for a profile.
import { readFileSync } from "node:fs";

const [row, name, wasm] = process.argv.slice(2);
if (wasm) (await import("glove-wasm/slim")).initSync(readFileSync(wasm));
const { contenders } = await import(`./rows/${row}.mjs`);
const figures = await contenders[name]();
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
