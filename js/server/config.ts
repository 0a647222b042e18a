// What a chat handler is made with. Of a request, `body.ts` checks the size, and `src/endpoint/request.rs` the other limits and the model.

import type { ProviderFormat, ProviderId, ProviderName, ReasoningEffort } from "../src/models/providers.js";
import type { Middleware } from "../src/ports/middleware/middleware.js";
import type { ModelAdapter, ModelNotice } from "../src/ports/model.js";
import type { ModelCallOptions, ModelPrices } from "../src/ports/model-options.js";
import type { ToolConfig } from "../src/ports/tool.js";
import type { Fetch } from "../src/relay/http.js";
import type { Maybe } from "../src/timing/sync-or-promise.js";
import type { GloveError } from "../src/values/error.js";
import type { HttpModelOptions } from "../src/wire/core-types.js";
import type { ResolveFile } from "./files/resolve.js";
import type { McpUpstream } from "./mcp/mcp-upstream.js";
import type { AnswerBuffer } from "./resume/answer-buffer.js";
import type { Tracer } from "./traces.js";

/** Answers a request. Never rejects: errors are in the response. */
export interface ChatHandler<T = unknown> {
  (request: Request): Promise<Response>;
  /** For types alone: it is never there. */
  readonly "~tools"?: T;
}

