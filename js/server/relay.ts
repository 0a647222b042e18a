// The part of the core that answers, made from a handler's options.
import { GloveError } from "../src/error.js";
import type { Target } from "../src/models/providers.js";
import type { Core, Exports } from "../src/wasm/core.js";
import { onTrap } from "../src/wasm/guard.js";
import type { RelayOptions } from "../src/wasm/relay.js";
import { fromCore } from "../src/wasm/thrown.js";
import type { ChatHandlerConfig } from "./config.js";

export type Relay = InstanceType<Exports["CoreRelay"]>;

/** Gives the same one until the core has to be started anew. */
export function relayOf(core: Core, config: ChatHandlerConfig, { provider, model, baseURL }: Target): () => Relay {
  if (!/^https?:$/.test(protocolOf(baseURL))) {
    throw new GloveError("MODEL_CONFIG", `The base URL "${baseURL}" is no http or https address.`);
  }
  const { models, systemPrompt, policy, providerMessages, limits } = config;
  const { reasoning, reasoningEffort, includeReasoningInText, cache } = config;
  const options: RelayOptions = {
    ...{ model, models, baseURL, systemPrompt, policy, providerMessages },
    ...{ reasoning, reasoningEffort, includeReasoningInText, cache: cache === true ? "5m" : cache || undefined },
    format: config.format ?? (provider.format === "anthropic" ? "anthropic" : "openai_chat"),
    maxTokens: config.maxTokens ?? provider.defaultMaxTokens,
    systemPromptBytes: limits?.systemPromptBytes,
    messages: limits?.messages,
    tools: limits?.tools,
  };
  const make = () => {
    const { CoreRelay } = core.now(config.wasm);
    try {
      return new CoreRelay(JSON.stringify(options));
    } catch (error) {
      throw fromCore(error);
    }
  };
  let relay: Relay | undefined = make();
  onTrap(() => {
    relay = undefined;
  });
  return () => {
    relay ??= make();
    return relay;
  };
}

function protocolOf(url: string): string {
  try {
    return new URL(url).protocol;
  } catch {
    return "";
  }
}
