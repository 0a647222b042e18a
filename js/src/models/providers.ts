// The table of model providers, and models made from it.

import type { ModelAdapter } from "../ports/model.js";
import type { ModelCallOptions } from "../ports/model-options.js";
import type { DirectOptions } from "../relay/direct.js";
import type { Fetch } from "../relay/http.js";
import { loadPart } from "../values/error.js";
import { checkOptions, nearest, type Options } from "../values/validate-options.js";
import { type ProviderId, rows } from "../wasm/generated/provider_rows.js";
import type { HttpModelOptions } from "../wire/core-types.js";
import { callOptions, callOptionsOf } from "./call-options.js";
import { checkCall, config, keyFrom } from "./options.js";
import { withTransport } from "./transport.js";

export type { ProviderId };

/** A row of the table of providers. */
export interface ProviderDef {
  readonly id: ProviderId;
  readonly name: string;
  readonly baseURL: string;
  /** The environment variable with the key; empty for a provider that needs none. */
  readonly envVar: string;
  readonly defaultModel: string;
  readonly models: readonly string[];
  readonly format: "openai" | "anthropic" | "bedrock";
  readonly defaultMaxTokens: number;
}

/** The known providers. The first model of each is the default. */
export const providers: Readonly<Record<string, ProviderDef>> = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ rows.map(([id, name, baseURL, envVar, defaultMaxTokens, list, given = "openai"]) => {
    const format = given as ProviderDef["format"];
    const models = list.split(" ").filter(Boolean);
    return [id, { id, name, baseURL, envVar, defaultModel: models[0] ?? "", models, format, defaultMaxTokens }];
  }),
);

/** A provider, and whether it can be used here. */
export interface AvailableProvider {
  readonly id: ProviderId;
  readonly name: string;
  /** Whether it is supported and has a key or needs none. */
  readonly available: boolean;
  readonly models: readonly string[];
  readonly defaultModel: string;
}

/** All providers, and which of them can be used here. */
export function getAvailableProviders(): AvailableProvider[] {
  return Object.values(providers).map(({ id, name, models, defaultModel, envVar, format }) => ({
    id,
    name,
    available: format !== "bedrock" && (envVar === "" || keyFromEnvironment(envVar) !== undefined),
    models,
    defaultModel,
  }));
}

/** The API format of a provider. */
export type ProviderFormat = "anthropic" | "openai_chat" | "openai_responses" | "gemini";

/** How much a model reasons before it answers. `efforts` in `facts` can add values. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | (string & {});

/** A provider that is written out is one of those that are known; a `string` that comes from elsewhere is checked when it is used. */
export type ProviderName<P extends string> = string extends P ? P : P & ProviderId;

/** The options of `createAdapter`. */
export interface CreateAdapterOptions extends ModelCallOptions {
  /** The id of a provider, such as `"anthropic"`. */
  readonly provider: ProviderId;
  /** The model's id; default: the provider's default model. */
  readonly model?: string;
  /** The provider's API key; default: its environment variable. */
  readonly apiKey?: string;
  /** The longest answer, in tokens. */
  readonly maxTokens?: number;
  /** Whether the answer is streamed; default `true`. */
  readonly stream?: boolean;
  /** The address of the provider's API, for a proxy or another host. */
  readonly baseURL?: string;
  /** A format other than the provider's default, for its other APIs. */
  readonly format?: ProviderFormat;
  /** Sends the model's earlier reasoning back to it. */
  readonly reasoning?: boolean;
  /** How much the model reasons before it answers, translated for each provider; `none` turns reasoning off. */
  readonly reasoningEffort?: ReasoningEffort;
  /** How many tokens the model may reason with, in the place of an effort. */
  readonly reasoningBudget?: number;
  /** `text` for models without tool calls: the prompt describes the tools, and calls are parsed from the text. */
  readonly toolUse?: "native" | "text";
  /** Marks the prompt for caching, for five minutes (`true`) or the given time. */
  readonly cache?: boolean | "5m" | "1h";
  /** What the provider is asked with, in the place of the global `fetch`. */
  readonly fetch?: Fetch;
  /** Retries and time limits of a model call. */
  readonly policy?: NonNullable<HttpModelOptions["policy"]>;
  /** Anyone who opens a page can read a key in it. Set this only for keys that the user brought. */
  readonly dangerouslyAllowBrowser?: boolean;
}

