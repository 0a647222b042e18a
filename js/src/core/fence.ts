// Checks before irreversible work: a page that was frozen, or hung, may have been superseded by another tab since
// its next action was written.
import { silent } from "../store/limits.js";
import type { SharedSession } from "../tabs/shared-session.js";
import type { OpenSession } from "./open-session.js";

/** Shorter than it takes until a tab that says nothing is superseded. */
const certainMs = 1_000;
const tickMs = 200;
/** How often the store is asked for one answer: a page may have stood still while it was waited for. */
const maxTries = 3;

export type Fence = ReturnType<typeof createFence>;

export function createFence(openSession: OpenSession) {
  const { store } = openSession;
  let certainAt = 0;
  /** Never settles in a page that was superseded. Nothing where no other tab can have taken over meanwhile. */
  const pass = (): Promise<void> | undefined => {
    const { tabs } = openSession;
    return tabs && store.holds && performance.now() - certainAt >= certainMs ? ask(tabs) : undefined;
  };
  const ask = async (tabs: SharedSession): Promise<void> => {
    for (let tries = 0; tries < maxTries; tries++) {
      let last = performance.now();
      let stood = false;
      const tick = () => {
        const now = performance.now();
        stood ||= now - last >= certainMs;
        last = now;
      };
      const ticks = setInterval(tick, tickMs);
      const holds = await store.holds?.().finally(() => clearInterval(ticks));
      if (!holds) {
        tabs.superseded();
        return new Promise(() => {});
      }
      tick();
      // A page that was awake meanwhile has heard of a tab that takes over.
      if (!stood) return certain(last);
    }
    throw silent();
  };
  /** At this moment no other tab had taken the session over. */
  const certain = (at: number) => {
    certainAt = at;
  };
  return { pass, certain };
}
