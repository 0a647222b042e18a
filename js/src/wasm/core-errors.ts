// Errors of the core as errors of the application.
import { AbortError, asError, failureOf, GloveError } from "../values/error.js";
import type { CoreError } from "../wire/core-types.js";

export function fromCore(thrown: unknown): GloveError | AbortError | Error {
  if (thrown instanceof GloveError || thrown instanceof AbortError) return thrown;
  const wire = coreError(thrown);
  if (wire === undefined) return asError(thrown);
  const { code } = wire;
  const failure = wire.model && failureOf({ transient: false, ...wire.model });
  // What models and stores of the application and providers say, they say in their own words.
  const message =
    /^MODEL_ADAPTER$|^STORE_FAILED$/.test(code) || failure?.status || failure?.providerCode
      ? wire.message
      : wire.message.replace(/^[a-z]/, (letter) => letter.toUpperCase());
  return code === "ABORTED" ? new AbortError(message) : new GloveError(code, message, { cause: thrown, ...failure });
}

function coreError(thrown: unknown): CoreError | undefined {
  // An error with a code (of Node, say) is none of the core's.
  const { code, message } = (thrown instanceof Error ? {} : (thrown ?? {})) as Partial<CoreError>;
  return typeof code === "string" && typeof message === "string" ? (thrown as CoreError) : undefined;
}
