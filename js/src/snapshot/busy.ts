// When a session counts as busy. What becomes of a message that is sent then is decided in src/run/decisions/request.rs.
import type { RunPhase } from "./snapshot.js";

/** The parts of the state that say so. */
interface Work {
  readonly core: { readonly phase: RunPhase; readonly queue: readonly unknown[] };
  readonly sent: readonly unknown[];
}

export const isBusy = ({ core, sent }: Work) =>
  !/^(idle|paused|interrupted)$/.test(core.phase) || core.queue.length > 0 || sent.length > 0;
