// The table of model providers, and models made from it.
import { GloveError } from "../error.js";
import type { HttpModel } from "./endpoint.js";
import { withTransport } from "./endpoint.js";
import type { Fetch } from "./http.js";
import type { ModelAdapter } from "./model.js";

export interface ProviderDef {
  readonly id: string;
  readonly name: string;
  readonly baseURL: string;
  /** The environment variable with the key; none for a provider that needs no key. */
  readonly envVar?: string;
  readonly defaultModel?: string;
  readonly models: readonly string[];
  readonly format: "openai" | "anthropic" | "gemini";
  readonly defaultMaxTokens: number;
}

const openai = (
  id: string,
  name: string,
  baseURL: string,
  envVar: string | undefined,
  models: readonly string[],
  defaultMaxTokens: number,
): ProviderDef => ({
  id,
  name,
  baseURL,
  models,
  format: "openai",
  defaultMaxTokens,
  ...(envVar && { envVar }),
  ...(models[0] && { defaultModel: models[0] }),
});

/** What is known of each provider. The first model is the default. */
export const providers: Readonly<Record<string, ProviderDef>> = Object.fromEntries(
  [
    openai("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", ["anthropic/claude-sonnet-4"], 8192),
    {
      id: "anthropic",
      name: "Anthropic",
      baseURL: "https://api.anthropic.com",
      envVar: "ANTHROPIC_API_KEY",
      defaultModel: "claude-sonnet-4-20250514",
      models: ["claude-sonnet-4-20250514"],
      format: "anthropic" as const,
      defaultMaxTokens: 8192,
    },
    openai("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", ["gpt-4.1"], 4096),
    openai(
      "gemini",
      "Google Gemini",
      "https://generativelanguage.googleapis.com/v1beta/openai",
      "GEMINI_API_KEY",
      ["gemini-2.5-flash"],
      8192,
    ),
    openai("minimax", "MiniMax", "https://api.minimax.io/v1", "MINIMAX_API_KEY", ["MiniMax-M2.5"], 8192),
    openai("kimi", "Kimi", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", ["kimi-k2.5"], 8192),
    openai("glm", "GLM", "https://open.bigmodel.cn/api/paas/v4", "ZHIPUAI_API_KEY", ["glm-4-plus"], 4096),
    openai("mimo", "MiMo", "https://api.xiaomimimo.com/v1", "MIMO_API_KEY", ["mimo-v2.5"], 8192),
    openai("ollama", "Ollama", "http://localhost:11434/v1", undefined, [], 4096),
    openai("lmstudio", "LM Studio", "http://localhost:1234/v1", undefined, [], 4096),
  ].map((provider) => [provider.id, provider]),
);

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
  return Object.values(providers).map(({ id, name, models, defaultModel, envVar }) => ({
    id,
    name,
    available: envVar === undefined || keyFromEnvironment(envVar) !== undefined,
    models,
    defaultModel,
  }));
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
  const model = options.model ?? provider.defaultModel;
  if (!model) throw config(`No model specified for provider "${provider.name}". Pass a model name.`);
  const key = options.apiKey ?? (provider.envVar && keyFromEnvironment(provider.envVar));
  if (provider.envVar && !key) {
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

function keyFromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
