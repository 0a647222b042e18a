// What wasm-bindgen writes around a wasm file, made fit for pages: smaller, and with a guard at the border of each instance.

/** Names without a meaning to anybody: a, b, … aa, ab, … */
const letters = "abcdefghijklmnopqrstuvwxyz";
const short = (index) => (index < 26 ? "" : short(Math.floor(index / 26) - 1)) + letters[index % 26];

const changes = [
  // js/src/wasm/guard.ts, so that a trap ends neither a page nor what waits in it.
  [/wasm = instance\.exports;/g, "wasm = guard.exports(instance.exports);"],
  [/wasm = wasmInstance\.exports;/g, "wasm = guard.exports(wasmInstance.exports);"],
  [/"\.\/\w+_bg\.js": import0,/, `"${short(0)}": guard.imports(import0),`],
  // Callbacks that an ended instance left behind.
  [/throw new Error\('Cannot invoke closure from previous WASM instance'\);/g, "return;"],
  // js/src/wasm/core.ts compiles the file itself, and gives it as a module.
  [/\nasync function __wbg_load[\s\S]*?\n}\n/, "\n"],
  [/\nlet __wbg_init_promise;[\s\S]*?\nexport \{ initSync, __wbg_init as default };/, "\nexport { initSync };"],
  [/(function initSync\(module\) {\s*if .*\n)[\s\S]*?const imports/, "$1    ({ module } = module);\n    const imports"],
  [/ {4}if \(!\(module instanceof WebAssembly\.Module\)\) {[\s\S]*?\n {4}}\n/, ""],
  // A new instance begins when the guard says so, and never by itself.
  [/ *__wbg_call_guard\(\);\n/g, ""],
  [/\nfunction __wbg_call_guard\(\) {[\s\S]*?\n}\n/, "\n"],
  // No memory is a trap, which takes the strings with it.
  [/try {\n((?:\s*(?:ptr|len)\d+ = .*\n)+)\s*} catch \(e\) {\n(?:.*\n)*?\s*throw e;\n\s*}\n/g, "$1"],
  // One way in for texts, and (below) one way out.
  [/, wasm\.__wbindgen_malloc, wasm\.__wbindgen_realloc\)/g, ")"],
  [
    /function passStringToWasm0\(arg, malloc, realloc\) {\n {4}if [\s\S]*?\n {4}}\n/,
    "function passStringToWasm0(arg) {\n    const { __wbindgen_malloc: malloc, __wbindgen_realloc: realloc } = wasm;\n",
  ],
  // Every browser with what the file needs has these, and nobody disposes of these classes that way.
  [/\(typeof FinalizationRegistry === 'undefined'\)\s*\? {.*}\s*: /g, ""],
  [/\nif \(!\('encodeInto' in cachedTextEncoder\)\) {[\s\S]*?\n}\n/, "\n"],
  [/\nif \(Symbol\.dispose\).*\n/g, "\n"],
  [/if \(this\.__wbg_inst !== undefined && this\.__wbg_inst !== __wbg_instance_id\) {\s*throw .*\n\s*}/g, "checkAge(this);"],
  [
    /let deferred1_0;\s+let deferred1_1;\s+try {([^{}]*?)let ret;\s+ret = (.*);\s+deferred1_0[^{}]*} finally {[^{}]*}/g,
    "$1return takeString($2);",
  ],
];

const own = `import { Guard } from "../guard.js";
export const guard = /* @__PURE__ */ new Guard();
function takeString([ptr, len]) {
    try {
        return getStringFromWasm0(ptr, len);
    } finally {
        wasm.__wbindgen_free(ptr, len, 1);
    }
}
function checkAge(object) {
    if (object.__wbg_inst !== __wbg_instance_id) throw new Error('Invalid stale object from previous Wasm instance');
}
`;

/** The glue for a file whose imports have these short names; what the file does not import goes. */
export function pageGlue(text, names) {
  let glue = text;
  for (const [from, to] of changes) {
    const changed = glue.replace(from, to);
    if (changed === glue) throw new Error(`The glue has no \`${from}\` any more: see what wasm-bindgen writes now.`);
    glue = changed;
  }
  const [before, imports, after] = glue.split(/(?<=const import0 = {\n {8}__proto__: null,\n)|(?=\n {4}};\n {4}return {)/);
  const kept = imports.split(/\n(?= {8}\S+: function)/).flatMap((entry) => {
    const name = /^ {8}(\S+): /.exec(entry)?.[1];
    return names.has(name) ? [entry.replace(name, names.get(name))] : [];
  });
  if (kept.length !== names.size)
    throw new Error("The glue has not all that the wasm file imports: see what wasm-bindgen writes now.");
  return own + before + kept.join("\n") + after;
}

/** Its types, without what has gone. Compilers that check libraries would want ESNext for `Symbol.dispose`. */
export function pageTypes(text) {
  const types = text
    .replace(/^ *\[Symbol\.dispose\]\(\): void;\n/gm, "")
    .replace(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/\nexport default function __wbg_init[\s\S]*?;\n/, "");
  return `${types}export declare const guard: import("../guard.js").Guard;\n`;
}

/** A wasm file whose imports have short names, and these names by the long ones. */
export function shortImports(wasm) {
  const names = new Map();
  const out = [wasm.subarray(0, 8)];
  let at = 8;
  const number = () => {
    let value = 0;
    let place = 1;
    while (wasm[at] > 127) {
      value += (wasm[at++] - 128) * place;
      place *= 128;
    }
    return value + wasm[at++] * place;
  };
  const bytes = (length) => {
    at += length;
    return wasm.subarray(at - length, at);
  };
  const newImports = () => {
    const entries = Array.from({ length: number() }, (_, index) => {
      bytes(number());
      const name = Buffer.from(bytes(number())).toString();
      if (wasm[at] !== 0) throw new Error(`${name} is no function; only imports of functions can be named anew.`);
      names.set(name, short(index));
      // A kind, and the number of a type.
      const from = at++;
      number();
      return [text(short(0)), text(names.get(name)), wasm.subarray(from, at)];
    });
    return Buffer.concat([leb(entries.length), ...entries.flat()]);
  };
  while (at < wasm.length) {
    const from = at;
    const isImports = wasm[at++] === 2;
    const length = number();
    if (isImports) {
      const body = newImports();
      out.push(Buffer.of(2), leb(body.length), body);
    } else {
      bytes(length);
      out.push(wasm.subarray(from, at));
    }
  }
  return { wasm: Buffer.concat(out), names };
}

const text = (value) => Buffer.concat([leb(value.length), Buffer.from(value)]);

function leb(value) {
  return value < 128 ? Buffer.of(value) : Buffer.concat([Buffer.of((value % 128) + 128), leb(Math.floor(value / 128))]);
}
