// Time limits for stores, so that one that never responds cannot block a session forever.

import type { StoreAdapter } from "../ports/store.js";
import { isPromise } from "../timing/sync-or-promise.js";
import { check } from "../values/validate-options.js";
import { storeError } from "./errors.js";

/** In short ticks: a page that sleeps loses one of them. */
const ticks = 6;
const tickMs = 10_000;
/** So long what is on its way is waited for when somebody has asked to stop. */
const stoppedMs = 2_000;

export class Limits {
  /** What gives each up that is waited for. */
  readonly #waiting = new Set<() => void>();
  readonly #failure: () => Error;

  /** What is thrown where nothing answers. */
  constructor(failure: () => Error = silent) {
    this.#failure = failure;
  }

  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let left = ticks;
      let timer: ReturnType<typeof setInterval> | undefined;
      const giveUp = () => {
        over();
        reject(this.#failure());
      };
      const over = () => {
        clearInterval(timer);
        this.#waiting.delete(giveUp);
      };
      this.#waiting.add(giveUp);
      work.then(resolve, reject).then(over);
      // A timer costs more than a write to memory, which is over by then.
      void inAMoment().then(() => {
        if (this.#waiting.has(giveUp)) timer = setInterval(() => --left === 0 && giveUp(), tickMs);
      });
    });
  }

  /** Somebody waits for an end. */
  hurry(): void {
    for (const giveUp of this.#waiting) setTimeout(() => this.#waiting.has(giveUp) && giveUp(), stoppedMs);
  }
}

/** After some microtasks. */
async function inAMoment(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await undefined;
}

/** Wraps a store or a session list, so that every call settles. `at` returns the object that is called. */
export function limited<T extends object = StoreAdapter>(store: T, limits = new Limits(), at = (): T => store): T {
  // Over an object of its own: what is frozen may not be given otherwise.
  return new Proxy(Object.create(check("`store`", store, "object")) as T, {
    get(_, name) {
      const now = at();
      const value: unknown = Reflect.get(now, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const answer: unknown = value.apply(now, args);
        return isPromise(answer) ? limits.within(Promise.resolve(answer)) : answer;
      };
    },
  });
}

export function silent() {
  return storeError("unavailable", "The store does not respond; try again, or reload the page.");
}
