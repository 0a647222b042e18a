// What a provider gives to the hooks below it.
import { createContext } from "react";
import type { GloveClient } from "../../src/session/client.js";
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
    this.#shared ??= awaited.get(this.#settings.client) ?? new Engine(this.#settings);
    return this.#shared;
  }

  /** One that could not begin is begun anew by whoever comes next. */
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

  #set(engines: readonly Engine[]): void {
    this.#engines = engines;
    this.changed();
  }
}

/** What components wait for. State of one that waits is lost, its provider's too: they find it here when they come again. */
const awaited = new WeakMap<GloveClient, Engine>();

/** Keeps it for them. */
export function holdEngine(client: GloveClient, engine: Engine): void {
  awaited.set(client, engine);
}

export function releaseEngine(client: GloveClient, engine: Engine): void {
  if (awaited.get(client) === engine) awaited.delete(client);
}
