// A request that is refused before the core is asked.
import type { Refusal } from "../src/relay/refusal-response.js";

export class Refused extends Error {
  constructor(
    readonly refusal: Refusal,
    options?: { readonly cause?: unknown },
  ) {
    super(refusal.message, options);
  }
}

/** `detail` is for the server alone. */
export function refuse(status: number, code: string, message: string, cause?: unknown, detail?: string): never {
  throw new Refused({ status, code, message, ...(detail && { detail }) }, { cause });
}
