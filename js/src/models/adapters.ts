// Models of one provider, by the names that glove has for them. What they make is what `createAdapter` makes.
import type { ModelAdapter } from "../ports/model.js";
import { type CreateAdapterOptions, createAdapter, type ProviderId } from "./providers.js";

/** The options of `createAdapter`. For a server that speaks a provider's API at a `baseURL` of its own, `provider` names that provider. */
export type AdapterOptions = Partial<CreateAdapterOptions>;

/** Makes a model of one provider. */
export type AdapterClass = new (options?: AdapterOptions) => ModelAdapter;

function classOf(provider: ProviderId): AdapterClass {
  // `new` gives what a function gives.
  const make = function make(options?: AdapterOptions) {
    return createAdapter({ provider, ...options });
  };
  return make as unknown as AdapterClass;
}

/** A model of Anthropic. */
export const AnthropicAdapter: AdapterClass = /* @__PURE__ */ classOf("anthropic");
export type AnthropicAdapter = ModelAdapter;

/** A model of OpenAI, or of whoever speaks its language at `baseURL`. */
export const OpenAICompatAdapter: AdapterClass = /* @__PURE__ */ classOf("openai");
export type OpenAICompatAdapter = ModelAdapter;

/** A model behind OpenRouter. */
export const OpenRouterAdapter: AdapterClass = /* @__PURE__ */ classOf("openrouter");
export type OpenRouterAdapter = ModelAdapter;

/** A model of Xiaomi's MiMo. */
export const MimoAdapter: AdapterClass = /* @__PURE__ */ classOf("mimo");
export type MimoAdapter = ModelAdapter;

/** A model of a server that speaks Anthropic's language, at `baseURL`. */
export const AnthropicCompatAdapter: AdapterClass = /* @__PURE__ */ classOf("anthropic");
export type AnthropicCompatAdapter = ModelAdapter;

/** Always throws: Bedrock's own protocol is not supported. */
export const BedrockAdapter: AdapterClass = /* @__PURE__ */ classOf("bedrock");
export type BedrockAdapter = ModelAdapter;