/** The options of a chat handler. */
export interface ChatHandlerConfig extends ModelCallOptions {
  /** The id of a provider, such as `"anthropic"`. Either this or `createModel` is required. */
  readonly provider?: ProviderId | undefined;
  /** Creates a model of your own for each request: another service, or a scripted model without a key. */
  readonly createModel?: (() => ModelAdapter) | undefined;
  /** The model's id; default: the provider's default model. */
  readonly model?: string;
  /** Further models that a client may request with `model`; any other is refused with `MODEL_NOT_ALLOWED`. */
  readonly models?: readonly string[];
  /** The provider's API key; default: its environment variable, read at each request. */
  readonly apiKey?: string;
  /** The longest answer, in tokens. */
  readonly maxTokens?: number;
  /** The address of the provider's API, for a proxy or another host. */
  readonly baseURL?: string;
  /** A format other than the provider's default, for its other APIs. */
  readonly format?: ProviderFormat;
  /** Sends the model's earlier reasoning back to it. */
  readonly reasoning?: boolean;
  /** How much the model reasons before it answers, translated for each provider; `none` turns reasoning off. */
  readonly reasoningEffort?: ReasoningEffort;
  /** The same in tokens, beside `maxTokens`. */
  readonly reasoningBudget?: number;
  /** `text` for models without tool calls: the prompt describes the tools, and calls are parsed from the text. */
  readonly toolUse?: "native" | "text";
  /** Sends reasoning as part of the text, between `<think>` and `</think>`. */
  readonly includeReasoningInText?: boolean;
  /** Marks the prompt for caching, for five minutes (`true`) or the given time. */
  readonly cache?: boolean | "5m" | "1h";
  /** Replaces the system prompt that a client sends. */
  readonly systemPrompt?: string;
  /**
   * Whether this request is answered. `true` is the only yes. A `Response` is sent as it is, anything else is a 401, an exception a 403.
   * Must not read the body.
   */
  readonly authorize?: ((request: Request) => Maybe<boolean | Response | null | undefined>) | undefined;
  /** Milliseconds `authorize` may take before the request is refused with a 503; default 30,000, 0 for no limit. */
  readonly authorizeMs?: number | undefined;
  /**
   * Gives what is in a file that a message only names (`upload` of the page's attachments). It decides whether whoever asks may read it: no address
   * that a page sends is fetched here. Without it such files go on as they are named.
   */
  readonly resolveFile?: ResolveFile | undefined;
  /** How large a request may be. */
  readonly limits?: ChatHandlerLimits;
  /** What models cost, by their names: clients get the `cost` of each answer, for their prompts and budgets. */
  readonly prices?: ModelPrices | undefined;
  /** The origins whose pages may call, or `"*"`. By default, no CORS headers are sent. */
  readonly cors?: string | readonly string[] | undefined;
  /** Retries and time limits of a model call. */
  readonly policy?: NonNullable<HttpModelOptions["policy"]>;
  /** Milliseconds of silence after which a comment keeps the connection alive; default 15,000, 0 for none. */
  readonly heartbeatMs?: number;
  /**
   * Keeps answers under way for clients that have lost their connection (`resumable` of `glove-wasm/remote`): the model goes on, and a client
   * that asks again reads on. `createMemoryBuffer()`, or a buffer that several servers share.
   */
  readonly resume?: AnswerBuffer | undefined;
  /**
   * Tools that run here. Pages add them with `serverTools` of `glove-wasm/remote`: their calls are recorded and drawn there, and permissions and
   * approvals are asked there. A ticket in the model's answer is needed to run one.
   */
  readonly tools?: readonly ToolConfig[] | undefined;
  /**
   * What calls of `tools` are signed with, the same on all servers of an application: a long random text. Default: the provider's key; without a
   * key, a random one of this process.
   */
  readonly toolSecret?: string | undefined;
  /** So long after the model made a call of `tools` it may begin to run, in milliseconds; default 30 days. Later ones are refused with `TOOL_CALL_EXPIRED`. */
  readonly toolTicketMs?: number | undefined;
  /**
   * MCP servers that pages reach through this handler, by the names that pages call them by (`mcpServer({ name, via })`): their addresses and tokens
   * stay here, and no other is reached.
   */
  readonly mcp?: Readonly<Record<string, McpUpstream>> | undefined;
  /**
   * What stands around each call of the model and of `tools`, the first outermost: `defineMiddleware`. A tool's arguments are changed in the model's
   * answer, before its calls are signed.
   */
  readonly middleware?: readonly Middleware[] | undefined;
  /** What tools get as `display.services`, and middleware as `services`. A function is called with the request. */
  readonly services?: unknown;
  /**
   * Who calls, such as the id of a user: answers under way and calls of tools belong to their caller, and others cannot use them. `authorize` has let
   * the request through before. Tools read it as `display.userId`.
   */
  readonly owner?: ((request: Request) => Maybe<string>) | undefined;
  /** How much of the provider's own error messages clients are told. `safe`, the default, is what is wrong with the request,
   *  with addresses, hosts, accounts and keys struck out; `all` is all but connections and bodies, word for word. */
  readonly providerMessages?: "safe" | "all" | "none";
  /** What the provider is asked with, in the place of the global `fetch`. */
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
  /**
   * Traces by OpenTelemetry: `trace.getTracer("my-app")` of `@opentelemetry/api`. Each call of the model and each run of a tool is a span, by the
   * conventions for generative AI; nothing of what was said is in it.
   */
  readonly tracer?: Tracer | undefined;
  /** The wasm file as a compiled module, where bytes cannot be compiled: `import wasm from "glove-wasm/wasm/providers"`. */
  readonly wasm?: WebAssembly.Module;
}

/** The same, where `provider` may also be a `string` that comes from elsewhere: it is checked when the handler is made. */
export type ChatHandlerOptions<P extends string, T extends ToolConfig = ToolConfig> = Omit<
  ChatHandlerConfig,
  "provider" | "tools"
> & {
  /** Tools that run here. Pages add them with `serverTools` of `glove-wasm/remote`. */
  readonly tools?: readonly T[] | undefined;
  /** The id of a provider, or a text that is checked when the handler is made. */
  readonly provider?: ProviderName<P> | undefined;
};

/** The size limits of a request; a larger one is refused with 413. */
export interface ChatHandlerLimits {
  /** The largest request body, in bytes; default 8 MB (8,388,608), enough for a few pictures. */
  readonly bodyBytes?: number;
  /** The longest system prompt, in bytes; default 64 kB (65,536). */
  readonly systemPromptBytes?: number;
  /** The messages of one call, that is, what `compaction` leaves of a chat; default 2,000. */
  readonly messages?: number;
  /** How many tools a request may have; default 128. */
  readonly tools?: number;
  /** What `resolveFile` may give for all files of a request together, in bytes; default 32 MB (33,554,432). */
  readonly fileBytes?: number;
}
