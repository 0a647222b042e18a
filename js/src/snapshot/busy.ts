// When a session counts as busy. What becomes of a message that is sent then is decided in src/run/decisions/request.rs.
import type { RunPhase } from "./snapshot.js";

/** The parts of the state that say so. */
interface Work {
  readonly core: { readonly phase: RunPhase; readonly queue: readonly unknown[] };
  readonly sent: readonly unknown[];
}

/** What waits behind a run that is paused goes on with that. */
export const isBusy = ({ core: { phase, queue }, sent }: Work) =>
  phase === "idle" ? queue.length + sent.length > 0 : sent.length > 0 || !/^(paused|interrupted)$/.test(phase);
