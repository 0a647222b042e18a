// Failures of stores, typed for applications.
import { GloveError } from "../values/error.js";

export type StoreErrorKind = "unavailable" | "quota" | "newer" | "corrupt" | "lost" | "conflict" | "failed";

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
