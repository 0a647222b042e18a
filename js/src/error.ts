// The errors that reach an application: a code that stays the same, and a message that says what to do.

/** What went wrong: a `code` that stays the same between versions, and a message that says what to do. `docs/errors.md` lists the codes. */
export class GloveError extends Error {
  override readonly name = "GloveError";

  constructor(
    readonly code: string,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** A request was stopped, by `abort()` or by its signal. */
export class AbortError extends Error {
  override readonly name = "AbortError";
  readonly code = "ABORTED";

  constructor(message = "Operation aborted", options?: { readonly cause?: unknown }) {
    super(message, options);
  }
}

/** Anything that was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(typeof thrown === "string" ? thrown : String(thrown));
}

/** What was thrown, as a sentence. */
export function reasonOf(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  if (thrown === null || thrown === undefined) return "";
  try {
    // A message need not be a text.
    if (thrown instanceof Error) return reasonOf(thrown.message) || String(thrown.name);
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return "something that cannot be told";
  }
}
