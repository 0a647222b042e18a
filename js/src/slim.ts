// The entry without the wasm file: the application says where its bytes come from.
import { openCore, type WasmSource, type WasmSourceNow } from "./wasm/core.js";

export { GloveError } from "./error.js";
export type { WasmSource, WasmSourceNow } from "./wasm/core.js";

const core = /* @__PURE__ */ openCore();

/** Starts the core from a URL, a Response, bytes or a compiled module. Comes before the first use. */
export async function init(source: WasmSource | Promise<WasmSource>): Promise<void> {
  await core.load(source);
}

/** Starts the core at once, from bytes or a compiled module. */
export function initSync(source: WasmSourceNow): void {
  core.now(source);
}

/** The version of the package. */
export function version(): string {
  return core.now().version();
}
