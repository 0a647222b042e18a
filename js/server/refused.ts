// A request that is refused before the core is asked.
import type { Refusal } from "../src/relay/refused.js";

export class Refused extends Error {
  constructor(
    readonly refusal: Refusal,
    options?: { readonly cause?: unknown },
  ) {
    super(refusal.message, options);
  }
}

export function refuse(status: number, code: string, message: string, cause?: unknown): never {
  throw new Refused({ status, code, message }, { cause });
}
