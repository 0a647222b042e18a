// What wasm-bindgen writes around a wasm file becomes tables, and what is not understood of it stops the build.
import { expect, test } from "vitest";
import { pageGlue } from "../../scripts/lib/glue.mjs";

const glue = (method: string, imported: string) => `
export class CoreThing {
    ask(name) {
        if (this.__wbg_inst !== undefined && this.__wbg_inst !== __wbg_instance_id) {
            throw new Error('Invalid stale object from previous Wasm instance');
        }
        const ptr0 = passStringToWasm0(name, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
        const len0 = WASM_VECTOR_LEN;
        let ret;
        __wbg_call_guard();
        ${method}
    }
}
function __wbg_get_imports() {
    const import0 = {
        __proto__: null,
        __wbg_told_1: function(arg0, arg1, arg2) {
            ${imported}
        },
    };
    return {
        __proto__: null,
    };
}
`;
const names = { imports: new Map([["__wbg_told_1", "a"]]), exports: new Map() };
const returned = "ret = wasm.corething_ask(this.__wbg_ptr, ptr0, len0);\n        return ret !== 0;";
const told = "arg0.told(getStringFromWasm0(arg1, arg2));";

test("a method and an import become an entry of a table each", () => {
  const written = pageGlue(glue(returned, told), names);
  expect(written).toContain('ask: "b:s"');
  expect(written).toContain('a: told("told", "s")');
});

test.each([
  ["a method that gives something new", returned.replace("ret !== 0", "ret * 2"), told],
  ["a method that hands over its arguments in another order", returned.replace("ptr0, len0", "len0, ptr0"), told],
  ["an import that reads the memory in a new way", returned, "arg0.told(getBigIntFromWasm0(arg1, arg2));"],
  ["an import that takes its arguments in another order", returned, "arg0.told(arg2, arg1);"],
  ["an import that does more than one thing", returned, "arg0.told(); arg1.told();"],
])("%s stops the build", (_, method, imported) => {
  expect(() => pageGlue(glue(method, imported), names)).toThrow("The build does not know this glue");
});

test("an import of the wasm file that the glue has not stops the build", () => {
  const imports = new Map([...names.imports, ["__wbg_other_2", "b"]]);
  expect(() => pageGlue(glue(returned, told), { ...names, imports })).toThrow("not all that the wasm file imports");
});
