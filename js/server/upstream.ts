// Where a handler's requests go on to: a provider, or a model of the application.

import { callOptions } from "../src/models/call-options.js";
import { checkCall, checkNumber, checkWord, config as fault, keyFrom } from "../src/models/options.js";
import { formatOf, keyOf, noKey, type ProviderDef, targetOf } from "../src/models/providers.js";
import type { Fetch } from "../src/relay/http.js";
import type { RelayOptions } from "../src/relay/relay-host.js";
import { GloveError, reasonOf } from "../src/values/error.js";
import { check, checkOptions, describeValue, type Options } from "../src/values/validate-options.js";
import { fetchOf, nowhere } from "./application-model.js";
import type { ChatHandlerConfig } from "./config.js";
import { Refused } from "./refuse.js";

export interface Upstream extends Pick<RelayOptions, "format" | "baseURL" | "model" | "maxTokens"> {
  readonly fetch: Fetch | undefined;
  /** Looked up anew each time: a key that was missing may be there by now. */
  key(): string;
}

/** Refuses at once what can never be answered. */
export function upstreamOf(config: ChatHandlerConfig): Upstream {
  checkConfig(config);
  const { provider: id, createModel } = config;
  if (createModel && id === undefined) {
    return { format: "endpoint", baseURL: nowhere, model: "", maxTokens: undefined, fetch: fetchOf(createModel), key: () => "" };
  }
  if (createModel || id === undefined) {
    throw fault("A chat handler needs either `provider` or `createModel`, not both.");
  }
  const { provider, model, baseURL } = targetOf({ ...config, provider: id });
  keyFrom("`apiKey`", config.apiKey);
  return {
    format: formatOf(provider, config.format),
    baseURL,
    model,
    maxTokens: config.maxTokens,
    fetch: config.fetch,
    key: () => keyNow(provider, config.apiKey),
  };
}

function keyNow(provider: ProviderDef, given: string | undefined): string {
  let detail: string;
  try {
    const key = keyOf(provider, given);
    if (key || !provider.envVar) return key ?? "";
    detail = noKey(provider);
  } catch (error) {
    detail = reasonOf(error);
  }
  throw new Refused({ status: 500, code: "MODEL_CONFIG", message: "This server is not set up for its model.", detail });
}

/** The longest time of a timer. */
const longestMs = 2_147_483_647;

/** How a provider is called is looked at by `checkCall`. */
const options = {
  provider: "text",
  createModel: "work",
  model: "text",
  models: "list",
  apiKey: "text",
  baseURL: "text",
  systemPrompt: "text",
  authorize: "work",
  fetch: "work",
  onError: "work",
  onNotice: "work",
  policy: "object",
  reasoning: "flag",
  includeReasoningInText: "flag",
  limits: { bodyBytes: "large", systemPromptBytes: "large", messages: "large", tools: "large", fileBytes: "large" },
  resolveFile: "work",
  prices: "prices",
  maxTokens: "any",
  format: "any",
  reasoningEffort: "any",
  reasoningBudget: "any",
  toolUse: "any",
  cache: "any",
  cors: "any",
  authorizeMs: "any",
  heartbeatMs: "any",
  resume: "any",
  tools: "list",
  toolSecret: "text",
  toolTicketMs: "large",
  mcp: "object",
  middleware: "list",
  services: "any",
  owner: "work",
  providerMessages: "any",
  tracer: "any",
  wasm: "any",
  ...callOptions,
} as const satisfies Options<ChatHandlerConfig>;

function checkConfig(config: ChatHandlerConfig): void {
  check("The argument of `createChatHandler`", config, "object");
  checkOptions(config, options);
  const { cors, providerMessages, heartbeatMs, authorizeMs, resume } = config;
  for (const name of ["append", "read", "delete"] as const) {
    if (resume !== undefined && typeof resume?.[name] !== "function") {
      throw new GloveError(
        "CONFIG_INVALID",
        `\`resume\` must be an answer buffer with \`${name}\`; \`createMemoryBuffer()\` makes one.`,
      );
    }
  }
  if (config.tracer !== undefined && typeof config.tracer?.startActiveSpan !== "function") {
    throw new GloveError(
      "CONFIG_INVALID",
      '`tracer` must be a tracer of OpenTelemetry; `trace.getTracer("my-app")` of `@opentelemetry/api` gives one.',
    );
  }
  for (const model of config.models ?? []) check("Each of `models`", model, "text");
  if (cors !== undefined && ![cors].flat().every((origin) => typeof origin === "string")) {
    throw new GloveError(
      "CONFIG_INVALID",
      `\`cors\` must be an origin, an array of origins, or "*", got ${describeValue(cors)}.`,
    );
  }
  checkCall(config);
  checkWord("providerMessages", providerMessages, ["safe", "all", "none"]);
  checkNumber("heartbeatMs", heartbeatMs, 0, longestMs);
  checkNumber("authorizeMs", authorizeMs, 0, longestMs);
}
