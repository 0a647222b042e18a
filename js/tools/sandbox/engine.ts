// The engine, QuickJS as a wasm file, and the text of its worker: loaded with the first call of sandboxed code.
import { unpack } from "../../src/wasm/inline.js";
import { engine, worker } from "./generated/engine.js";

let compiling: Promise<WebAssembly.Module> | undefined;

/** Compiled once for all calls: each has an instance of its own. */
export function compiled(): Promise<WebAssembly.Module> {
  compiling ??= WebAssembly.compile(unpack(engine)).catch((error: unknown) => {
    compiling = undefined;
    throw error;
  });
  return compiling;
}

export { worker };
