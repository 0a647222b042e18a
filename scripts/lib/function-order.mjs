// Functions of a wasm file that are like each other beside each other: compression then finds what they share nearby, and 4 kB of
// the page go. What a function is called by changes with its place, so calls, exports and tables are written anew.
import { endOf, leb, numberAt } from "./instructions.mjs";

const imports = 2;
const types = 3;
const exported = 7;
const started = 8;
const elements = 9;
const code = 10;

const call = 0x10;
const reference = 0xd2;

/** How many of the tries are weighed as they travel; the others are left out by a rough weight. */
const weighed = 5;

/**
 * The same wasm file with like functions beside each other, as small as it travels: the function that comes first makes half a kilobyte
 * of difference, and nothing tells beforehand which is best. `travels(file)` weighs it, at a cost of one to two seconds, and
 * `roughly(file)` in a tenth of that. All that it imports are functions.
 */
export function likeBesideLike(wasm, tries, travels, roughly) {
  const sections = sectionsOf(wasm);
  const functions = entries(sections.get(code), (bytes, at) => {
    const { value, end } = numberAt(bytes, at);
    return end + value;
  }).map(functionOf);
  const all = functions.map(features);
  const likeness = likenesses(all);
  const firsts = new Set(Array.from({ length: tries }, (_, n) => Math.floor((n * functions.length) / tries)));
  const files = [...firsts].map((first) => {
    const parts = [...inOrder(chained(all.length, likeness, first), functions, sections)];
    return Buffer.concat([wasm.subarray(0, 8), ...parts.flatMap(([id, bytes]) => [Buffer.of(id), leb(bytes.length), bytes])]);
  });
  const best = files.length > weighed ? lightest(files, roughly).slice(0, weighed) : files;
  return lightest(best, travels)[0];
}

function lightest(files, weigh) {
  return files
    .map((file) => ({ file, size: weigh(file) }))
    .sort((one, other) => one.size - other.size)
    .map(({ file }) => file);
}

/** The sections with the functions in this order. */
function inOrder(order, functions, before) {
  const sections = new Map(before);
  const imported = sections.has(imports) ? numberAt(sections.get(imports), 0).value : 0;
  const places = new Map(order.map((from, to) => [imported + from, imported + to]));
  const place = (index) => leb(places.get(index) ?? index);

  const kinds = entries(sections.get(types), (bytes, at) => numberAt(bytes, at).end);
  sections.set(types, list(order.map((from) => kinds[from])));
  sections.set(code, list(order.map((from) => written(functions[from], place))));
  sections.set(exported, list(entries(sections.get(exported), endOfExport).map((entry) => exportAt(entry, place))));
  if (sections.has(elements)) sections.set(elements, elementsAt(sections.get(elements), place));
  if (sections.has(started)) sections.set(started, place(numberAt(sections.get(started), 0).value));
  return sections;
}

function sectionsOf(wasm) {
  const sections = new Map();
  for (let at = 8; at < wasm.length; ) {
    const { value, end } = numberAt(wasm, at + 1);
    sections.set(wasm[at], wasm.subarray(end, end + value));
    at = end + value;
  }
  if (sections.has(0)) throw new Error("the wasm file has a section of its own, which may name functions by their places");
  return sections;
}

/** The entries of a section, as bytes. */
function entries(section, endOfEntry) {
  let { value: count, end: at } = numberAt(section, 0);
  const all = [];
  for (; count > 0; count--) {
    const end = endOfEntry(section, at);
    all.push(section.subarray(at, end));
    at = end;
  }
  return all;
}

const list = (all) => Buffer.concat([leb(all.length), ...all]);

/** A function as the bytes of its locals, and of each instruction. */
function functionOf(entry) {
  let at = numberAt(entry, 0).end;
  const from = at;
  const locals = numberAt(entry, at);
  at = locals.end;
  for (let left = locals.value; left > 0; left--) at = numberAt(entry, at).end + 1;
  const head = entry.subarray(from, at);
  const instructions = [];
  while (at < entry.length) {
    const end = endOf(entry, at);
    instructions.push(entry.subarray(at, end));
    at = end;
  }
  return { head, instructions };
}

function written({ head, instructions }, place) {
  const body = instructions.map((bytes) =>
    bytes[0] === call || bytes[0] === reference ? Buffer.concat([bytes.subarray(0, 1), place(numberAt(bytes, 1).value)]) : bytes,
  );
  const length = body.reduce((sum, bytes) => sum + bytes.length, head.length);
  return Buffer.concat([leb(length), head, ...body]);
}

function endOfExport(bytes, at) {
  const { value, end } = numberAt(bytes, at);
  return numberAt(bytes, end + value + 1).end;
}

function exportAt(entry, place) {
  const { value, end } = numberAt(entry, 0);
  const kind = end + value;
  return entry[kind] === 0 ? Buffer.concat([entry.subarray(0, kind + 1), place(numberAt(entry, kind + 1).value)]) : entry;
}

/** Tables of functions. A form that compilers of Rust do not write stops the build. */
function elementsAt(section, place) {
  let { value: count, end: at } = numberAt(section, 0);
  const out = [leb(count)];
  for (; count > 0; count--) {
    const from = at;
    if (section[at] !== 0 || section[at + 1] !== 0x41) throw new Error("the build does not know this table of functions");
    at = endOf(section, at + 1);
    if (section[at++] !== 0x0b) throw new Error("the build does not know where this table of functions begins");
    out.push(section.subarray(from, at));
    const functions = numberAt(section, at);
    at = functions.end;
    out.push(leb(functions.value));
    for (let left = functions.value; left > 0; left--) {
      const { value, end } = numberAt(section, at);
      out.push(place(value));
      at = end;
    }
  }
  return Buffer.concat(out);
}

/** What is compared of a function: all runs of four opcodes, and all pairs of whole instructions. */
function features({ instructions }) {
  const found = [new Set(), new Set()];
  instructions.forEach((bytes, at) => {
    if (at > 2) found[0].add([3, 2, 1, 0].map((back) => instructions[at - back][0]).join());
    if (at > 0) found[1].add(`${instructions[at - 1].toString("hex")} ${bytes.toString("hex")}`);
  });
  return found;
}

/** By feature: the functions that have it. */
function holdersOf(all) {
  const holders = [new Map(), new Map()];
  for (const [at, found] of all.entries()) {
    for (const [kind, set] of found.entries()) {
      for (const feature of set) {
        const known = holders[kind].get(feature);
        if (known) known.push(at);
        else holders[kind].set(feature, [at]);
      }
    }
  }
  return holders;
}

/** How much any two functions have in common, as one table. */
function likenesses(all) {
  const holders = holdersOf(all);
  const table = new Float64Array(all.length ** 2);
  for (const [at, found] of all.entries()) {
    const row = table.subarray(at * all.length, (at + 1) * all.length);
    for (const [kind, set] of found.entries()) {
      const shared = new Uint32Array(all.length);
      for (const feature of set) for (const other of holders[kind].get(feature)) shared[other]++;
      for (let other = 0; other < all.length; other++) {
        if (shared[other]) row[other] += shared[other] / (set.size + all[other][kind].size - shared[other]);
      }
    }
  }
  return table;
}

/** A greedy chain: after each function comes the remaining one that has most in common with it, otherwise the next one. */
function chained(count, likeness, first) {
  const left = new Set(Array(count).keys());
  const order = [];
  for (let current = first; current !== undefined; ) {
    left.delete(current);
    order.push(current);
    const row = current * count;
    let [next] = left;
    for (const at of left) if (likeness[row + at] > likeness[row + next]) next = at;
    current = next;
  }
  return order;
}
