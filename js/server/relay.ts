// The part of the core that answers, made from a handler's options.
import { callOptionsOf } from "../src/models/call-options.js";
import { cacheOf } from "../src/models/providers.js";
import type { RelayOptions } from "../src/relay/relay-host.js";
import { fromCore } from "../src/wasm/core-errors.js";
import { guard, type Providers, type Relay } from "../src/wasm/providers.js";
import type { ChatHandlerConfig } from "./config.js";
import type { Upstream } from "./upstream.js";

/** JSON knows no infinity. */
const finiteLimit = (limit: number | undefined) => limit && Math.min(limit, Number.MAX_SAFE_INTEGER);

/** Gives the same one until the core has to be started anew. */
export function relayOf(
  core: Providers,
  config: ChatHandlerConfig,
  { format, baseURL, model, maxTokens }: Upstream,
): () => Relay {
  const { models, systemPrompt, policy, providerMessages, limits, prices } = config;
  const { reasoning, reasoningEffort, reasoningBudget, includeReasoningInText, toolUse, cache } = config;
  const options: RelayOptions = {
    ...{ format, baseURL, model, maxTokens, models, systemPrompt, policy, providerMessages, prices },
    ...{ reasoning, reasoningEffort, reasoningBudget, includeReasoningInText, toolUse, cache: cacheOf(cache) },
    ...callOptionsOf(config),
    systemPromptBytes: finiteLimit(limits?.systemPromptBytes),
    messages: finiteLimit(limits?.messages),
    tools: finiteLimit(limits?.tools),
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
  guard.onTrap(() => {
    relay = undefined;
  });
  return () => {
    relay ??= make();
    return relay;
  };
}
