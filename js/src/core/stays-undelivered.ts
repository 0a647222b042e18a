// Decides which messages stay stored although their request ended: those that are neither in the record nor refused.

import type { RunPhase } from "../snapshot/snapshot.js";
import { codeOf } from "../values/error.js";

/** No core has decided: it was not reached, or is gone, or could not store it. */
const undecided = /^(STORE|CORE|WASM|WORKER|SESSION|TAB|SERVER)_|^(PART_NOT_LOADED|FAILED)$/;

/** `phase` is that of the core that runs the session: where a write has failed, what is in its memory alone is refused too. */
export function staysUndelivered(failure: Error | undefined, phase: RunPhase): boolean {
  const code = failure && codeOf(failure);
  return code !== undefined && (undecided.test(code) || (code === "OUT_OF_PROTOCOL" && phase === "paused"));
}
