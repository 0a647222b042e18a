// JSON text taken apart without reading its values, and base64 taken out of it.
import { expect, test } from "vitest";
import { type Media, putBack, takeOut } from "../../js/src/store/indexeddb/media.js";
import { arrayBody, arrayOf, membersOf } from "../../js/src/store/json-text.js";

test("the members of an object come as they are written", () => {
  const text = ` { "a" : 1.0e5 , "b\\"]":[ {"x":"}],"},"\\\\" ] ,"c":{},"d":[],"e":"","\\u0066":null, "g":"\\\\\\"" } `;
  expect(Object.fromEntries(membersOf(text))).toEqual({
    a: "1.0e5",
    'b"]': '[ {"x":"}],"},"\\\\" ]',
    c: "{}",
    d: "[]",
    e: '""',
    f: "null",
    g: '"\\\\\\""',
  });
  expect(membersOf("{}").size).toBe(0);
});

test("members of any JSON are its members", () => {
  const odd = ['"', "\\", "{", "}", "[", "]", ",", ":", "\u2028", "a", "\ud83d"];
  let seed = 1;
  const next = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  const text = () => Array.from({ length: next(6) }, () => odd[next(odd.length)]).join("");
  const value = (depth: number): unknown => {
    if (depth === 0 || next(3) === 0) return [text(), next(1000) / 7, null, true][next(4)];
    const parts = Array.from({ length: next(4) }, () => [text(), value(depth - 1)] as const);
    return next(2) ? Object.fromEntries(parts) : parts.map(([, part]) => part);
  };
  for (let round = 0; round < 2000; round++) {
    const object = Object.fromEntries(Array.from({ length: next(5) }, () => [text(), value(4)]));
    const json = JSON.stringify(object, null, next(2) * 2);
    const parts = [...membersOf(json)].map(([key, member]) => [key, JSON.parse(member)]);
    expect(Object.fromEntries(parts)).toEqual(object);
  }
});

test("arrays are joined from what is inside of others", () => {
  expect(arrayOf([arrayBody("[1,2]"), arrayBody("[ ]"), arrayBody(undefined), arrayBody('["a"]')])).toBe('[1,2,"a"]');
  expect(arrayOf([])).toBe("[]");
});

const base64 = "QUJD".repeat(2000);
test.each([
  ["a string of base64", JSON.stringify({ data: base64 }), 1],
  ["a data URL", JSON.stringify([`data:image/png;base64,${base64}`]), 1],
  ["two of them, one repeated", JSON.stringify([base64, `${base64}QQ==`, base64]), 3],
  ["padding in the middle", JSON.stringify(`${base64}QQ==${base64}`), 0],
  ["padding where a piece ends", JSON.stringify(`${"A".repeat(0x8000 - 1)}=${"A".repeat(4000)}`), 0],
  ["bits that would be lost", JSON.stringify(`${base64}QR==`), 0],
  ["a length that is no base64", JSON.stringify(`${base64}Q`), 0],
  ["another alphabet", JSON.stringify(`${base64}-_-_`), 0],
  ["base64 inside of a string that is JSON", JSON.stringify({ text: JSON.stringify({ data: base64 }) }), 0],
  ["text with a comma", JSON.stringify(`A comma, ${base64}`), 0],
  ["short base64", JSON.stringify("QUJD"), 0],
  ["nothing", "", 0],
])("%s comes back character by character", async (_, text, taken) => {
  const media = new Map<string, Media>();
  const stored = await takeOut(text, media);
  expect(typeof stored === "string" ? 0 : stored.media.length).toBe(taken);
  expect(await putBack(stored, media)).toBe(text);
  if (typeof stored !== "string") expect(JSON.stringify(stored).length).toBeLessThan(text.length / 2);
});

test("megabytes of media are taken out in a moment", async () => {
  const text = JSON.stringify({ data: "QUJD".repeat(5_000_000) });
  // What this process computes: the machine may be busy with other things.
  const since = process.cpuUsage();
  const media = new Map<string, Media>();
  const stored = await takeOut(text, media);
  expect(media.size).toBe(1);
  expect((await putBack(stored, media)) === text).toBe(true);
  const { user, system } = process.cpuUsage(since);
  expect((user + system) / 1000).toBeLessThan(4000);
});
