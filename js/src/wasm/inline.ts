// A wasm file carried inside JavaScript as hexadecimal text, decoded when it is first needed.

export function decoded(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = (digit(hex, 2 * at) << 4) | digit(hex, 2 * at + 1);
  return bytes;
}

// Arithmetic on the letter's code: parseInt on every pair takes about four times as long.
function digit(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return (code & 15) + (code >> 6) * 9;
}
