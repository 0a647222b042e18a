// The table of model providers, and models made from it.
import { GloveError } from "../error.js";
import { table } from "../wasm/generated/providers.js";
import type { HttpModel } from "./endpoint.js";
import { withTransport } from "./endpoint.js";
import type { Fetch } from "./http.js";
import type { ModelAdapter } from "./model.js";

export interface ProviderDef {
  readonly id: string;
  readonly name: string;
  readonly baseURL: string;
  /** The environment variable with the key. */
  readonly envVar?: string;
  readonly defaultModel?: string;
  readonly models: readonly string[];
  readonly format: "openai" | "anthropic" | "gemini" | "unsupported";
  readonly defaultMaxTokens: number;
  readonly needsKey: boolean;
}

/** What is known of each provider, by its id. The first model is the default. */
export const providers: Readonly<Record<string, ProviderDef>> = table;

export interface AvailableProvider {
  readonly id: string;
  readonly name: string;
  /** A key is there, or none is needed. */
  readonly available: boolean;
  readonly models: readonly string[];
  readonly defaultModel: string | undefined;
}

/** All providers, and which of them can be used here. */
export function getAvailableProviders(): AvailableProvider[] {
  return Object.values(providers).map((provider) => {
    const { id, name, models, defaultModel, format, needsKey } = provider;
    const available = format !== "unsupported" && (!needsKey || keyOf(provider) !== undefined);
    return { id, name, available, models, defaultModel };
  });
}

export interface CreateAdapterOptions {
  readonly provider: string;
  readonly model?: string;
  readonly apiKey?: string;
  readonly maxTokens?: number;
  /** True unless given. */
  readonly stream?: boolean;
  readonly baseURL?: string;
  readonly fetch?: Fetch;
  readonly policy?: NonNullable<HttpModel["policy"]>;
  /** A key in a page can be read by everybody who opens it. Only for keys that the person at the page brought. */
  readonly dangerouslyAllowBrowser?: boolean;
}

/** A model of a provider. The key is asked for when it is missing, and never leaves for another host than the provider's. */
export function createAdapter(options: CreateAdapterOptions): ModelAdapter {
  const provider = Object.hasOwn(providers, options.provider) ? providers[options.provider] : undefined;
  if (!provider) {
    throw config(`Unknown provider "${options.provider}". Available: ${Object.keys(providers).join(", ")}`);
  }
  if (provider.format === "unsupported") {
    throw config(`Provider "${provider.id}" is not supported here. Use another provider, or a chat endpoint on your server.`);
  }
  const model = options.model ?? provider.defaultModel;
  if (!model) throw config(`No model specified for provider "${provider.name}". Pass a model name.`);
  const key = options.apiKey ?? keyOf(provider);
  if (provider.needsKey && !key) {
    throw config(`No API key for provider "${provider.name}". Pass \`apiKey\` or set ${provider.envVar}.`);
  }
  if (key && inPage() && !options.dangerouslyAllowBrowser) {
    throw config(
      "An API key in a page can be read by everybody who opens it. Put an endpoint in front of the provider " +
        "(createChatHandler and createEndpointModel), or set `dangerouslyAllowBrowser: true` for a key that the user brought.",
    );
  }
  const base = (options.baseURL ?? provider.baseURL).replace(/\/+$/, "");
  const http: HttpModel = {
    kind: "http",
    name: model,
    format: provider.format === "anthropic" ? "anthropic" : "openai_chat",
    url: provider.format === "anthropic" ? `${base.replace(/\/v1$/, "")}/v1/messages` : `${base}/chat/completions`,
    headers: key ? headers(provider, key) : [],
    model,
    maxTokens: options.maxTokens ?? provider.defaultMaxTokens,
    stream: options.stream ?? true,
    ...(options.policy && { policy: options.policy }),
  };
  const adapter: ModelAdapter = {
    name: model,
    setSystemPrompt() {},
    async prompt() {
      throw config(`The model "${model}" is asked by the core: give it to an agent, a GloveClient or a Glove.`);
    },
  };
  return withTransport(adapter, { options: http, fetch: options.fetch });
}

function headers({ format }: ProviderDef, key: string): (readonly [string, string])[] {
  if (format !== "anthropic") return [["authorization", `Bearer ${key}`]];
  const own: (readonly [string, string])[] = [
    ["x-api-key", key],
    ["anthropic-version", "2023-06-01"],
  ];
  return inPage() ? [...own, ["anthropic-dangerous-direct-browser-access", "true"]] : own;
}

function config(message: string): GloveError {
  return new GloveError("MODEL_CONFIG", message);
}

function inPage(): boolean {
  return typeof window !== "undefined" && typeof document !== "undefined";
}

/** A provider's key as the environment has it now. */
export function keyOf({ envVar }: ProviderDef): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return (envVar && process?.env?.[envVar]?.trim()) || undefined;
}
