// What wasm-bindgen writes around a wasm file, made fit for pages: tables for js/src/wasm/border.ts, which is written once, with a
// guard at the border of each instance. Whatever is not understood here stops the build.

/** Names without a meaning to anybody: a, b, … aa, ab, … */
const letters = "abcdefghijklmnopqrstuvwxyz";
const short = (index) => (index < 26 ? "" : short(Math.floor(index / 26) - 1)) + letters[index % 26];

const unknown = (what) => new Error(`The build does not know this glue: see what wasm-bindgen writes now.\n${what}`);

/** The glue for a file with these names (`shortNames`); what the file does not import goes. */
export function pageGlue(text, { imports, exports }) {
  const plain = text
    .replace(/^ *(?:\/\/.*|\/\*[\s\S]*?\*\/)\n/gm, "")
    // A new instance begins when the guard says so, and never by itself.
    .replace(/ *__wbg_call_guard\(\);\n/g, "")
    .replace(/, wasm\.__wbindgen_malloc(, wasm\.__wbindgen_realloc)?\)/g, ")")
    // No memory is a trap, which takes the strings with it.
    .replace(/try {\n((?:\s*(?:ptr|len)\d+ = .*\n)+)\s*} catch \(e\) {\n(?:.*\n)*?\s*throw e;\n\s*}\n/g, "$1");
  const closures = new Map(
    [...plain.matchAll(/^function (\w+_invoke_\w+)\((arg0, arg1, .*)\) {\n([\s\S]*?)^}\n/gm)].map(([, name, args, body]) => {
      return [name, `"${exports.get(name) ?? name}", ${signature(body, args, "arg0, arg1, ")}`];
    }),
  );
  const entries = plain
    .split(/const import0 = {\n {8}__proto__: null,\n|^ {4}};\n {4}return {/m)[1]
    .split(/\n(?= {8}\S+: function)/);
  const table = entries.flatMap((entry) => {
    const [, name, body] = /^ {8}(\S+): (function[\s\S]*),\s*$/.exec(entry) ?? [];
    return imports.has(name) ? [`    ${imports.get(name)}: ${asked(body, closures)},\n`] : [];
  });
  if (table.length !== imports.size) throw unknown("It has not all that the wasm file imports.");
  const classes = [...plain.matchAll(/^export class (\w+) {\n([\s\S]*?)^}\n/gm)].map(([, name, body]) => classOf(name, body));
  const functions = [...plain.matchAll(/^export function (?!__wbg_reset_state)(\w+)\((.*)\) {\n([\s\S]*?)^}\n/gm)].map(
    ([, name, args, body]) => `export const ${name} = (...args) => border.call("${name}", ${signature(body, args)}, args);\n`,
  );
  return [
    `import { borderOf } from "../border.js";\nimport { Guard } from "../guard.js";\n`,
    `export const guard = /* @__PURE__ */ new Guard();\n`,
    `const border = /* @__PURE__ */ borderOf(guard, ({ ${helpers.join(", ")} }) => ({\n${table.join("")}}));\n`,
    `export const initSync = (given) => border.initSync(given);\nexport const __wbg_reset_state = () => border.reset();\n`,
    ...classes,
    ...functions,
  ].join("");
}

/** What the tables of imports are written with. */
const helpers = [
  "asked",
  "closure",
  "constants",
  "newController",
  "promise",
  "put",
  "putBytes",
  "putText",
  "reference",
  "text",
  "told",
  "tried",
];

/** How the texts of a wasm file are written as arguments of a function of the page, with the letters of `lifted`. */
const texts = [
  [/(\w+) === 0 \? undefined : getStringFromWasm0\(\1, (\w+)\)/g, "o"],
  [/getStringFromWasm0\((\w+), (\w+)\)/g, "s"],
  [/\w+ !== 0/g, "b"],
  [/\w+ >>> 0/g, "u"],
  [/\barg\d+/g, "v"],
];
const lettersOf = (args) => {
  const letters = texts.reduce((rest, [from, to]) => rest.replace(from, to), args).replaceAll(", ", "");
  const numbers = [...new Set(args.match(/\barg\d+/g))];
  if (!/^[sobuv]*$/.test(letters) || numbers.some((name, at) => name !== `arg${at + 1}`)) throw unknown(args);
  return letters;
};

