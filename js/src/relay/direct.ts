// Models that the page asks itself. What stands between a model and a session is what a chat handler has, so that a page which asks
// no provider need not load how providers are spoken to. Who asks without a session reads what the same relay writes.

import type { ModelPromptResult, ModelTool, NotifySubscribersFunction, PromptRequest, SerializedTool } from "../ports/model.js";
import { toolSchema } from "../tools/spec.js";
import { stoppedBy } from "../values/error.js";
import { toJson } from "../values/json.js";
import { fromCore } from "../wasm/core-errors.js";
import { guard, type Providers, type Relay } from "../wasm/providers.js";
import { answer } from "./answer.js";
import { collect, type RemoteStreamEvent } from "./collect.js";
import { core } from "./core.js";
import type { Fetch } from "./http.js";
import { checkRequest } from "./model-call.js";
import { relayEvents } from "./relay-events.js";
import type { RelayOptions } from "./relay-host.js";

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
  target: Target,
  request: PromptRequest & { readonly systemPrompt: string },
  notify: NotifySubscribersFunction,
  signal: AbortSignal | undefined,
): Promise<ModelPromptResult> {
  if (signal?.aborted) throw stoppedBy(signal);
  checkRequest(request);
  const { systemPrompt, messages, tools } = request;
  const described = await Promise.all((tools ?? []).map(describe));
  const body = toJson({ systemPrompt, messages, tools: described }, "The request");
  return collect(eventsOf(target, body, signal), notify, "The answer was cut off before its end.", signal);
}

async function describe({ name, description, jsonSchema, input_schema: inputSchema }: ModelTool): Promise<SerializedTool> {
  return { name, description, parameters: await toolSchema({ name, jsonSchema, ...(inputSchema && { inputSchema }) }) };
}

/** Which model is asked, and how it is reached. */
export interface Target {
  readonly options: DirectOptions;
  readonly key?: string;
  readonly fetch: Fetch;
}

/** The events of one answer. Throws what it failed with. */
export async function* eventsOf(
  { options, key = "", fetch }: Target,
  body: string,
  signal?: AbortSignal,
): AsyncGenerator<RemoteStreamEvent, void, undefined> {
  const relay = relayOf(await core(), options);
  yield* relayEvents({ relay, body, key, fetch }, fromCore, signal);
}

/** One for each model, as it keeps what it learned from refusals, until the core has to be started anew. */
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
export async function direct({ options, key = "", fetch }: Target, { body, signal }: RequestInit): Promise<Response> {
  const relay = relayOf(await core(), options);
  const stopped = signal ?? new AbortController().signal;
  return answer({ relay, body: String(body), key, signal: stopped, fetch, heartbeatMs: 0, asEvents: true, report() {} });
}
