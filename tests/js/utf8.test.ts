// The coders of texts, and what stands in for them where the environment has none (jest's jsdom).
import { afterEach, expect, test, vi } from "vitest";
import { decodeUtf8, encodeAscii, encodeUtf8 } from "../../js/src/values/utf8.js";

afterEach(() => vi.unstubAllGlobals());

const texts = ["", "plain", "é ü ß", "日本語", "😀 two 👩‍👩‍👧", "\ufeffmark", "\u0000\u007f\u0080\u07ff\u0800\uffff", "%41 + %"];

test("without the environment's coders texts come and go just the same", () => {
  const known = texts.map(encodeUtf8);
  vi.stubGlobal("TextEncoder", undefined);
  vi.stubGlobal("TextDecoder", undefined);
  expect(texts.map(encodeUtf8)).toEqual(known);
  expect(known.map(decodeUtf8)).toEqual(texts);
});

test("halves of a pair become the replacement character with either", () => {
  const halves = ["\ud83d", "a\ude00b", "\ude00\ud83d", "\ud83d\ud83d\ude00"];
  const known = halves.map(encodeUtf8);
  vi.stubGlobal("TextEncoder", undefined);
  expect(halves.map(encodeUtf8)).toEqual(known);
});

test.each([true, false])("letters beyond ASCII are noticed (coders: %s)", (there) => {
  if (!there) vi.stubGlobal("TextEncoder", undefined);
  const to = new Uint8Array(3);
  expect(encodeAscii("abc", to)).toBe(true);
  expect([...to]).toEqual([97, 98, 99]);
  expect(encodeAscii("abé", to)).toBe(false);
});