/** What the page does for the wasm file: an entry of its imports. */
function asked(whole, closures) {
  const [, failing] = /^function\(\) { return handleError\((function [\s\S]*), arguments\); }$/.exec(whole) ?? [];
  const [, args, body] = /^function ?\((.*)\) {\n([\s\S]*)}$/.exec(failing ?? whole) ?? [];
  if (body === undefined) throw unknown(whole);
  const one = body.trim().replace(/\s+/g, " ");
  const method = /^(?:const ret = )?arg0\.(\w+)\((.*)\);(?: return ret;)?$/.exec(one);
  // `call` and `then` are functions of JavaScript; what else is called is what the page gives.
  if (method) return `${failing ? "asked" : "told"}("${method[1]}", "${lettersOf(method[2])}")`;
  const member = /^arg0\.(\w+) = (.*);$/.exec(one);
  if (member) return `put("${member[1]}", "${lettersOf(member[2])}")`;
  const inPage = spelled
    .reduce((rest, [from, to]) => rest.replace(from, to), one)
    .replace(/\w+_invoke_\w+/g, (name) => {
      if (!closures.has(name)) throw unknown(name);
      return closures.get(name);
    });
  const [, value] = /^const ret = (.*); return ret;$/.exec(inPage) ?? /^return (.*);$/.exec(inPage) ?? [];
  const written = `(${args}) => ${value ?? `{ ${inPage} }`}`;
  if (/wasm\b|Wasm|_LEN|isLikeNone|Memory0|state0|handleError|;.*;/.test(written)) throw unknown(whole);
  return failing ? `tried(${written})` : written;
}

