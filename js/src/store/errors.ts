// Failures of stores: typed for applications, and as the core reads them.
import { GloveError } from "../error.js";

const kinds = ["unavailable", "quota", "newer", "corrupt", "lost", "conflict", "failed"] as const;
export type StoreErrorKind = (typeof kinds)[number];

/** An error with the code of its kind: `STORE_QUOTA`, `STORE_CONFLICT` and so on. */
export function storeError(kind: StoreErrorKind, message: string, cause?: unknown): GloveError {
  return new GloveError(`STORE_${kind.toUpperCase()}`, message, cause === undefined ? undefined : { cause });
}

/** What a store threw, as the core takes it: with its kind in `detail` where that is known. */
export function forCore(thrown: unknown): unknown {
  const code = thrown instanceof GloveError ? thrown.code : undefined;
  const kind = kinds.find((kind) => code === `STORE_${kind.toUpperCase()}`);
  if (!kind) return thrown;
  const { message } = thrown as GloveError;
  return Object.assign(new Error(message, { cause: thrown }), { detail: JSON.stringify({ kind, message }) });
}
