// The seam of the chat handler: what the core is told of it, and what it asks of its host.
import type { ModelCallOptions, ModelPrices } from "../ports/model-options.js";
import type { SessionHost } from "../wasm/core-api.js";

/** The options of `new CoreRelay(options)`, as JSON. */
export interface RelayOptions extends ModelCallOptions {
  /** `openai`: the one of OpenAI's two formats that the model wants. */
  readonly format: "openai" | "endpoint" | "anthropic" | "openai_chat" | "openai_responses" | "gemini";
  readonly baseURL: string;
  readonly model: string;
  /** Further models that a client may ask for. */
  readonly models: readonly string[] | undefined;
  /** Default true. */
  readonly stream?: boolean;
  readonly maxTokens: number | undefined;
  /** Instead of the client's. */
  readonly systemPrompt: string | undefined;
  readonly reasoning: boolean | undefined;
  readonly reasoningEffort: string | undefined;
  readonly reasoningBudget: number | undefined;
  readonly toolUse: "native" | "text" | undefined;
  readonly includeReasoningInText: boolean | undefined;
  readonly cache: "5m" | "1h" | undefined;
  readonly policy:
    | { maxRetries?: number; firstByteMs?: number; idleMs?: number; totalMs?: number; answerBytes?: number }
    | undefined;
  readonly providerMessages: "safe" | "all" | "none" | "own" | undefined;
  readonly prices?: ModelPrices | undefined;
  readonly systemPromptBytes: number | undefined;
  readonly messages: number | undefined;
  readonly tools: number | undefined;
}

/** What `CoreRelay.answer` asks of its host. `events` gets text for the response, `notice` what the model is asked without. */
export type RelayHost = Pick<SessionHost, "events"> &
  Required<Pick<SessionHost, "fetch">> & { notice(code: string, message: string): void };
