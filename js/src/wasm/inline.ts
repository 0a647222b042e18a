// A wasm file carried inside JavaScript as text (scripts/lib/ascii.mjs writes it), decoded when it is first needed.

export interface Ascii {
  /** The characters of the text. The first of them are marks, which stand with the character behind them for a rare byte. */
  readonly letters: string;
  readonly marks: number;
  /** What the other characters stand for, ascending, in hexadecimal. */
  readonly frequent: string;
  readonly length: number;
  readonly text: string;
}

export function decoded({ letters, marks, frequent, length, text }: Ascii): Uint8Array<ArrayBuffer> {
  const places = new Uint8Array(128);
  for (let place = 0; place < letters.length; place++) places[letters.charCodeAt(place)] = place;
  const common = frequent.match(/../g)?.map((digits) => Number.parseInt(digits, 16)) ?? [];
  const rare = [...new Uint8Array(256).keys()].filter((byte) => !common.includes(byte));
  // By the place of the character, and behind them by those of mark and character.
  const values = Uint8Array.of(...new Uint8Array(marks), ...common, ...rare);
  const bytes = new Uint8Array(length);
  for (let at = 0, from = 0; at < length; at++) {
    let place = places[text.charCodeAt(from++)] as number;
    if (place < marks) place = letters.length * (place + 1) + (places[text.charCodeAt(from++)] as number);
    bytes[at] = values[place] as number;
  }
  return bytes;
}
