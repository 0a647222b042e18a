// A model behind an endpoint of the application, over server-sent events.

import type { ModelAdapter } from "../ports/model.js";
import type { DirectOptions } from "../relay/direct.js";
import type { Fetch } from "../relay/http.js";
import { loadPart } from "../values/error.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { HttpModelOptions } from "../wire/core-types.js";
import { checkCall } from "./options.js";
import { withTransport } from "./transport.js";

/** The options of an endpoint model. */
export interface EndpointOptions {
  /** Sent with each request. A function is called each time, for tokens that expire. */
  readonly headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** What the endpoint is asked with, in the place of the global `fetch`. */
  readonly fetch?: Fetch;
  /** Sends the model's earlier reasoning back to the endpoint. Anthropic wants it while a model thinks and uses tools. */
  readonly reasoning?: boolean;
  /** Retries and waiting limits of a call. */
  readonly policy?: NonNullable<HttpModelOptions["policy"]>;
}

const endpointOptions = {
  headers: "any",
  fetch: "work",
  reasoning: "flag",
  policy: "any",
} as const satisfies Options<EndpointOptions>;

/**
 * A model behind `POST url`, which answers with `text_delta`, `tool_use` and `done` events (`createChatHandler` serves it).
 * What is for the screen only (`renderData`) never leaves the page.
 */
export function createEndpointModel(url: string, options: EndpointOptions = {}): ModelAdapter {
  check("The options", options, "object");
  checkOptions(options, endpointOptions);
  checkCall(options);
  const configured = options.headers;
  const headers = async () => (typeof configured === "function" ? configured() : { ...configured });
  // Headers may hold a key, which would go along.
  const redirect: RequestRedirect = options.headers ? "manual" : "follow";
  let systemPrompt = "";
  const name = `endpoint:${url}`;
  const fetch: Fetch = async (to, init) => {
    // Those that `hostFetch` looks at afterwards.
    const sent = init.headers as Headers;
    for (const [key, value] of Object.entries(await headers())) sent.set(key, value);
    return (options.fetch ?? globalThis.fetch)(to, { ...init, redirect });
  };
  const { reasoning, policy } = options;
  const relay: DirectOptions = { format: "endpoint", baseURL: url, model: name, reasoning, policy };
  const model: ModelAdapter = {
    name,
    setSystemPrompt: (text) => {
      systemPrompt = text;
    },
    async prompt(request, notify, signal) {
      // Sessions do not come here.
      const { prompted } = await loadPart(import("../relay/direct.js"));
      return prompted({ options: relay, fetch }, { ...request, systemPrompt }, notify, signal);
    },
  };
  const http: HttpModelOptions = {
    name,
    url,
    ...(options.reasoning && { reasoning: true }),
    ...(options.policy && { policy: options.policy }),
  };
  const reach = options.fetch ? undefined : async () => ({ headers: { ...(await headers()) }, redirect });
  const known = options.fetch || typeof configured === "function" ? undefined : () => ({ headers: { ...configured }, redirect });
  return withTransport(model, { options: { http }, fetch, early: true, reach, known });
}
