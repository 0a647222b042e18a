// An error in words for the person in front of the screen, and how long to wait before another try.
import type { ModelFailure } from "../../../src/values/error.js";

export interface ErrorWords {
  readonly text: string;
  /** What the words leave out, for whoever can mend it. */
  readonly details?: string | undefined;
  /** In seconds: how long to wait before another try. */
  readonly wait?: number | undefined;
}

const notSetUp = "The assistant is not set up correctly. Please tell whoever runs it.";
const noStart = "The assistant cannot start in this browser. Try again, or use another browser.";
const usedUp = "The assistant has used up what it may use for now. Try again later, or tell whoever runs it.";

// Other errors have a message for a person already: it says what happened and what to do.
const words = {
  MODEL_NETWORK: "There is no connection to the assistant. Check your network and try again.",
  MODEL_STREAM_CUT: "The connection broke in the middle of the answer.",
  MODEL_TIMEOUT: "The assistant took too long to answer.",
  MODEL_RATE_LIMIT: "The assistant is getting too many requests right now.",
  MODEL_OVERLOADED: "The assistant is overloaded right now. Try again in a moment.",
  MODEL_SERVER: "The assistant has a problem right now. Try again in a moment.",
  MODEL_NOT_FOUND: notSetUp,
  MODEL_CONFIG: notSetUp,
  MODEL_AUTHENTICATION: "The assistant did not accept this sign-in or key.",
  MODEL_BAD_REQUEST: "The assistant could not take this message.",
  MODEL_BAD_RESPONSE: "The assistant sent an answer that cannot be read.",
  MODEL_ADAPTER: "The assistant could not answer.",
  MODEL_CONTEXT_LENGTH: "This conversation has become too long for the assistant. Start a new one.",
  MESSAGE_UNKNOWN: "This message is not part of the conversation any more.",
  BODY_TOO_LARGE: "This message is too large. Send it with fewer or smaller files.",
  STORE_QUOTA: "This device is out of space, so the conversation cannot be saved. Free some space and try again.",
  STORE_UNAVAILABLE: "The conversation cannot be saved or read at the moment.",
  WASM_BLOCKED_BY_CSP: notSetUp,
  WASM_NOT_FETCHED: notSetUp,
  WASM_NOT_GIVEN: notSetUp,
  WORKER_UNAVAILABLE: notSetUp,
  WASM_NOT_STARTED: noStart,
  PART_NOT_LOADED: "A part of this page could not be loaded. Check your network, or reload the page.",
  CORE_PANIC: "Something went wrong here. Nothing that was saved is lost.",
} as const;

/** Every sentence that an error is put into. */
export type ErrorSentence = (typeof words)[keyof typeof words] | typeof usedUp;

/** `cut`: a part of the answer had come. */
export function errorMessage(error: Pick<Error, "message">, say: (word: string) => string, cut = false): ErrorWords {
  const { code = "", ...failure } = error as ModelFailure & { readonly code?: string };
  const { retryAfter } = failure;
  const text = sentence(cut && code === "MODEL_NETWORK" ? "MODEL_STREAM_CUT" : code, failure);
  const wait = retryAfter === undefined ? undefined : Math.max(1, Math.ceil(retryAfter / 1000));
  return text === undefined ? { text: error.message, wait } : { text: say(text), details: error.message, wait };
}

function sentence(code: string, { status = 0, retryable }: ModelFailure): ErrorSentence | undefined {
  if (code === "WASM_NOT_FETCHED" && retryable) return words.PART_NOT_LOADED;
  // What is used up does not come back with time alone.
  if (code === "MODEL_RATE_LIMIT" && retryable === false) return usedUp;
  // The key of the server behind an endpoint, which no person here has.
  if (code === "MODEL_AUTHENTICATION" && status >= 500) return notSetUp;
  return Object.hasOwn(words, code) ? words[code as keyof typeof words] : undefined;
}
