// Where the second wasm file comes from, when an application says so.
import type { Compile } from "../wasm/core.js";

let given: Compile | undefined;

export function setProviders(source: Compile | undefined): void {
  given = source ?? given;
}

export function providersSource(): Compile | undefined {
  return given;
}
