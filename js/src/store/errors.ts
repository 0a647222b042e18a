// Failures of stores: typed for applications, and as the core reads them.
import { GloveError } from "../error.js";

const kinds = ["unavailable", "quota", "newer", "corrupt", "conflict", "failed"] as const;
export type StoreErrorKind = (typeof kinds)[number];

/** An error with the code of its kind: `STORE_QUOTA`, `STORE_CONFLICT` and so on. */
export function storeError(kind: StoreErrorKind, message: string, cause?: unknown): GloveError {
  return new GloveError(`STORE_${kind.toUpperCase()}`, message, cause === undefined ? undefined : { cause });
}

/** What a store threw, as the core takes it: the JSON of its kind and message where the kind is known. */
export function forCore(thrown: unknown): unknown {
  const code = thrown instanceof GloveError ? thrown.code : undefined;
  const kind = kinds.find((kind) => code === `STORE_${kind.toUpperCase()}`);
  if (!kind) return thrown;
  return new Error(JSON.stringify({ kind, message: (thrown as GloveError).message }), { cause: thrown });
}