const adapterOptions = {
  provider: "any",
  model: "text",
  apiKey: "text",
  maxTokens: "any",
  stream: "flag",
  baseURL: "text",
  format: "any",
  reasoning: "flag",
  reasoningEffort: "any",
  reasoningBudget: "any",
  toolUse: "any",
  cache: "any",
  fetch: "work",
  policy: "object",
  dangerouslyAllowBrowser: "flag",
  ...callOptions,
} as const satisfies Options<CreateAdapterOptions>;

const noBedrock = "Amazon Bedrock is not supported here.";
const moved = {
  systemPrompt: "It belongs to the agent: pass it to `GloveClient` or `Glove`.",
  timeout: "Use `policy: { totalMs }`.",
  maxRetries: "Use `policy: { maxRetries }`.",
  key: "Use `apiKey`.",
  url: "Use `baseURL`.",
  responseFormat: "Put the provider's own field in `extraBody`.",
  includeReasoningInText: "It is an option of `createChatHandler`.",
  region: noBedrock,
  accessKeyId: noBedrock,
  secretAccessKey: noBedrock,
  sessionToken: noBedrock,
};

/** A model of a provider. Throws if the key is missing; the key is sent to no host but the provider's. */
export function createAdapter<P extends string>(
  given: Omit<CreateAdapterOptions, "provider"> & { readonly provider: ProviderName<P> },
): ModelAdapter {
  const options = (given ?? {}) as CreateAdapterOptions;
  checkOptions(options, adapterOptions, { code: "MODEL_CONFIG", moved });
  checkCall(options);
  const { provider, model, baseURL } = targetOf(options);
  const key = keyOf(provider, options.apiKey);
  if (provider.envVar && !key) throw config(inPage() ? noKeyHere(provider) : noKey(provider));
  if (key && inPage() && !options.dangerouslyAllowBrowser) {
    throw config(
      "Anyone who opens a page can read an API key in it. Put an endpoint in front of the provider " +
        "(createChatHandler and createEndpointModel), or set `dangerouslyAllowBrowser: true` for a key that the user brought.",
    );
  }
  const format = formatOf(provider, options.format);
  const { reasoning, reasoningEffort, reasoningBudget, toolUse, policy, stream = true } = options;
  const relay: DirectOptions = {
    ...{ format, baseURL, model, stream, reasoning, reasoningEffort, reasoningBudget, toolUse, policy },
    maxTokens: options.maxTokens,
    ...callOptionsOf(options),
    cache: cacheOf(options.cache),
  };
  const fetch: Fetch = (url, init) => {
    const headers = new Headers(init.headers);
    if (format === "anthropic" && inPage()) headers.set("anthropic-dangerous-direct-browser-access", "true");
    return (options.fetch ?? globalThis.fetch)(url, { ...init, headers });
  };
  const target = { options: relay, fetch, ...(key !== undefined && { key }) };
  const direct = () => loadPart(import("../relay/direct.js"));
  let systemPrompt = "";
  const adapter: ModelAdapter = {
    name: model,
    setSystemPrompt: (text) => {
      systemPrompt = text;
    },
    // Sessions do not come here.
    async prompt(request, notify, signal) {
      return (await direct()).prompted(target, { ...request, systemPrompt }, notify, signal);
    },
  };
  const http: HttpModelOptions = {
    ...{ name: model, url: `provider:${provider.id}` },
    reasoning: true, // Whether the provider gets it is settled on the way.
    policy: { maxRetries: 0, firstByteMs: 0, idleMs: 0, totalMs: 0, answerBytes: 0 }, // So are retries and limits.
  };
  const ask: Fetch = async (_, init) => (await direct()).direct(target, init);
  return withTransport(adapter, { options: { http }, fetch: ask });
}

