// Where a handler's requests go on to: a provider, or a model of the application.
import { GloveError } from "../src/error.js";
import type { Fetch } from "../src/models/http.js";
import { formatOf, keyOf, noKey, targetOf } from "../src/models/providers.js";
import type { RelayOptions } from "../src/wasm/relay.js";
import type { ChatHandlerConfig } from "./config.js";
import { fetchOf, nowhere } from "./own-model.js";
import { Refused } from "./refused.js";

export interface Upstream extends Pick<RelayOptions, "format" | "baseURL" | "model" | "maxTokens"> {
  readonly fetch: Fetch | undefined;
  /** Looked up anew each time: a key that was missing may be there by now. */
  key(): string;
}

/** Refuses at once what can never be answered. */
export function upstreamOf(config: ChatHandlerConfig): Upstream {
  const { provider: id, createModel } = config;
  if (createModel && id === undefined) {
    return { format: "endpoint", baseURL: nowhere, model: "", maxTokens: undefined, fetch: fetchOf(createModel), key: () => "" };
  }
  if (createModel || id === undefined) {
    throw new GloveError("MODEL_CONFIG", "A chat handler needs either `provider` or `createModel`, and not both.");
  }
  const { provider, model, baseURL } = targetOf({ ...config, provider: id });
  if (!/^https?:$/.test(protocolOf(baseURL))) {
    throw new GloveError("MODEL_CONFIG", `The base URL "${baseURL}" is no http or https address.`);
  }
  return {
    format: formatOf(provider, config.format),
    baseURL,
    model,
    maxTokens: config.maxTokens ?? provider.defaultMaxTokens,
    fetch: config.fetch,
    key() {
      const found = config.apiKey ?? keyOf(provider);
      if (found || !provider.envVar) return found ?? "";
      const message = "This server is not set up for its model.";
      throw new Refused({ status: 500, code: "MODEL_CONFIG", message, detail: noKey(provider) });
    },
  };
}

function protocolOf(url: string): string {
  try {
    return new URL(url).protocol;
  } catch {
    return "";
  }
}
