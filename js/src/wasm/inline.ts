// A wasm file carried inside JavaScript (scripts/lib/pack-wasm.mjs writes it), put together when it is first needed. What does that is
// a wasm file too (tools/unpack), because JavaScript that has just been loaded takes ten times as long.
import { encodeAscii } from "../values/utf8.js";
import { unpacker } from "./generated/unpacker.js";

export interface Packed {
  readonly text: string;
  /** The length of what comes of it. */
  readonly length: number;
}

interface Unpacker {
  readonly memory: WebAssembly.Memory;
  unpack(text: number, length: number, size: number): number;
}

export function unpack({ text, length }: Packed): Uint8Array<ArrayBuffer> {
  const module = new WebAssembly.Module(Uint8Array.from(unpacker.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
  const { memory, unpack } = new WebAssembly.Instance(module).exports as unknown as Unpacker;
  const start = memory.buffer.byteLength;
  memory.grow(Math.ceil((2 * text.length + length) / 65536));
  encodeAscii(text, new Uint8Array(memory.buffer, start));
  const file = unpack(start, text.length, length);
  return new Uint8Array(memory.buffer as ArrayBuffer, file, length);
}
