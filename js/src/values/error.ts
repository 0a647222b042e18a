// The errors that reach an application: a code that stays the same, and a message that says what to do.
import { inBackground } from "../timing/in-background.js";

/** What is known of a failed call of a model, where anything is. */
export interface ModelFailure {
  /** The HTTP status of the provider's answer, or of the endpoint's if it does not pass the provider's on. */
  readonly status?: number | undefined;
  /** In milliseconds: how long the server asks to wait. */
  readonly retryAfter?: number | undefined;
  /** It may pass: the same request may be answered later. */
  readonly retryable?: boolean | undefined;
  /** The provider's name for the request, for its support. */
  readonly requestId?: string | undefined;
  /** What the provider calls the failure, in its own letters: `insufficient_quota`. */
  readonly providerCode?: string | undefined;
}

/** What went wrong: a `code` that stays the same between versions, and a message that says what to do. `docs/errors.md` lists the codes. */
export class GloveError extends Error implements ModelFailure {
  override readonly name = "GloveError";
  declare readonly status?: number;
  declare readonly retryAfter?: number;
  declare readonly retryable?: boolean;
  declare readonly requestId?: string;
  declare readonly providerCode?: string;

  constructor(
    readonly code: string,
    message: string,
    options?: { readonly cause?: unknown } & ModelFailure,
  ) {
    super(message, options);
    for (const name of ["status", "retryAfter", "retryable", "requestId", "providerCode"] as const) {
      if (options?.[name] !== undefined) Object.assign(this, { [name]: options[name] });
    }
  }
}

/** A failure as the core and the events of an endpoint tell it. `provider_status` is that of a provider behind the endpoint. */
export interface ToldFailure {
  readonly status?: number;
  readonly provider_status?: number;
  readonly transient?: boolean;
  readonly retry_after_ms?: number;
  readonly request_id?: string;
  readonly provider_code?: string;
}

/** Anything may have been told. */
export function failureOf(wire: unknown): ModelFailure {
  const { status, provider_status, transient, retry_after_ms, request_id, provider_code } = (wire ?? {}) as ToldFailure;
  const number = (value: unknown) => (typeof value === "number" ? value : undefined);
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    status: number(provider_status) ?? number(status),
    retryAfter: number(retry_after_ms),
    retryable: typeof transient === "boolean" ? transient : undefined,
    requestId: text(request_id),
    providerCode: text(provider_code),
  };
}

export function failureFields(error: unknown): ToldFailure {
  const { status, retryAfter, retryable, requestId, providerCode } = error as ModelFailure;
  const wire = { status, transient: retryable, retry_after_ms: retryAfter, request_id: requestId, provider_code: providerCode };
  return wire as ToldFailure;
}

/** A request was stopped, by `abort()` or by its signal. */
export class AbortError extends Error {
  override readonly name = "AbortError";
  readonly code = "ABORTED";

  constructor(message = "Operation aborted", options?: { readonly cause?: unknown }) {
    super(message, options);
  }
}

/** What somebody gets who waits for what this signal has stopped. */
export function stoppedBy(signal: AbortSignal | undefined): AbortError {
  const cause: unknown = signal?.reason;
  // What browsers give by themselves says nothing.
  const said = (cause as Error | undefined)?.name !== "AbortError" && reasonOf(cause);
  return new AbortError(said || undefined, { cause });
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
    // What is part of itself throws by itself; what only stands in itself often may be endless.
    let most = 10_000;
    return JSON.stringify(thrown, (_, part: unknown) => (most-- ? part : unprintable())) ?? String(thrown);
  } catch {
    return "an unprintable value";
  }
}

function unprintable(): never {
  throw new RangeError();
}

/** So long a part is waited for of which nothing is heard. */
const longestMs = 30_000;

/** A part that is loaded when it is needed, or why it is not there: that it is still on its way, where the cause is a promise. */
export function loadPart<T>(part: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown) => {
      const why = cause === part ? "the network does not answer" : reasonOf(cause);
      const message = `A part of glove-wasm could not be loaded (${why}): check the connection, or reload the page.`;
      reject(new GloveError("PART_NOT_LOADED", message, { cause }));
    };
    const timer = inBackground(setTimeout(failed, longestMs, part));
    part.then(resolve, failed).then(() => clearTimeout(timer));
  });
}

/** The code of an error; `FAILED` for one without. What was thrown may be anything. */
export function codeOf(error: Error | undefined): string {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "string" ? code : "FAILED";
}
