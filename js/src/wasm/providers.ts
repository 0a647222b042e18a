// The wasm file that asks model providers: for chat handlers, and for pages whose people bring a key of their own.
import { openerOf, type Started } from "./core.js";
import {
  __wbg_reset_state,
  CoreRelay,
  guard,
  initSync,
  messagesForModel,
  summaryOf,
  ticketHolds,
  viewOfRecord,
} from "./generated/glove_providers.js";

const glue = { __wbg_reset_state, CoreRelay, guard, initSync, messagesForModel, summaryOf, ticketHolds, viewOfRecord };

export type Relay = CoreRelay;
export type Providers = Started<typeof glue>;

export const openProviders = /* @__PURE__ */ openerOf(glue);

/** Starts another instance when the memory of this one, which only grows, has become larger. Nobody may be waiting for it. */
export function giveBackMemory(most: number): void {
  if (guard.memoryBytes() <= most) return;
  guard.retire();
  if (guard.needsRestart()) __wbg_reset_state();
}

export { guard };
