// The instructions of a wasm file, as far as what changes or packs one has to tell them apart.

/** Opcodes of a form that is not known here: exceptions, tail calls, vectors, threads and what comes later. */
const isUnknown = (op) =>
  (op >= 0x06 && op <= 0x0a) ||
  (op >= 0x12 && op <= 0x19) ||
  op === 0x1d ||
  (op > 0xc4 && ![0xd0, 0xd1, 0xd2, 0xfc].includes(op));

/** How many numbers stand behind the opcodes from 0xfc on. */
const newer = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

export const isMemory = (op) => op >= 0x28 && op <= 0x3e;

/** The number that stands here, without a sign, and where it ends. */
export function numberAt(wasm, at) {
  let value = 0;
  let place = 1;
  while (wasm[at] > 127) {
    value += (wasm[at++] - 128) * place;
    place *= 128;
  }
  return { value: value + wasm[at] * place, end: at + 1 };
}

/** A number without a sign, in LEB128. */
export function leb(value) {
  return value < 128 ? Buffer.of(value) : Buffer.concat([Buffer.of((value % 128) + 128), leb(Math.floor(value / 128))]);
}

/** Where the instruction ends that begins here. */
export function endOf(wasm, start) {
  const op = wasm[start];
  if (isUnknown(op)) throw new Error(`the build does not know the instruction 0x${op.toString(16)}`);
  let at = start + 1;
  const number = () => {
    const { value, end } = numberAt(wasm, at);
    at = end;
    return value;
  };
  const numbers = (count) => {
    for (let left = count; left > 0; left--) number();
    return at;
  };
  if (op === 0x0e) return numbers(number() + 1); // br_table
  if (op === 0x1c) return numbers(number()); // select with a type
  if (op === 0x43) return at + 4;
  if (op === 0x44) return at + 8;
  if (op === 0xfc) {
    const count = newer[number()];
    if (count === undefined) throw new Error(`the build does not know the instruction 0xfc ${wasm[start + 1]}`);
    return numbers(count);
  }
  if (op === 0x11 || isMemory(op)) return numbers(2);
  const hasOne =
    (op >= 0x02 && op <= 0x04) ||
    [0x0c, 0x0d, 0x10, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2].includes(op) ||
    (op >= 0x20 && op <= 0x26);
  return hasOne ? numbers(1) : at;
}
