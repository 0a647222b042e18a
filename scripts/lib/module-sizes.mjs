// `npm run size -- modules`: which module of the crate, and which other crate, each byte of code in the wasm file of sessions is of.
import { readFileSync } from "node:fs";
import { numberAt } from "./instructions.mjs";

const custom = 0;
const imports = 2;
const code = 10;
const functionNames = 1;

/** The bytes of code by module, the largest first; of a wasm file that still has its names. */
export function moduleSizes(path) {
  const wasm = readFileSync(path);
  let sizes = [];
  let imported = 0;
  const names = new Map();
  for (let at = 8; at < wasm.length; ) {
    const { value, end } = numberAt(wasm, at + 1);
    const section = wasm.subarray(end, end + value);
    if (wasm[at] === imports) imported = numberAt(section, 0).value;
    if (wasm[at] === code) sizes = bodies(section);
    if (wasm[at] === custom && text(section, 0).text === "name") readNames(section, names);
    at = end + value;
  }
  if (names.size === 0) throw new Error(`${path} has no names of functions`);
  const sums = new Map();
  for (const [at, size] of sizes.entries()) {
    const module = moduleOf(names.get(imported + at) ?? "");
    sums.set(module, (sums.get(module) ?? 0) + size);
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}

/** The size of each function. */
function bodies(section) {
  const sizes = [];
  let { value: count, end: at } = numberAt(section, 0);
  for (; count > 0; count--) {
    const { value, end } = numberAt(section, at);
    sizes.push(value);
    at = end + value;
  }
  return sizes;
}

function readNames(section, names) {
  for (let at = text(section, 0).end; at < section.length; ) {
    const { value, end } = numberAt(section, at + 1);
    if (section[at] === functionNames) {
      let { value: count, end: next } = numberAt(section, end);
      for (; count > 0; count--) {
        const { value: index, end: name } = numberAt(section, next);
        const read = text(section, name);
        names.set(index, read.text);
        next = read.end;
      }
    }
    at = end + value;
  }
}

function text(bytes, at) {
  const { value, end } = numberAt(bytes, at);
  return { text: bytes.toString("utf8", end, end + value), end: end + value };
}

/** `run` for a function of src/run, and the name of the crate for one of another; what is generic counts where its code was written. */
function moduleOf(name) {
  const own = /glove_wasm::(\w+)/.exec(name)?.[1];
  if (own) return `src/${own}`;
  const crate = /^[<&(*]*(?:mut |dyn |impl |\[)?(\w+)::/.exec(name)?.[1];
  return crate ?? "glue and exports";
}
