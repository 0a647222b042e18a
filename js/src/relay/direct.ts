// A provider that the page asks itself. What stands between it and the session is what a chat handler has, so that a page which
// asks no provider need not load how providers are spoken to.
import type { Fetch } from "../models/http.js";
import {
  type ModelPromptResult,
  type ModelTool,
  type NotifySubscribersFunction,
  type PromptRequest,
  type SerializedTool,
  stoppable,
} from "../models/model.js";
import { collect } from "../models/remote.js";
import { parseSSEStream } from "../models/sse.js";
import { toolSchema } from "../tools/spec.js";
import { bytes } from "../wasm/generated/glove_providers_bytes.js";
import { unpack } from "../wasm/inline.js";
import { guard, openProviders, type Providers, type Relay } from "../wasm/providers.js";
import type { RelayOptions } from "../wasm/relay.js";
import { answer } from "./answer.js";
import { providersSource } from "./source.js";

const providers = /* @__PURE__ */ openProviders(() => unpack(bytes));

export type DirectOptions = Partial<RelayOptions> & Pick<RelayOptions, "format" | "baseURL" | "model">;

/** What a chat handler holds back from its clients, this client may know; and it sends no more than it wants to. */
const own = {
  providerMessages: "own",
  systemPromptBytes: Number.MAX_SAFE_INTEGER,
  messages: Number.MAX_SAFE_INTEGER,
  tools: Number.MAX_SAFE_INTEGER,
} as const;

/** Asks without a session. What of the messages is for a model is the relay's to know. */
export async function prompted(
  ask: (init: RequestInit) => Promise<Response>,
  { systemPrompt, messages, tools = [] }: PromptRequest & { readonly systemPrompt: string },
  notify: NotifySubscribersFunction,
  signal: AbortSignal | undefined,
): Promise<ModelPromptResult> {
  signal?.throwIfAborted();
  const described = await Promise.all(tools.map(describe));
  const body = JSON.stringify({ systemPrompt, messages, tools: described });
  const response = await stoppable(ask({ body, signal: signal ?? null }), signal);
  return collect(parseSSEStream(response), notify, "The answer was cut off before its end.", signal);
}

async function describe({ name, description, jsonSchema, input_schema: inputSchema }: ModelTool): Promise<SerializedTool> {
  return { name, description, parameters: await toolSchema({ name, jsonSchema, ...(inputSchema && { inputSchema }) }) };
}

/** One for each adapter, as it keeps what it learned from refusals, until the core has to be started anew. */
let relays: WeakMap<DirectOptions, Relay> | undefined;

function relayOf({ CoreRelay }: Awaited<ReturnType<Providers["load"]>>, options: DirectOptions): Relay {
  if (!relays) {
    relays = new WeakMap();
    const undo = guard.onTrap(() => {
      relays = undefined;
      undo();
    });
  }
  let relay = relays.get(options);
  if (!relay) {
    relay = new CoreRelay(JSON.stringify({ ...options, ...own }));
    relays.set(options, relay);
  }
  return relay;
}

/** Answers the request to an endpoint with the events of one. */
export async function direct(
  options: DirectOptions,
  key: string,
  fetch: Fetch,
  { body, signal }: RequestInit,
): Promise<Response> {
  const relay = relayOf(await providers.load(providersSource()), options);
  const stopped = signal ?? new AbortController().signal;
  // The events tell all of it.
  const silent = { report() {}, notice() {} };
  return answer({ relay, body: String(body), key, signal: stopped, fetch, heartbeatMs: 0, asEvents: true, ...silent });
}
