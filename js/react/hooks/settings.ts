// The settings of a hook, which take precedence over those of its client.

import type { ConversationConfig } from "../../conversation/config.js";
import { GloveClient } from "../../src/index.js";
import type { SessionOverrides } from "../../src/session/client.js";
import { GloveError } from "../../src/values/error.js";
import { isInside } from "../../src/values/ids.js";
import { omitUndefined } from "../../src/values/omit-undefined.js";
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import type { Renderers } from "../render/renderer-registry.js";

/** Settings of `useGlove`. They may be written inline and may change at any time. */
export interface UseGloveConfig extends ConversationConfig {
  /** Renderers by name, before those of the tools. */
  renderers?: Renderers | undefined;
}

const hookOptions = {
  endpoint: "any",
  sessionId: "any",
  store: "any",
  model: "any",
  systemPrompt: "any",
  tools: "list",
  compaction: "any",
  subscribers: "any",
  getSessionId: "work",
  persistSession: "persist",
  onSessionChange: "any",
  renderers: "any",
  onUnmount: "continue|stop",
} as const satisfies Options<UseGloveConfig>;

const ofTheClient = "It belongs to the client: pass it to `GloveClient`.";
const moved = Object.fromEntries(
  [
    "services",
    "userId",
    "middleware",
    "budgets",
    "limits",
    "prices",
    "whenBusy",
    "resume",
    "tasks",
    "record",
    "createModel",
    "createStore",
    "createSessionId",
    "database",
    "catalog",
    "whenUnused",
  ].map((option) => [option, ofTheClient]),
);

/** The props of `GloveProvider`. */
export interface ProviderDefaults {
  readonly client: GloveClient;
  readonly renderers: Renderers;
}

export interface Settings extends UseGloveConfig {
  readonly client: GloveClient;
  /** Those of the provider, for what neither a tool nor the hook draws. */
  readonly provided: Renderers | undefined;
}

/** Says which conversation it means, or anything else of its own. */
export function hasOwnSettings(config: UseGloveConfig): boolean {
  return Object.keys(config).length > 0;
}

const checked = (config: UseGloveConfig) => check("The settings", config, "object");

/** The settings in force. Throws where there is nothing to talk to, or nothing to say to it. */
export function settingsOf(
  config: UseGloveConfig,
  provided: ProviderDefaults | null,
  own: () => GloveClient | undefined,
): Settings {
  checkOptions(checked(config), hookOptions, { moved });
  const client = provided?.client ?? own();
  if (!client) throw new GloveError("CLIENT_CONFIG", "useGlove requires a GloveProvider, 'endpoint', or 'model'");
  if ((config.systemPrompt ?? client.systemPrompt) === undefined) {
    throw new GloveError("CLIENT_CONFIG", "useGlove requires 'systemPrompt' (via config or GloveClient)");
  }
  return { ...config, client, provided: provided?.renderers };
}

/** A client for a hook without a provider; none without a model. */
export function ownClient(config: UseGloveConfig): GloveClient | undefined {
  const { endpoint, model } = checked(config);
  if (!endpoint && !model) return undefined;
  return new GloveClient({ endpoint, ...(model && { createModel: () => model }) });
}

/** What differs from the client's settings for a session that is opened. Its tools are given beside the client's, but to the session of an agent. */
export function overridesOf(settings: Settings, id: string): SessionOverrides {
  const { endpoint, store, model, systemPrompt, tools, compaction, subscribers } = settings;
  return omitUndefined({
    endpoint,
    model,
    systemPrompt,
    tools: isInside(String(id)) ? tools : undefined,
    compaction,
    subscribers,
    store: store?.identifier === id ? store : undefined,
  });
}

const changeable = ["model", "systemPrompt", "compaction", "subscribers"] as const;

/** What of a session changed with the settings; what was taken away is the client's again. */
export function changesOf(before: Settings, after: Settings): SessionOverrides {
  const changes: Record<string, unknown> = {};
  for (const key of changeable) if (!isSame(before[key], after[key])) changes[key] = after[key] ?? inherited(after.client, key);
  if (before.endpoint !== after.endpoint && !after.model) changes.model = after.client.resolveModel(after.endpoint);
  return changes;
}

function inherited(client: GloveClient, key: (typeof changeable)[number]): unknown {
  if (key === "model") return client.resolveModel();
  return client[key] ?? (key === "subscribers" ? [] : undefined);
}

// A list that is written inline is a new one each time.
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => Object.is(item, b[index]));
}
