// Errors of the core as errors of the application.
import { AbortError, asError, failureOf, GloveError, reasonOf, type ToldFailure } from "../error.js";

/** What the core throws: the JSON of this, as a string or as an error's message. */
interface CoreError {
  readonly code: string;
  readonly message: string;
  /** What is known of a call of a model; it lacks what is false. */
  readonly model?: ToldFailure;
}

export function fromCore(thrown: unknown): GloveError | AbortError | Error {
  if (thrown instanceof GloveError || thrown instanceof AbortError) return thrown;
  const told = read(reasonOf(thrown));
  if (told === undefined) return asError(thrown);
  const { code } = told;
  const failure = told.model && failureOf({ transient: false, ...told.model });
  // What models and stores of the application and providers say, they say in their own words.
  const message =
    /^MODEL_ADAPTER$|^STORE_FAILED$/.test(code) || failure?.status || failure?.providerCode
      ? told.message
      : told.message.replace(/^[a-z]/, (letter) => letter.toUpperCase());
  return code === "ABORTED" ? new AbortError(message) : new GloveError(code, message, { cause: thrown, ...failure });
}

function read(text: string): CoreError | undefined {
  try {
    const error = JSON.parse(text) as Partial<CoreError> | null;
    const whole = typeof error?.code === "string" && typeof error.message === "string";
    return whole ? (error as CoreError) : undefined;
  } catch {
    return undefined;
  }
}
