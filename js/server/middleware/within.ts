// A handler's model within its middleware. What a client asks for comes to a relay that has no provider behind it, but this model: so limits, tickets
// and prices are those of what the middleware has made.

import { askThrough } from "../../src/models/around-model.js";
import { checkMiddleware } from "../../src/ports/middleware/middleware.js";
import type { ModelAdapter, ModelNotice } from "../../src/ports/model.js";
import type { RemoteStreamEvent } from "../../src/relay/collect.js";
import { collect } from "../../src/relay/collect.js";
import type { Fetch } from "../../src/relay/http.js";
import { serialized } from "../../src/relay/model-call.js";
import type { Refusal } from "../../src/relay/refusal-response.js";
import { relayEvents } from "../../src/relay/relay-events.js";
import { GloveError } from "../../src/values/error.js";
import { omitUndefined } from "../../src/values/omit-undefined.js";
import { fromCore } from "../../src/wasm/core-errors.js";
import type { Providers, Relay } from "../../src/wasm/providers.js";
import { fetchOf, nowhere, ownModel } from "../application-model.js";
import type { ChatHandlerConfig } from "../config.js";
import { relayOf } from "../relay.js";
import type { Upstream } from "../upstream.js";

const none = { firstByteMs: 0, idleMs: 0 } as const;

/** One request of a client. */
export interface AskedWithin {
  readonly request: Request;
  readonly owner: string;
  /** The model that the client asks for, where it may choose. */
  readonly model: string | undefined;
  readonly key: string;
  /** Asks the provider. */
  readonly fetch: Fetch;
  /** Told what the provider is asked without. */
  notice(notice: ModelNotice): void;
}

export class Within {
  /** What answers the clients. */
  readonly relay: () => Relay;
  readonly #config: ChatHandlerConfig;
  readonly #upstream: Upstream;
  /** What asks the provider; nothing for a model of the application. */
  readonly #provider: (() => Relay) | undefined;

  /** Refuses at once what can never be answered. */
  constructor(core: Providers, config: ChatHandlerConfig, upstream: Upstream) {
    for (const one of config.middleware ?? []) checkMiddleware(one);
    this.#config = config;
    this.#upstream = upstream;
    const { policy, createModel } = config;
    if (createModel) {
      // Who holds back sends nothing for as long as the answer takes.
      const holds = config.middleware?.some(({ holdBack }) => holdBack);
      this.relay = relayOf(core, { ...config, policy: { ...policy, ...(holds && none) } }, upstream);
      return;
    }
    const { systemPrompt, prices, limits, models, providerMessages, wasm, ...asked } = config;
    const endless = Number.MAX_SAFE_INTEGER;
    const all = { systemPromptBytes: endless, messages: endless, tools: endless };
    const shared = omitUndefined({ models, providerMessages, wasm });
    this.#provider = relayOf(core, { ...asked, ...shared, limits: all }, upstream);
    // Waits and tries are the provider's.
    const clients = omitUndefined({ systemPrompt, prices, limits });
    this.relay = relayOf(
      core,
      { ...shared, ...clients, reasoning: true, policy: { ...policy, ...none, totalMs: 0, maxRetries: 0 } },
      { format: "endpoint", baseURL: nowhere, model: upstream.model, maxTokens: undefined, fetch: undefined, key: () => "" },
    );
  }

  /** What the relay asks for this request, and what a client is told where that gave no answer. */
  begin(asked: AskedWithin): { readonly fetch: Fetch; notice(notice: ModelNotice): void; refused(refusal: Refusal): Refusal } {
    const { createModel, middleware, services } = this.#config;
    /** Told of the provider, with all that is known. */
    const refusals = new WeakMap<object, Refusal>();
    let failed: unknown;
    const make = (): ModelAdapter => {
      const model = createModel ? ownModel(createModel) : this.#providerModel(asked, refusals);
      let systemPrompt = "";
      return {
        name: model.name,
        setSystemPrompt: (text) => {
          systemPrompt = text;
        },
        prompt: async (...given) => {
          try {
            const around = {
              model,
              middleware,
              services: typeof services === "function" ? services(asked.request) : services,
              userId: asked.owner || undefined,
            };
            return await askThrough(around, systemPrompt, ...given);
          } catch (error) {
            failed = error;
            throw error;
          }
        },
      };
    };
    return {
      fetch: fetchOf(make),
      // The relay of the provider tells it, with all that is known.
      notice: createModel ? asked.notice : () => {},
      refused: (refusal) => toldOf(failed, refusal, refusals),
    };
  }

  #providerModel({ model, key, fetch, notice }: AskedWithin, refusals: WeakMap<object, Refusal>): ModelAdapter {
    const relay = this.#provider?.();
    let systemPrompt = "";
    return {
      name: model ?? this.#upstream.model,
      setSystemPrompt: (text) => {
        systemPrompt = text;
      },
      async prompt({ messages, tools }, notify, signal) {
        if (!relay) throw new GloveError("MODEL_CONFIG", "There is no provider.");
        const body = JSON.stringify({ systemPrompt, messages, tools: serialized(tools), ...(model && { model }) });
        const refused = (refusal: Refusal) => {
          const error = fromCore(refusal);
          refusals.set(error, refusal);
          return error;
        };
        const events: AsyncIterable<RemoteStreamEvent> = relayEvents({ relay, body, key, fetch, notice }, refused, signal);
        return collect(events, notify, "The answer was cut off before its end.", signal);
      },
    };
  }
}

/** A reason that a middleware gives is for the client, and what went wrong in it is for the server alone. */
function toldOf(failed: unknown, refusal: Refusal, refusals: WeakMap<object, Refusal>): Refusal {
  if (!(failed instanceof Error)) return refusal;
  const ofProvider = refusals.get(failed);
  if (ofProvider) return ofProvider;
  if (!(failed instanceof GloveError)) return refusal;
  const { code, message } = failed;
  if (code === "MIDDLEWARE_STOPPED") return { status: 403, code, message, retryable: false };
  if (code !== "MIDDLEWARE_FAILED") return refusal;
  return { status: 500, code, message: "A middleware of this server failed.", retryable: false, detail: message };
}
