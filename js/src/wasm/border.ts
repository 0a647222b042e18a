// What stands around a wasm file: how texts, bytes and objects cross, how a failure comes back, and how long what crossed lives.
// wasm-bindgen writes this anew for each function; scripts/lib/glue.mjs makes of it tables for what is here.
import { decodeUtf8, encodeAscii, encodeUtf8 } from "../values/utf8.js";
import { newController } from "./controllers.js";
import type { Guard } from "./guard.js";

type Call = (...args: unknown[]) => unknown;
type Calls = Record<string, Call>;

/** What every file of wasm-bindgen has, beside its own functions. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly __wbindgen_externrefs: WebAssembly.Table;
  __wbindgen_malloc(bytes: number, align: number): number;
  __wbindgen_free(at: number, bytes: number, align: number): void;
  __wbindgen_exn_store(index: number): void;
  __wbindgen_destroy_closure(a: number, b: number): void;
  __externref_table_alloc(): number;
  __externref_table_dealloc(index: number): void;
  __wbindgen_start(): void;
}

/** What the tables are made with. A text or bytes cross as two numbers: where they begin, and how many bytes they are. */
export type Border = ReturnType<typeof borderOf>;

/** `importsOf` gives what an instance imports. */
export function borderOf(guard: Guard, importsOf: (border: Border) => Calls) {
  let module: WebAssembly.Module;
  let wasm!: Exports;
  /** Which instance this is: what an earlier one left behind is of no use to it. */
  let age = 0;

  let bytesOf = new Uint8Array(0);
  const memory = (): Uint8Array => {
    const { buffer } = wasm.memory;
    // Each growth of the memory makes another one.
    if (bytesOf.buffer !== buffer) bytesOf = new Uint8Array(buffer);
    return bytesOf;
  };
  const exported = (name: string) => (wasm as unknown as Calls)[name] as Call;

  /** Longer texts are worth the call of a decoder. */
  const shortText = 48;
  const text = (at: number, bytes: number): string => {
    const all = memory();
    const from = at >>> 0;
    let plain = "";
    for (let place = 0; place < bytes && bytes <= shortText; place++) {
      const code = all[from + place] ?? 128;
      if (code > 127) break;
      plain += String.fromCharCode(code);
    }
    return plain.length === bytes ? plain : decodeUtf8(all.subarray(from, from + bytes));
  };
  const takenText = (at: number, bytes: number): string => {
    try {
      return text(at, bytes);
    } finally {
      wasm.__wbindgen_free(at, bytes, 1);
    }
  };

  const reference = (value: unknown): number => {
    const index = wasm.__externref_table_alloc();
    wasm.__wbindgen_externrefs.set(index, value);
    return index;
  };
  const taken = (index: number): unknown => {
    const value: unknown = wasm.__wbindgen_externrefs.get(index);
    wasm.__externref_table_dealloc(index);
    return value;
  };

  /** Arguments for the wasm file, by letter: `s` a text, `o` a text or nothing, `y` bytes, `v` what crosses as it is. */
  const lowered = (kinds: string, args: readonly unknown[]): readonly unknown[] => {
    if (kinds === "v") return args;
    const values: unknown[] = [];
    for (let place = 0; place < kinds.length; place++) {
      const [kind, value] = [kinds[place], args[place]];
      if (kind === "v") values.push(value);
      else if (kind === "o" && (value ?? undefined) === undefined) values.push(0, 0);
      else values.push(...placed(kind === "y" ? (value as Uint8Array) : (value as string)));
    }
    return values;
  };

  const placed = (value: string | Uint8Array): [at: number, bytes: number] => {
    if (typeof value === "string") {
      const { length } = value;
      const at = wasm.__wbindgen_malloc(length, 1) >>> 0;
      // Most are plain letters, which need no copy in between.
      if (encodeAscii(value, memory().subarray(at, at + length))) return [at, length];
      wasm.__wbindgen_free(at, length, 1);
    }
    const bytes = typeof value === "string" ? encodeUtf8(value) : value;
    const at = wasm.__wbindgen_malloc(bytes.length, 1) >>> 0;
    memory().set(bytes, at);
    return [at, bytes.length];
  };

  /** Arguments of the wasm file, by letter: `s`, `o` and `v` as above, `b` a flag, `u` a number without a sign. */
  const lifted = (kinds: string, args: readonly unknown[]): unknown[] => {
    const values: unknown[] = [];
    let at = 0;
    for (const kind of kinds) {
      const value = args[at++] as number;
      if (kind === "v") values.push(value);
      else if (kind === "b") values.push(value !== 0);
      else if (kind === "u") values.push(value >>> 0);
      else {
        const bytes = args[at++] as number;
        values.push(kind === "o" && value === 0 ? undefined : text(value, bytes));
      }
    }
    return values;
  };

  const signatures: Record<string, [gives: string, kinds: string]> = {};
  /**
   * Calls a function of the wasm file. The signature is what it gives, a colon, and the letters of its arguments. It gives `t` a
   * text, `o` a text or nothing, `x` an object, `b` a flag, `p` a place, or what crosses as it is; behind a `!` it may fail.
   */
  const call = (name: string, signature: string, args: readonly unknown[], ...front: unknown[]): unknown => {
    signatures[signature] ??= signature.split(":") as [string, string];
    const [gives, kinds] = signatures[signature];
    const answer = exported(name)(...front, ...lowered(kinds, args));
    if (gives === "") return answer;
    const numbers = (Array.isArray(answer) ? answer : [answer]) as number[];
    if (gives[0] === "!" && numbers.at(-1)) throw taken(numbers.at(-2) ?? 0);
    const [value = 0, bytes = 0] = numbers;
    switch (gives.at(-1)) {
      case "t":
        return takenText(value, bytes);
      case "o":
        return value === 0 ? undefined : takenText(value, bytes);
      case "x":
        return taken(value);
      case "b":
        return value !== 0;
      case "p":
        return value;
    }
    return undefined;
  };

  /** What it throws is told to the wasm file. */
  const tried =
    (ask: Call): Call =>
    (...args) => {
      try {
        return ask(...args);
      } catch (error) {
        return wasm.__wbindgen_exn_store(reference(error));
      }
    };
  const told =
    (name: string, kinds: string): Call =>
    (object, ...args) =>
      ((object as Calls)[name] as Call)(...lifted(kinds, args));

  const border = {
    text,
    reference,
    tried,
    told,
    asked: (name: string, kinds: string): Call => tried(told(name, kinds)),
    newController,
    put:
      (name: string, kinds: string): Call =>
      (object, ...args) => {
        [(object as Record<string, unknown>)[name]] = lifted(kinds, args);
      },
    putText(at: number, value: string | undefined): void {
      const numbers = lowered("o", [value]) as number[];
      new Int32Array(wasm.memory.buffer, at >>> 0, 2).set(numbers);
    },
    putBytes(at: number, bytes: Uint8Array): void {
      memory().set(bytes, at >>> 0);
    },
    /** The objects that have a place of their own in the table. */
    constants(): void {
      wasm.__wbindgen_externrefs.set(0, undefined);
      for (const [index, value] of [undefined, null, true, false].entries()) wasm.__wbindgen_externrefs.set(1024 + index, value);
    },
    promise: (a: number, b: number, name: string, signature: string) =>
      new Promise((resolve, reject) => void call(name, signature, [resolve, reject], a, b)),

    /**
     * A function of the wasm file for the page. One that is `single` cannot be called while it runs. The wasm file lets go of each
     * itself (none is `forget`ed there), so nobody asks the garbage collector to tell when the page has.
     */
    closure(a: number, b: number, name: string, signature: string, single: boolean): Call {
      const state = { a, b, born: age };
      let users = 1;
      const done = () => {
        if (--users !== 0) return;
        wasm.__wbindgen_destroy_closure(state.a, b);
        state.a = 0;
      };
      const called: Call & { _wbg_cb_unref?: () => void } = (...args) => {
        // Left behind by an instance that has ended.
        if (state.born !== age) return undefined;
        users++;
        const held = state.a;
        if (single) state.a = 0;
        try {
          return call(name, signature, args, held, b);
        } finally {
          state.a = held;
          done();
        }
      };
      called._wbg_cb_unref = done;
      return called;
    },

    call,
    classOf(name: string, signature: string, methods: Readonly<Record<string, string>>) {
      const free = (at: number, born: number, collected: number) => {
        if (born === age) exported(`__wbg_${name}_free`)(at, collected);
      };
      const objects = new FinalizationRegistry<[number, number]>(([at, born]) => free(at, born, 1));
      class HandleClass {
        readonly born = age;
        at: number;
        constructor(...args: unknown[]) {
          this.at = call(`${name}_new`, signature, args) as number;
          objects.register(this, [this.at, age], this);
        }
        free(): void {
          const { at } = this;
          this.at = 0;
          objects.unregister(this);
          free(at, this.born, 0);
        }
      }
      for (const [method, taken] of Object.entries(methods)) {
        Object.defineProperty(HandleClass.prototype, method, {
          value(this: HandleClass, ...args: unknown[]) {
            if (this.born !== age) throw new Error("Invalid stale object from previous Wasm instance");
            // In the wasm file this would be a trap, which ends all that runs there.
            if (this.at === 0) throw new Error("This was let go before");
            return call(`${name}_${method}`, taken, args, this.at);
          },
        });
      }
      return HandleClass;
    },

    start(given: WebAssembly.Module): Exports {
      module = given;
      const imports = { a: guard.imports(importsOf(border)) };
      wasm = guard.exports(new WebAssembly.Instance(module, imports).exports) as unknown as Exports;
      wasm.__wbindgen_start();
      return wasm;
    },
    initSync: (given: { module: WebAssembly.Module }): Exports => wasm ?? border.start(given.module),
    /** Another instance of the same module. */
    reset(): void {
      age++;
      border.start(module);
    },
  };
  return border;
}
