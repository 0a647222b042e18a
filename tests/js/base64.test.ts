// Base64 both ways, natively and in pieces.
import { afterEach, expect, test, vi } from "vitest";
import { fromBase64, toBase64 } from "../../js/src/values/base64.js";

const lengths = [0, 1, 2, 3, 4, 0x8000, 0x6_0000 - 1, 0x6_0000, 0x6_0000 + 1, 0xc_0000 + 2];
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 255);
const letters = Buffer.from(bytesOf(0x6_0000)).toString("base64");

/** What newer engines have, here by Buffer. */
const native = {
  toBase64(this: Uint8Array) {
    return Buffer.from(this).toString("base64");
  },
  fromBase64(text: string) {
    const bytes = Buffer.from(text, "base64");
    // It is strict about everything but blanks.
    if (bytes.toString("base64") !== text.replace(/\s/g, "")) throw new SyntaxError("no base64");
    return new Uint8Array(bytes);
  },
};

afterEach(() => {
  vi.unstubAllGlobals();
  for (const [owner, name] of own) Reflect.deleteProperty(owner, name);
});
const own: [object, string][] = [];
function put(owner: object, name: string, value: unknown) {
  if (name in owner) return;
  Object.defineProperty(owner, name, { value, configurable: true });
  own.push([owner, name]);
}
const engines: Record<string, () => void> = {
  "in pieces": () => {},
  natively: () => {
    put(Uint8Array.prototype, "toBase64", native.toBase64);
    put(Uint8Array, "fromBase64", native.fromBase64);
  },
};

test.each(Object.entries(engines))("bytes become text and come back, %s", async (_, engine) => {
  engine();
  for (const length of lengths) {
    const [bytes, text] = [bytesOf(length), Buffer.from(bytesOf(length)).toString("base64")];
    expect((await toBase64(bytes)) === text, String(length)).toBe(true);
    expect((await toBase64(new Blob([bytes]))) === text, String(length)).toBe(true);
    expect(Buffer.from((await fromBase64(text)) ?? "no").equals(bytes), String(length)).toBe(true);
  }
});

test.each(Object.entries(engines))("a text that would not come back as it was gives nothing, %s", async (_, engine) => {
  engine();
  const bad = ["Q", "QQ", "QQ=", "QR==", "QQ==QUJD", "QUJD QUJD ab", " QUJ", "QUJ\n", "Q-_D", "====", "Ü+//", "QUJDQUJ\n"];
  for (const text of [...bad, `${letters.slice(4)}QQ==QUJD`, `${letters}QQ==QUJD`, `${letters.slice(0, -2)}==${letters}`]) {
    expect(await fromBase64(text), text.slice(-12)).toBeUndefined();
  }
});

test("megabytes leave the page its turn between the pieces", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const text = await toBase64(bytesOf(5_000_000));
  const between = turns;
  expect((await fromBase64(text))?.length).toBe(5_000_000);
  clearInterval(timer);
  expect([between > 3, turns - between > 3]).toEqual([true, true]);
});
