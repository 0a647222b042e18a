// Bytes as text for a JavaScript module. Frequent bytes are one letter, the others a mark and a letter: so the text stays in step
// with the bytes, and compression finds in it what it finds in them.

// What no quotation mark, template, minifier or page has to escape.
export const letters = " !#%&()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";

/** The last ones stand with the letter behind them for a rare byte, each other one for a frequent byte. */
const marks = letters.slice(-2);
const plain = letters.slice(0, -marks.length);

/** A text for each byte: a letter for as many of the frequent ones as there are letters. In text letters stand for themselves. */
function codesOf(bytes, isText) {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte]++;
  const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a]);
  const frequent = new Set(order.slice(0, plain.length));
  const itself = (letter) => isText && frequent.has(letter.charCodeAt(0));
  const others = [...plain].filter((letter) => !itself(letter));
  let [one, two] = [0, 0];
  return Array.from(counts, (_, byte) => {
    const letter = String.fromCharCode(byte);
    if (!frequent.has(byte)) return marks[Math.floor(two / letters.length)] + letters[two++ % letters.length];
    return plain.includes(letter) && itself(letter) ? letter : others[one++];
  });
}

/** The number of bytes, 256 bits that tell which bytes are one letter, and the bytes, all in letters. */
export function asciiOf(bytes, isText) {
  const codes = codesOf(bytes, isText);
  const bits = codes.map(({ length }) => (length === 1 ? 1 : 0));
  const head = [18, 12, 6, 0].map((shift) => letters[(bytes.length >> shift) & 63]);
  for (let at = 0; at < 256; at += 6) {
    head.push(letters[[0, 1, 2, 3, 4, 5].reduce((sum, bit) => sum * 2 + (bits[at + bit] ?? 0), 0)]);
  }
  return head.join("") + Array.from(bytes, (byte) => codes[byte]).join("");
}
