// Checks before irreversible work: a page that was frozen, or hung, may have been superseded by another tab since
// its next action was written.
import type { StoreAdapter } from "../store/adapter.js";
import type { Tabs } from "../tabs/tabs.js";

/** Shorter than it takes until a tab that says nothing is superseded. */
const certainMs = 1_000;

export type Fence = ReturnType<typeof createFence>;

/** `tabsOf` gives the other tabs that have the session open; without them nobody can have taken over. */
export function createFence(store: StoreAdapter, tabsOf: () => Tabs | undefined) {
  let certainAt = 0;
  /** Never settles in a page that was superseded. Nothing where no other tab can have taken over meanwhile. */
  const pass = (): Promise<void> | undefined => {
    const began = performance.now();
    const tabs = tabsOf();
    if (!tabs || !store.holds || began - certainAt < certainMs) return undefined;
    return store.holds().then((holds) => {
      if (holds) return certain(began);
      tabs.superseded();
      return new Promise<void>(() => {});
    });
  };
  /** At this moment no other tab had taken the session over. */
  const certain = (at: number) => {
    certainAt = at;
  };
  return { pass, certain };
}
