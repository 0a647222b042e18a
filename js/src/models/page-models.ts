// The models of the page, as a session asks them; what asks is loaded with the first of them.

import type { ModelAdapter } from "../ports/model.js";
import type { SessionConfig } from "../ports/session-config.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import { loadPart } from "../values/error.js";
import type { BridgedModel, ModelBridge } from "./bridge.js";
import { transportOf } from "./transport.js";

export class PageModels implements Pick<ModelBridge, "prompt" | "forget" | "flush"> {
  readonly #page: BridgedModel;
  #bridge: ModelBridge | undefined;

  constructor(page: BridgedModel) {
    this.#page = page;
  }

  /** Nothing is needed for a model that the core reaches by itself. */
  ready(model: ModelAdapter): Maybe<unknown> {
    return transportOf(model) ? undefined : this.#asks();
  }

  /** Settings whose model is asked through their `middleware`: by this page, and never by the core itself. */
  within(config: SessionConfig & { readonly sessionId: string }): SessionConfig {
    let systemPrompt = "";
    const model: ModelAdapter = {
      name: config.model.name,
      setSystemPrompt: (text) => {
        systemPrompt = text;
      },
      prompt: async (...asked) => (await loadPart(import("./around-model.js"))).askThrough(config, systemPrompt, ...asked),
    };
    return { ...config, model };
  }

  prompt: ModelBridge["prompt"] = async (...asked) => (await this.#asks()).prompt(...asked);

  forget(): void {
    this.#bridge?.forget();
  }

  flush(): void {
    this.#bridge?.flush();
  }

  #asks(): Maybe<ModelBridge> {
    if (this.#bridge) return this.#bridge;
    return loadPart(import("./bridge.js")).then(({ ModelBridge }) => {
      this.#bridge ??= new ModelBridge(this.#page);
      return this.#bridge;
    });
  }
}
