// What a chat handler is made with.
import type { GloveError } from "../src/error.js";
import type { ModelCallOptions } from "../src/models/call-options.js";
import type { HttpModel } from "../src/models/endpoint.js";
import type { Fetch } from "../src/models/http.js";
import type { ModelAdapter, ModelNotice } from "../src/models/model.js";
import type { ProviderFormat, ProviderId, ReasoningEffort } from "../src/models/providers.js";
import type { Maybe } from "../src/timing/sync-or-promise.js";

/** Answers a request. It never rejects: what goes wrong is in the response. */
export type ChatHandler = (request: Request) => Promise<Response>;

/** What a chat handler is made with. */
export interface ChatHandlerConfig extends ModelCallOptions {
  /** An id of the table of providers, as `"anthropic"`. Either this or `createModel` must be there. */
  readonly provider?: ProviderId | undefined;
  /** A model of your own, made anew for each request: another service, or a script where there is no key. */
  readonly createModel?: (() => ModelAdapter) | undefined;
  /** The provider's default model unless given. */
  readonly model?: string;
  /** Further models that a client may ask for, by `model` in its request. */
  readonly models?: readonly string[];
  /** Read from the provider's environment variable, at each request, unless given. */
  readonly apiKey?: string;
  readonly maxTokens?: number;
  readonly baseURL?: string;
  /** Another format than the provider's usual one, for its other APIs. */
  readonly format?: ProviderFormat;
  /** Sends the model's earlier reasoning back to it. */
  readonly reasoning?: boolean;
  /** How much the model thinks first, as it is said to each provider; `none` asks for no thoughts. */
  readonly reasoningEffort?: ReasoningEffort;
  /** The same in tokens, beside `maxTokens`. */
  readonly reasoningBudget?: number;
  /** `text` for models that know no tools: they are described in the prompt, and calls are read out of the text. */
  readonly toolUse?: "native" | "text";
  /** Tells reasoning as a part of the text, between `<think>` and `</think>`. */
  readonly includeReasoningInText?: boolean;
  /** Marks the prompt for caching, for five minutes (`true`) or as long as is said here. */
  readonly cache?: boolean | "5m" | "1h";
  /** Takes the place of whatever system prompt a client sends. */
  readonly systemPrompt?: string;
  /**
   * Whether this request is answered. `true` is the only yes. A `Response` is sent as it is, anything else is a 401, an exception a 403.
   * Must not read the body.
   */
  readonly authorize?: (request: Request) => Maybe<boolean | Response | null | undefined>;
  /** How long `authorize` may take before the request is refused with a 503: 30,000 unless given, 0 for any time. */
  readonly authorizeMs?: number;
  readonly limits?: ChatHandlerLimits;
  /** The origins whose pages may call, or `"*"`. No CORS header is sent unless set. */
  readonly cors?: string | readonly string[];
  /** Retries and waiting limits of a model call. */
  readonly policy?: NonNullable<HttpModel["policy"]>;
  /** After this silence a comment keeps the connection alive: 15,000 unless given, 0 for none. */
  readonly heartbeatMs?: number;
  /** How much of the provider's own error messages clients are told. `safe`, the default, is what is wrong with the request,
   *  with addresses, hosts, accounts and keys struck out; `all` is all but connections and bodies, word for word. */
  readonly providerMessages?: "safe" | "all" | "none";
  readonly fetch?: Fetch;
  /**
   * Told of every request that was not answered, with all that is known; never with a key. Without it, what is wrong with the
   * server itself (no key, a wrong one) goes to the console.
   */
  readonly onError?: (error: GloveError, request: Request) => unknown;
  /**
   * Told what a request is sent without, or in another form, because the provider does not take it: also of requests that are
   * answered, and each time. Without it each sentence goes to the console once.
   */
  readonly onNotice?: (notice: ModelNotice, request: Request) => unknown;
  /** The wasm file as a compiled module, where bytes cannot be compiled: `import wasm from "glove-wasm/wasm/providers"`. */
  readonly wasm?: WebAssembly.Module;
}

/** What a request may hold; more is refused with 413. */
export interface ChatHandlerLimits {
  /** 1 MB (1,048,576) unless given. */
  readonly bodyBytes?: number;
  /** 64 kB (65,536) unless given. */
  readonly systemPromptBytes?: number;
  /** What one call may send, which is what `compaction` leaves of a chat: 2,000 unless given. */
  readonly messages?: number;
  /** 128 unless given. */
  readonly tools?: number;
}
