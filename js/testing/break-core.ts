// The core stops as a bug in it, a full stack or missing memory would stop it.
import * as providers from "../src/wasm/generated/glove_providers.js";
import * as sessions from "../src/wasm/generated/glove_wasm.js";

/**
 * Makes a trap in the core that runs, for tests of what an application does then: all that waits is told `CORE_PANIC`, and the
 * next use starts a new one over what is stored.
 */
export function breakCore(): void {
  for (const { initSync } of [sessions, providers]) {
    try {
      // Given nothing, this gives what was started. More bytes than there are: a real trap, from inside of the wasm file.
      const core = initSync(undefined as never) as { __wbindgen_malloc?(bytes: number, align: number): number };
      core.__wbindgen_malloc?.(0xffff_ffff, 1);
    } catch {
      // The trap rejects all waiting calls. Without a running core there are none.
    }
  }
}
