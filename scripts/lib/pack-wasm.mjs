// A wasm file as it travels inside JavaScript: like beside like, as WOFF2 does with fonts. First all opcodes, then all numbers of
// locals, all offsets and so on, each as text; compression finds more in them than in a file that mixes them.
import { asciiOf, letters } from "./ascii.mjs";
import { endOf, isMemory, numberAt } from "./instructions.mjs";

/**
 * What the streams hold. tools/unpack knows those before "offset" by their places, the others from `kinds`. What stands before an
 * addition is like what stands before others, so a local and a small constant go by the instruction behind them.
 */
const names = [
  ...["rest", "opcodes", "locals", "local", "local, then load", "local, then store"],
  ...["small", "small, then add", "small, then subtract", "small, then store", "small, then call", "small, then compare"],
  ...["odd", "call"],
  ...["offset", "offset of a store", "block", "branch", "other", "middle", "large"],
];
const place = (name) => names.indexOf(name);

/** Opcodes that no wasm file has. Before an opcode: its alignment, where that is not the natural one. And constants by their length. */
const alignment = 0xe0;
const constant = 0x41;
const constants = { small: constant, middle: 0xf0, large: 0xf1 };

/** A call's function is told in two numbers below this, the smaller one first: so nearly all of them are one letter. */
const functions = 48;

const natural = "23230011001122232301012";

/** The stream with the number behind each opcode; 0 where there is none. */
const kinds = new Uint8Array(256);
for (const [from, to, name] of [
  [0x02, 0x04, "block"],
  [0x0c, 0x0d, "branch"],
  [0x0e, 0x0e, "odd"], // br_table
  [0x10, 0x10, "call"],
  [0x11, 0x11, "odd"], // call_indirect
  [0x1c, 0x1c, "odd"], // select with a type
  [0x20, 0x22, "local"],
  [0x23, 0x26, "other"],
  [0x28, 0x35, "offset"],
  [0x36, 0x3e, "offset of a store"],
  [0x3f, 0x40, "other"],
  [0x42, 0x42, "other"],
  [0x43, 0x44, "odd"], // floats
  [0xd0, 0xd0, "other"],
  [0xd2, 0xd2, "other"],
  [0xfc, 0xfc, "odd"], // everything newer
  ...Object.entries(constants).map(([name, op]) => [op, op, name]),
]) {
  kinds.fill(place(name), from, to + 1);
}

/** By the next opcode: how many streams further a local stands, and a small constant. */
const behind = { local: new Uint8Array(256), small: new Uint8Array(256) };
behind.local.fill(1, 0x28, 0x36).fill(2, 0x36, 0x3f);
behind.small.fill(3, 0x36, 0x3f).fill(5, 0x46, 0x48);
behind.small.set([1, 2], 0x6a);
behind.small[0x10] = 4;

/** The letters, what is to be known of opcodes, and the streams: as tools/unpack reads it. */
export function packed(wasm) {
  const streams = names.map(() => []);
  let at = 0;
  const put = (name, ...bytes) => streams[place(name)].push(...bytes);
  const copy = (name, length) => {
    for (const end = at + length; at < end; ) put(name, wasm[at++]);
  };
  /** Reads a number, and copies it where a name is given. */
  const number = (name) => {
    const { value, end } = numberAt(wasm, at);
    if (name) copy(name, end - at);
    at = end;
    return value;
  };
  const times = (count, what) => {
    for (let left = count; left > 0; left--) what();
  };

  copy("rest", 8);
  while (at < wasm.length) {
    const section = wasm[at];
    copy("rest", 1);
    const size = number("rest");
    if (section === 10) times(number("rest"), body);
    else copy("rest", size);
  }
  const known = [...kinds, ...behind.local, ...behind.small, ...natural].map((number) => letters[number]);
  return letters + known.join("") + streams.map((bytes, at) => asciiOf(bytes, at === place("rest"))).join("");

  function body() {
    const size = number();
    const end = at + size;
    times(number("locals"), () => {
      number("locals");
      copy("locals", 1);
    });
    while (at < end) instruction();
    if (at !== end) throw new Error("an instruction reaches over the end of its function: the packing reads it wrongly");
  }

  function instruction() {
    const end = endOf(wasm, at);
    put("opcodes", ...opcodesAt(at));
    const op = wasm[at++];
    if (isMemory(op)) number();
    const name = op === constant ? constantAt(at - 1) : names[kinds[op]];
    if (name === "odd") put("odd", (end - at) & 255, (end - at) >> 8);
    if (name === "call") {
      const called = number();
      if (called >= functions * 256) throw new Error("the packing of wasm files has no room for so many functions");
      put("call", called % functions, Math.floor(called / functions));
    } else if (name !== "rest") {
      const further = behind[name]?.[opcodesAt(end)[0]] ?? 0;
      copy(names[place(name) + further], end - at);
    }
  }

  /** What stands for the opcode of an instruction. */
  function opcodesAt(start) {
    const op = wasm[start];
    if (op === constant) return [constants[constantAt(start)]];
    if (!isMemory(op)) return [op];
    const aligned = numberAt(wasm, start + 1).value;
    return aligned === Number(natural[op - 0x28]) ? [op] : [alignment + aligned, op];
  }

  function constantAt(start) {
    return ["small", "middle"][endOf(wasm, start) - start - 2] ?? "large";
  }
}
