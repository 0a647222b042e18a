// Checks before irreversible work: a page that was frozen, or hung, may have been superseded by another tab since
// its next action was written.
import type { StoreAdapter } from "../store/adapter.js";
import { storeError } from "../store/errors.js";
import type { Tabs } from "../tabs/tabs.js";

/** Shorter than it takes until a tab that says nothing is superseded. */
const certainMs = 1_000;
const tickMs = 200;
/** How often the store is asked for one answer: a page may have stood still while it was waited for. */
const mostTries = 3;

export type Fence = ReturnType<typeof createFence>;

/** `tabsOf` gives the other tabs that have the session open; without them nobody can have taken over. */
export function createFence(store: StoreAdapter, tabsOf: () => Tabs | undefined) {
  let certainAt = 0;
  let tries = 0;
  /** Never settles in a page that was superseded. Nothing where no other tab can have taken over meanwhile. */
  const pass = (): Promise<void> | undefined => {
    const began = performance.now();
    const tabs = tabsOf();
    if (!tabs || !store.holds || began - certainAt < certainMs) {
      tries = 0;
      return undefined;
    }
    if (tries++ === mostTries) {
      tries = 0;
      return Promise.reject(uncertain());
    }
    const wasAwake = watch(began);
    return store.holds().then(
      (holds) => {
        // A page that is awake hears of a tab that takes over.
        const awake = wasAwake();
        if (holds) return certain(awake ? performance.now() : began);
        tabs.superseded();
        return new Promise<void>(() => {});
      },
      (error: unknown) => {
        wasAwake();
        tries = 0;
        throw error;
      },
    );
  };
  /** At this moment no other tab had taken the session over. */
  const certain = (at: number) => {
    certainAt = at;
  };
  return { pass, certain };
}

/** Gives what says, once, whether the page did not stand still since. */
function watch(began: number): () => boolean {
  let [last, longest] = [began, 0];
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const ticks = setInterval(tick, tickMs);
  return () => {
    clearInterval(ticks);
    tick();
    return longest < certainMs;
  };
}

function uncertain() {
  return storeError(
    "unavailable",
    "The store does not say in time whether this page still has the session, so nothing more was started. Resume to try again.",
  );
}
