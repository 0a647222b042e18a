// What a provider gives to the hooks below it.
import { createContext } from "react";
import type { GloveClient } from "../src/client.js";
import { Listeners } from "../src/listeners.js";
import { Engine } from "./engine.js";
import type { Renderers } from "./toolbox.js";

export interface Provided {
  readonly client: GloveClient;
  readonly renderers: Renderers;
  readonly current: Current;
}

export const GloveContext = createContext<Provided | null>(null);

/** The conversations of a provider's mounted `useGlove()`; the latest is the current one. */
export class Current extends Listeners {
  /** For selectors where no `useGlove()` is mounted. */
  readonly fallback: Engine;
  #engines: readonly Engine[] = [];
  constructor(client: GloveClient, renderers: Renderers) {
    super();
    this.fallback = new Engine({ client, provided: renderers });
  }

  readonly get = (): Engine | undefined => this.#engines.at(-1);

  /** Gives its undo. */
  add(engine: Engine): () => void {
    this.#set([...this.#engines, engine]);
    return () => this.#set(this.#engines.filter((other) => other !== engine));
  }

  #set(engines: readonly Engine[]): void {
    this.#engines = engines;
    this.changed();
  }
}
