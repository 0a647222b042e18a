// What stands before work that cannot be taken back: a page that was frozen, or hung, may have been superseded by another tab since
// what it does next was written.
import type { StoreAdapter } from "../store/adapter.js";
import type { Limits } from "../store/limits.js";
import type { Tabs } from "../tabs/tabs.js";

/** Shorter than it takes until a tab that says nothing is superseded. */
const certainMs = 1_000;

export class Fence {
  readonly #store: StoreAdapter;
  readonly #limits: Limits;
  readonly #tabs: () => Tabs | undefined;
  #certainAt = 0;

  /** `tabs` are the other tabs that have the session open; without them nobody can have taken over. */
  constructor(store: StoreAdapter, limits: Limits, tabs: () => Tabs | undefined) {
    this.#store = store;
    this.#limits = limits;
    this.#tabs = tabs;
  }

  /** At this moment no other tab had taken the session over. */
  certain(at: number): void {
    this.#certainAt = at;
  }

  /** Never settles in a page that was superseded. Nothing where no other tab can have taken over meanwhile. */
  pass(): Promise<void> | undefined {
    const began = performance.now();
    const tabs = this.#tabs();
    if (!tabs || !this.#store.holds || began - this.#certainAt < certainMs) return undefined;
    return this.#limits.within(this.#store.holds()).then((holds) => {
      if (!holds) {
        tabs.superseded();
        return new Promise<void>(() => {});
      }
      this.#certainAt = began;
      return this.pass();
    });
  }
}
