// Bytes as text for a JavaScript module. Frequent bytes are one character, the others a mark and a character: so the text stays
// in step with the bytes, and compression finds in it what it finds in them. Of a wasm file of 407 kB brotli makes 143 kB; 146 kB
// of this text; 152 kB of hexadecimal text; 181 kB of base64 text.

// What no quotation mark, template, minifier or page has to escape.
const letters = [..." !#%&()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~"];
const marks = 3;

/** The letters, the frequent bytes in hexadecimal, the length and the text, for `decoded` in js/src/wasm/inline.ts. */
export function asciiOf(bytes) {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte]++;
  const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a]);
  const ascending = (some) => some.sort((a, b) => a - b);
  const frequent = ascending(order.slice(0, letters.length - marks));
  const rare = ascending(order.slice(letters.length - marks));
  const codes = [];
  for (const [at, byte] of frequent.entries()) codes[byte] = letters[marks + at];
  for (const [at, byte] of rare.entries()) codes[byte] = letters[Math.floor(at / letters.length)] + letters[at % letters.length];
  const text = Array.from(bytes, (byte) => codes[byte]).join("");
  return { letters: letters.join(""), marks, frequent: Buffer.from(frequent).toString("hex"), length: bytes.length, text };
}
