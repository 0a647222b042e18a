// A wasm file travels inside JavaScript as packed text, and comes out as it was.
import { readFileSync } from "node:fs";
import binaryen from "binaryen";
import { expect, test } from "vitest";
import { bytes as providers } from "../../pkg/src/wasm/generated/glove_providers_bytes.js";
import { bytes as sessions } from "../../pkg/src/wasm/generated/glove_wasm_bytes.js";
import { unpack } from "../../pkg/src/wasm/inline.js";
import { likeBesideLike } from "../../scripts/lib/function-order.mjs";
import { packed } from "../../scripts/lib/pack-wasm.mjs";
import { withoutPanicTexts } from "../../scripts/lib/panic-texts.mjs";
import { root } from "../support/project.js";

test.each([
  ["glove_wasm", sessions],
  ["glove_providers", providers],
])("%s comes out of its text to the byte", (name, carried) => {
  const file = readFileSync(`${root}/pkg/${name}_bg.wasm`);
  expect(Buffer.compare(unpack(carried), file)).toBe(0);
  // Nothing in it has to be escaped, in a module or a page.
  expect(carried.text).toMatch(/^[ !#%&()*+,\-./0-9:;=>?@A-Z[\]^_a-z{|}~]+$/);
});

test("instructions of every form come out as they were", () => {
  const targets = Array.from({ length: 300 }, () => "$a $b").join(" ");
  const module = binaryen.parseText(`(module
    (memory 1) (table 1 funcref) (global $g (mut i64) (i64.const -5)) (data "\\00\\ff some text \\80")
    (type $t (func (param f64) (result i32)))
    (func (export "f") (param i32) (result i32) (local f32 i64 i64)
      (block $a (block $b (br_table ${targets} $a (local.get 0))))
      (i64.store32 offset=70000 align=1 (i32.const 3) (global.get $g))
      (i32.store16 offset=4 align=2 (i32.const -70000) (i32.const 200))
      (memory.fill (i32.const 0) (i32.const 2147483647) (i32.trunc_sat_f64_s (f64.const 1.5e300)))
      (memory.copy (i32.const 0) (i32.const 1) (memory.grow (memory.size)))
      (local.set 1 (f32.const -0.5))
      (if (i32.load8_s (i32.const 8)) (then (loop $l (br_if $l (i32.eqz (i32.const 0))))) (else (nop)))
      (drop (ref.is_null (select (result funcref) (ref.null func) (table.get (i32.const 0)) (local.get 0))))
      (call_indirect (type $t) (f64.const 1) (i32.const 0))))`);
  module.setFeatures(binaryen.Features.All);
  const file = Buffer.from(module.emitBinary());
  const text = packed(file);
  expect(Buffer.compare(unpack({ text, length: file.length }), file)).toBe(0);
});

test("calls of every function, and every byte, come out as they were", () => {
  const functions = Array.from({ length: 3000 }, (_, at) => `(func $f${at})`).join("\n");
  const calls = [0, 1, 47, 48, 49, 86, 87, 88, 127, 128, 2303, 2304, 2999].map((at) => `(call $f${at})`).join(" ");
  const bytes = Array.from({ length: 256 }, (_, byte) => `\\${byte.toString(16).padStart(2, "0")}`.repeat(1 + (byte % 7))).join(
    "",
  );
  const module = binaryen.parseText(
    `(module (memory 1) (data (i32.const 1024) "${bytes}") ${functions} (func (export "f") ${calls}))`,
  );
  const file = Buffer.from(module.emitBinary());
  const text = packed(file);
  expect(Buffer.compare(unpack({ text, length: file.length }), file)).toBe(0);
});

test("an instruction of a form that is not known is refused, and not packed wrongly", () => {
  const module = binaryen.parseText('(module (func (export "f") (result v128) (v128.const i32x4 1 2 3 4)))');
  module.setFeatures(binaryen.Features.All);
  expect(() => packed(Buffer.from(module.emitBinary()))).toThrow("does not know the instruction 0xfd");
});

test("functions whose places have changed are called, exported and in tables as before", () => {
  const module = binaryen.parseText(`(module
    (import "page" "told" (func $told (param i32) (result i32)))
    (type $one (func (param i32) (result i32)))
    (table 4 funcref) (elem (i32.const 1) $double $less $told)
    (func $double (param i32) (result i32) (i32.mul (local.get 0) (i32.const 2)))
    (func $more (param i32) (result i32) (i32.add (call $double (local.get 0)) (i32.const 5)))
    (func $none (result i64) (i64.const 7))
    (func $less (param i32) (result i32) (i32.sub (call $more (local.get 0)) (i32.const 5)))
    (func $triple (param i32) (result i32) (i32.mul (local.get 0) (i32.const 3)))
    (func (export "called") (param i32) (result i32) (call $less (call $triple (call $told (local.get 0)))))
    (func (export "chosen") (param i32 i32) (result i32) (call_indirect (type $one) (local.get 1) (local.get 0)))
    (export "none" (func $none)) (export "more" (func $more)))`);
  module.setFeatures(binaryen.Features.All);
  const file = Buffer.from(module.emitBinary());
  const sorted = likeBesideLike(file, 4, (wasm: Buffer) => -wasm.indexOf(7));
  // Otherwise this would say nothing.
  expect(Buffer.compare(sorted, file)).not.toBe(0);
  const answers = (wasm: Buffer<ArrayBuffer>) => {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), { page: { told: (n: number) => n + 100 } });
    const { called, chosen, none, more } = exports as Record<string, (...numbers: number[]) => unknown>;
    return [called?.(1), chosen?.(1, 21), chosen?.(2, 21), chosen?.(3, 21), none?.(), more?.(4)];
  };
  expect(answers(sorted)).toEqual([606, 42, 42, 121, 7n, 13]);
  expect(answers(sorted)).toEqual(answers(file));
});

test.each([
  [
    "a table of another kind",
    `(table 1 funcref) (func $f) (elem $e func $f) (func (export "f") (table.init $e (i32.const 0) (i32.const 0) (i32.const 1)))`,
    "this table",
  ],
  ["a section of its own", "", "a section of its own"],
])("%s is refused, and not written wrongly", (_, parts, message) => {
  const module = binaryen.parseText(`(module ${parts})`);
  module.setFeatures(binaryen.Features.All);
  if (!parts) module.addCustomSection("name", new Uint8Array(1));
  expect(() => likeBesideLike(Buffer.from(module.emitBinary()), 1, (wasm: Buffer) => wasm.length)).toThrow(message);
});

test("what panics would say is taken out of a wasm file, and nothing beside it", () => {
  const file = Buffer.from("\0asm before mid > len after, called `Option::unwrap()` on a `None` value.");
  const without = withoutPanicTexts(file);
  expect(without.length).toBe(file.length);
  expect(without.toString().replace(/\0+/g, "|")).toBe("|asm before | after, |.");
  expect(() => withoutPanicTexts(without)).toThrow("no text of a panic");
});
