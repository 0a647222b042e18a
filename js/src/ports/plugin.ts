// What an application writes as a plugin, and what the plugin gets before each call of the model.

import type { Schema } from "../schema/types.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { Message } from "../wire/record.js";
import type { ModelAdapter } from "./model.js";
import type { HasState, PluginState } from "./plugin-state.js";
import type { Prompt } from "./prompt.js";
import type { ToolConfig } from "./tool.js";

/** What a plugin gets before a call of the model. What it adds holds for that call alone. */
export interface PluginRound<S = undefined> {
  /** What it sets here is kept when `prepare` has succeeded. */
  readonly state: PluginState<S>;
  /**
   * What another plugin of the session keeps, as it was before this round: plugins prepare at the same time, and what one sets is there for the
   * others with the next round. Throws `PLUGIN_UNKNOWN` where the session has no such plugin.
   */
  stateOf<T>(plugin: HasState<T>): Pick<PluginState<T>, "get">;
  readonly context: {
    /** Adds text behind the system prompt. */
    add(text: string): void;
    /** @internal Adds text behind the messages, which is written down before the call is made. An empty one takes the place of what was there. */
    show?(text: string): void;
  };
  readonly tools: {
    /** Adds tools. A name that is taken already fails the plugin. */
    add(...tools: readonly ToolConfig[]): void;
    /** The names of the tools of the session. */
    readonly names: readonly string[];
  };
  /** Has this call made by another model, by its name in `models`. Of several plugins, the last one that asks decides. */
  switchModel(name: string): void;
  /** @internal Has this call made by a model that is in no settings: what it says is known before. */
  answerBy?(model: ModelAdapter): void;
  /** @internal The id of the prompt that is answered. */
  readonly promptId?: string | undefined;
  readonly conversation: {
    readonly sessionId: string;
    readonly userId: string | undefined;
    messages(): Promise<readonly Message[]>;
    prompts(): Promise<readonly Prompt[]>;
  };
  /** What the person wrote, or the reason of a prompt that nobody wrote. */
  readonly input: string | undefined;
  /** The `services` of the client. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the application gave.
  readonly services: any;
  /** Tells listeners of `error` events what went wrong, where the request goes on without it. */
  report(error: Error): void;
  /** Fires when the run is stopped, and when the plugin has taken too long. */
  readonly signal: AbortSignal;
}

/** What adds tools and context before each call of the model. */
export interface Plugin<S = undefined> extends HasState<S> {
  /** Names its state; two plugins of a session cannot have the same. */
  readonly id: string;
  /** What its state must match, whenever it is read or set. */
  readonly stateSchema?: Schema<unknown, S> | undefined;
  /** The state before it was set. */
  readonly initialState?: S | undefined;
  /** A request pauses when it fails; otherwise it goes on without what the plugin adds. */
  readonly required?: boolean | undefined;
  /** How long `prepare` may take; default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Called before each call of the model; adds context and tools to it. */
  prepare(round: PluginRound<S>): Maybe<unknown>;
}

/** A plugin, whatever its state. */
// biome-ignore lint/suspicious/noExplicitAny: plugins of different states stand in one list.
export type AnyPlugin = Plugin<any>;

/** A plugin whose tools have known types: `serverTools<typeof POST>(…)`. */
export interface ToolPlugin<A> extends AnyPlugin {
  /** For types alone: it is never there. */
  readonly "~adds"?: A;
}

const pluginOptions = {
  id: "text",
  stateSchema: "any",
  initialState: "any",
  required: "flag",
  timeoutMs: "large",
  prepare: "work",
} as const satisfies Options<Plugin>;

/** A plugin with the type of its state, which is that of `initialState`. */
export function definePlugin<S = undefined>(plugin: Plugin<S>): Plugin<S> {
  checkPlugin(plugin);
  return plugin;
}

/** Begins the id of each prompt that is a call of an app, and no words of a person. */
export const appPrompts = "mcp-app.";

/** Begins the name of each model that makes one call from outside, and writes no summary. */
export const outsideModels = "glove-wasm/";

export function checkPlugin(plugin: AnyPlugin): void {
  check("A plugin", plugin, "object", "PLUGIN_INVALID");
  check("`id` of a plugin", plugin.id, "text", "PLUGIN_INVALID");
  const called = (option: string) => `\`${option}\` of the plugin "${plugin.id}"`;
  checkOptions(plugin, pluginOptions, { called, code: "PLUGIN_INVALID" });
  check(called("prepare"), plugin.prepare, "work", "PLUGIN_INVALID");
}
