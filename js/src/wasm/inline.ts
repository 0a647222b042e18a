// The wasm file carried inside JavaScript as hexadecimal text, decoded when it is first needed.
import { hex } from "./generated/bytes.js";

export function inlineBytes(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = (digit(2 * at) << 4) | digit(2 * at + 1);
  return bytes;
}

// Arithmetic on the letter's code: parseInt on every pair takes about four times as long.
function digit(at: number): number {
  const code = hex.charCodeAt(at);
  return (code & 15) + (code >> 6) * 9;
}