/** What else wasm-bindgen writes in them, and what of `Border` does it. */
const spelled = [
  [/const obj = (arg\d); const ret = (typeof)\(obj\)( === 'string' \?) obj( : undefined;)/, "const ret = $2 $1$3 $1$4"],
  [
    /const ret = (.*); (?:var|const) ptr1 = (?:isLikeNone\(ret\) \? 0 : )?passStringToWasm0\(ret\); (?:var|const) len1 = .*setInt32\(\((arg0) >>> 0\) .* ptr1, true\);/,
    "putText($2, $1);",
  ],
  [
    /const v = (arg\d); const ret = typeof\(v\) === 'boolean' \? v : undefined; return .*;/,
    "return typeof $1 === 'boolean' ? +$1 : 0xFFFFFF;",
  ],
  // Whatever has WebAssembly has `globalThis`; the other names are for what has not.
  [/const ret = typeof globalThis === 'undefined' .*/, "return reference(globalThis);"],
  [/const ret = typeof (?:global|self|window) === 'undefined' .*/, "return 0;"],
  [/getStringFromWasm0/g, "text"],
  [/new AbortController\(\)/, "newController()"],
  // As good, and half of what it costs in Node.
  [/queueMicrotask\((arg\d)\);/, "Promise.resolve().then($1);"],
  [/Uint8Array\.prototype\.set\.call\(getArrayU8FromWasm0\((\w+), \w+\), (\w+)\)/, "putBytes($1, $2)"],
  [/try { var state0 = .*return (\w+_invoke_\w+)\(a, .* finally { state0\.a = 0; }/, "return promise(arg0, arg1, $1);"],
  [/make(Mut)?Closure\((.*?)\)/, (_, single, args) => `closure(${args}, ${Boolean(single)})`],
  [/const table = wasm\.__wbindgen_externrefs;.*/, "constants();"],
];

/** A class that the wasm file exports. */
function classOf(name, body) {
  const methods = [...body.matchAll(/^ {4}(\w+)\((.*)\) {\n([\s\S]*?)^ {4}}\n/gm)].filter(
    ([, method]) => !/^(__|free$)/.test(method),
  );
  const table = methods.map(([, method, args, inner]) => [
    method,
    signature(inner, args, method === "constructor" ? "" : "this.__wbg_ptr, "),
  ]);
  const [, made] = table.find(([method]) => method === "constructor") ?? [];
  const rest = table.filter(([method]) => method !== "constructor").map(([method, taken]) => `    ${method}: ${taken},\n`);
  const named = name.toLowerCase();
  return `export const ${name} = /* @__PURE__ */ border.classOf("${named}", ${made}, {\n${rest.join("")}});\n`;
}

/** The signature of a function of the wasm file (`call` in js/src/wasm/border.ts), from what wasm-bindgen wrote to call it. */
function signature(body, parameters, front = "") {
  const kinds = new Map();
  const passes = (kind, name, values) => {
    kinds.set(name, { kind, values });
    return "";
  };
  let called;
  const rest = body
    .replace(/\s+/g, " ")
    .replace(/ ?if \(this\.__wbg_inst !== undefined && this\.__wbg_inst !== __wbg_instance_id\) { throw .*?; }/, "")
    .replace(/const (val\d) = \+(\w+); /g, (_, value, name) => passes("v", name, value))
    .replace(
      /(?:const |var )?ptr(\d) = (isLikeNone\(\w+\) \? 0 : )?pass(String|Array8)ToWasm0\((\w+)\); (?:const |var )?len\1 = WASM_VECTOR_LEN; /g,
      (_, at, optional, type, name) => passes(type === "Array8" ? "y" : optional ? "o" : "s", name, `ptr${at}, len${at}`),
    )
    .replace(/wasm\.(?!__wbindgen_free)\w+\((.*?)\);/, (_, values) => {
      called = values;
      return "CALL;";
    })
    .replace(/(?:ptr\d = 0; len\d = 0; )?throw takeFromExternrefTable0\(ret\[\d\]\);/, "FAIL;")
    .replace(/\blet [^=;]*;/g, "")
    .replace(/\b(deferred|v|ptr|len)\d(?=\b|_)/g, "$1")
    .replace(/\bvar |\[\d\]/g, "")
    .replace(/\s+/g, " ")
    .replace(/this\.__wbg_ptr = ret; Object\.defineProperty.*; return this;/, "return made;")
    .trim();
  const named = parameters.replace(front, "").split(", ").filter(Boolean);
  const taken = named.map((name) => kinds.get(name) ?? { kind: "v", values: name });
  // What is called comes with the place of its object, or with the state of a closure.
  const expected = [front.replace(/, $/, ""), ...taken.map(({ values }) => values)].filter(Boolean).join(", ");
  if (!(rest in answers) || called !== expected) throw unknown(`${body}\n${rest}\n${called}, ${expected}`);
  return `"${answers[rest]}:${taken.map(({ kind }) => kind).join("")}"`;
}

/** How wasm-bindgen writes what comes back, without numbers, and the letters for it. */
const answers = {
  "CALL;": "",
  "ret = CALL; return ret;": "",
  "ret = CALL; return ret !== 0;": "b",
  "ret = CALL; if (ret) { FAIL; }": "!",
  "ret = CALL; if (ret) { FAIL; } return ret !== 0;": "!b",
  "ret = CALL; if (ret) { FAIL; } return takeFromExternrefTable0(ret);": "!x",
  "ret = CALL; if (ret !== 0) { v = getStringFromWasm0(ret, ret); wasm.__wbindgen_free(ret, ret * 1, 1); } return v;": "o",
  "ret = CALL; if (ret) { FAIL; } if (ret !== 0) { v = getStringFromWasm0(ret, ret); wasm.__wbindgen_free(ret, ret * 1, 1); } return v;":
    "!o",
  "try { ret = CALL; deferred_0 = ret; deferred_1 = ret; return getStringFromWasm0(ret, ret); } finally { wasm.__wbindgen_free(deferred_0, deferred_1, 1); }":
    "t",
  "try { ret = CALL; ptr = ret; len = ret; if (ret) { FAIL; } deferred_0 = ptr; deferred_1 = len; return getStringFromWasm0(ptr, len); } finally { wasm.__wbindgen_free(deferred_0, deferred_1, 1); }":
    "!t",
  "ret = CALL; if (ret) { FAIL; } return made;": "!p",
};

/** Its types, without what has gone. Compilers that check libraries would want ESNext for `Symbol.dispose`. */
export function pageTypes(text) {
  const types = text
    .replace(/^ *\[Symbol\.dispose\]\(\): void;\n/gm, "")
    .replace(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/\nexport default function __wbg_init[\s\S]*?;\n/, "");
  return `${types}export declare const guard: import("../guard.js").Guard;\n`;
}

/** A wasm file whose imports, and whose exports of closures, have short names; and these names by the long ones. */
export function shortNames(wasm) {
  const names = { imports: new Map(), exports: new Map() };
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
  const name = () => Buffer.from(bytes(number())).toString();
  /** A kind, and a number. */
  const described = () => {
    const from = at++;
    number();
    return wasm.subarray(from, at);
  };
  const newImport = (index) => {
    name();
    const long = name();
    if (wasm[at] !== 0) throw new Error(`${long} is no function; only imports of functions can be named anew.`);
    names.imports.set(long, short(index));
    // From the one module, `a`.
    return [text(short(0)), text(short(index)), described()];
  };
  const newExport = () => {
    const long = name();
    // js/src/wasm/guard.ts knows them by the first word.
    if (long.includes("_invoke_")) names.exports.set(long, `closure_${short(names.exports.size)}`);
    return [text(names.exports.get(long) ?? long), described()];
  };
  const sections = new Map([
    [2, newImport],
    [7, newExport],
  ]);
  while (at < wasm.length) {
    const from = at;
    const id = wasm[at++];
    const length = number();
    const entry = sections.get(id);
    if (entry) {
      const entries = Array.from({ length: number() }, (_, index) => entry(index));
      const body = Buffer.concat([leb(entries.length), ...entries.flat()]);
      out.push(Buffer.of(id), leb(body.length), body);
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
