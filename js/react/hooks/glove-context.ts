// What a provider gives to the hooks below it.
import { createContext } from "react";
import type { GloveClient } from "../../src/session/client.js";
import { draws } from "../slots/draw.js";
import { Engine } from "./engine.js";
import { Listeners } from "./listeners.js";
import type { ProviderDefaults, Settings } from "./settings.js";

export interface ProviderValue extends ProviderDefaults {
  readonly current: ProviderEngines;
}

export const GloveContext = createContext<ProviderValue | null>(null);

/** The conversations below a provider. */
export class ProviderEngines extends Listeners {
  #shared: Engine | undefined;
  #engines: readonly Engine[] = [];
  #settings: Settings;
  constructor(settings: Settings) {
    super();
    this.#settings = settings;
  }

  /** The provider's own conversation: that of every hook without settings. */
  get shared(): Engine {
    this.#shared ??= this.#awaited.get(this.#id) ?? new Engine(this.#settings, draws);
    return this.#shared;
  }

  /** Keeps it for components that wait for it. */
  hold(engine: Engine): void {
    this.#awaited.set(this.#id, engine);
  }

  release(engine: Engine): void {
    if (this.#awaited.get(this.#id) === engine) this.#awaited.delete(this.#id);
  }

  /** Forgets an engine that could not start; the next user starts a new one. */
  drop(engine: Engine): void {
    if (this.#shared === engine) this.#shared = undefined;
  }

  /** The settings of the provider's latest render. */
  update(settings: Settings): void {
    this.#settings = settings;
    this.#shared?.update(settings);
  }

  /** The conversation for selectors: the provider's own where it is shown, else that of the latest hook. */
  readonly get = (): Engine | undefined => this.#engines.find((engine) => engine === this.#shared) ?? this.#engines.at(-1);

  /** Returns a function that removes the subscriber. */
  add(engine: Engine): () => void {
    this.#set([...this.#engines, engine]);
    return () => this.#set(this.#engines.filter((_, index, all) => index !== all.lastIndexOf(engine)));
  }

  get #id(): string {
    return this.#settings.sessionId ?? "";
  }

  get #awaited(): Map<string, Engine> {
    const { client } = this.#settings;
    const engines = awaited.get(client) ?? new Map<string, Engine>();
    awaited.set(client, engines);
    return engines;
  }

  #set(engines: readonly Engine[]): void {
    this.#engines = engines;
    this.changed();
  }
}

/** What components wait for, by its session. State of one that waits is lost, its provider's too: they find it here when they come again. */
const awaited = new WeakMap<GloveClient, Map<string, Engine>>();
