// The package's default entry: everything, with the wasm file inside.
import { openCore } from "./wasm/core.js";
import { inlineBytes } from "./wasm/inline.js";

export { GloveError } from "./error.js";

const core = /* @__PURE__ */ openCore(inlineBytes);

/** Starts the core ahead of its first use. Never needed: whatever uses the core starts it. */
export async function init(): Promise<void> {
  await core.load();
}

/** The version of the package. */
export function version(): string {
  return core.now().version();
}
