// Failures of stores: typed for applications, and as the core reads them.
import { GloveError } from "../error.js";

const kinds = ["unavailable", "quota", "newer", "corrupt", "lost", "conflict", "failed"] as const;
export type StoreErrorKind = (typeof kinds)[number];

/** An error with the code of its kind: `STORE_QUOTA`, `STORE_CONFLICT` and so on. */
export function storeError(kind: StoreErrorKind, message: string, cause?: unknown): GloveError {
  return new GloveError(`STORE_${kind.toUpperCase()}`, message, cause === undefined ? undefined : { cause });
}

/** A list that a store gave, if it is one. */
export function listOf<T>(place: "tasks" | "inbox", list: readonly T[] | undefined): T[] {
  if (Array.isArray(list ?? [])) return [...(list ?? [])];
  throw storeError(
    "corrupt",
    `The stored session is damaged: its \`${place}\` cannot be read. \`exportSession\` gives what is there.`,
  );
}

/** The same of its JSON. */
export function listIn<T>(place: "tasks" | "inbox", text: unknown): T[] {
  let list: unknown;
  try {
    list = JSON.parse((text as string | undefined) ?? "[]");
  } catch {
    list = text;
  }
  return listOf(place, list as T[]);
}

/** What a store threw, as the core takes it: with its kind in `detail` where that is known. */
export function forCore(thrown: unknown): unknown {
  const code = thrown instanceof GloveError ? thrown.code : undefined;
  const kind = kinds.find((kind) => code === `STORE_${kind.toUpperCase()}`);
  if (!kind) return thrown;
  const { message } = thrown as GloveError;
  return Object.assign(new Error(message, { cause: thrown }), { detail: JSON.stringify({ kind, message }) });
}
