// What IndexedDB throws, as errors of stores.
import { GloveError } from "../../values/error.js";
import { storeError } from "../errors.js";

/** Not allowed here at all: sandboxed frames, blocked storage, private windows of older browsers. */
export function isAbsent(error: unknown): boolean {
  return ["SecurityError", "InvalidStateError", "NotSupportedError"].includes(nameOf(error)) || !(error instanceof Error);
}

/** The connection is no good any more: the browser has closed it, or lost its database server. */
export function isDead(error: unknown): boolean {
  return nameOf(error) === "UnknownError";
}

/** Nothing was heard of a transaction for too long. */
export function isSilent(error: unknown): boolean {
  return nameOf(error) === "TimeoutError";
}

/** Follows on the end of a transaction, and does not say why it ended. */
export function isAftermath(error: unknown): boolean {
  return ["AbortError", "InvalidStateError", "TransactionInactiveError"].includes(nameOf(error));
}

export function typed(error: unknown): GloveError {
  if (error instanceof GloveError) return error;
  switch (nameOf(error)) {
    case "QuotaExceededError":
      return storeError("quota", "The browser's storage is full; delete sessions or free space. Nothing was stored.", error);
    case "VersionError":
      return storeError("newer", "A newer version of this application wrote the database; reload the page.", error);
    case "UnknownError":
      return storeError("unavailable", "The browser lost the connection to its database; try again, or reload the page.", error);
    case "TimeoutError":
      return storeError("unavailable", "The browser's database does not respond; try again, or reload the page.", error);
    case "DataError":
    case "NotFoundError":
    case "NotReadableError":
      return storeError("corrupt", `The database is damaged: ${reason(error)}`, error);
    default:
      return storeError("failed", `The database operation failed and nothing was stored: ${reason(error)}`, error);
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
