// Where the second wasm file comes from, when an application says so.
import type { WasmSource } from "../wasm/core.js";

let given: WasmSource | Promise<WasmSource> | undefined;

export function giveProviders(source: WasmSource | Promise<WasmSource> | undefined): void {
  given = source ?? given;
}

export function givenProviders(): WasmSource | Promise<WasmSource> | undefined {
  return given;
}