export interface Target {
  readonly provider: ProviderDef;
  readonly model: string;
  readonly baseURL: string;
}

/** What other libraries and people call them. */
const elsewhere: Readonly<Record<string, string>> = { claude: "anthropic", google: "gemini", moonshot: "kimi", zhipu: "glm" };

/** What is to be called, settled before anything is sent. */
export function targetOf(options: Pick<CreateAdapterOptions, "provider" | "model" | "baseURL" | "apiKey">): Target {
  const provider = Object.hasOwn(providers, options.provider) ? providers[options.provider] : undefined;
  if (!provider) {
    const ids = Object.keys(providers);
    const id = String(options.provider);
    const near = Object.hasOwn(elsewhere, id) ? elsewhere[id] : nearest(id, ids);
    const instead = near ? `. Did you mean "${near}"?` : "";
    throw config(`Unknown provider "${id}". Available: ${ids.join(", ")}${instead}`);
  }
  if (provider.format === "bedrock") {
    throw config(`Provider "${provider.id}" is not supported here. Use another provider, or a chat endpoint on your server.`);
  }
  const model = options.model || provider.defaultModel;
  if (!model) throw config(`No model specified for provider "${provider.name}". Pass a model name.`);
  const baseURL = options.baseURL || provider.baseURL;
  // In a page it may be a path.
  const page = globalThis.location?.href;
  if (!URL.canParse(baseURL, page) || !/^https?:$/.test(new URL(baseURL, page).protocol)) {
    throw config(`The base URL "${baseURL}" is not an http or https URL.`);
  }
  if (options.apiKey === undefined) refuseStranger(provider, baseURL);
  return { provider, model, baseURL };
}

export function formatOf({ format }: ProviderDef, wanted: ProviderFormat | undefined): ProviderFormat | "openai" {
  return wanted ?? (format === "anthropic" ? format : "openai");
}

export function cacheOf(cache: CreateAdapterOptions["cache"]): "5m" | "1h" | undefined {
  return cache === true ? "5m" : cache || undefined;
}

/** The key that was given, or a provider's key as the environment has it now. */
export function keyOf({ envVar }: ProviderDef, given: string | undefined): string | undefined {
  if (given !== undefined) return keyFrom("`apiKey`", given);
  return envVar ? keyFrom(envVar, keyFromEnvironment(envVar)) : undefined;
}

export function noKey({ name, envVar }: ProviderDef): string {
  return `No API key for provider "${name}". Pass \`apiKey\` or set ${envVar}.`;
}

function noKeyHere({ name }: ProviderDef): string {
  return (
    `No API key for provider "${name}", and a page has no environment variables. Put an endpoint in front of the provider ` +
    "(createChatHandler), or, to try it on your own machine, pass `apiKey` and `dangerouslyAllowBrowser: true`."
  );
}

/** A key that was found under a provider's name goes to no other provider. */
function refuseStranger(provider: ProviderDef, baseURL: string): void {
  const host = hostOf(baseURL);
  const other = Object.values(providers).find(
    ({ id, envVar, baseURL }) => id !== provider.id && envVar && baseURL && `.${host}`.endsWith(`.${hostOf(baseURL)}`),
  );
  if (!other) return;
  throw config(
    `${host} belongs to ${other.name}; the key in ${provider.envVar} is not sent there. ` +
      `Use provider "${other.id}", or pass the key yourself.`,
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : "";
}

/** In a page or one of its workers. Node, Bun, workerd and edge runtimes have no `WorkerNavigator`; Deno's workers have. */
function inPage(): boolean {
  const { document, WorkerNavigator, Deno } = globalThis as Record<string, unknown>;
  return (typeof window !== "undefined" && !!document) || (!!WorkerNavigator && !Deno);
}

function keyFromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name]?.trim() || undefined;
}
