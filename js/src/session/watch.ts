// Follows the session of a request until something of it is so.

import type { GloveSession } from "./session.js";

/** One wait at a time. */
export class Watch {
  readonly #session: GloveSession;
  readonly #isOver: () => boolean;

  /** `isOver`: nothing is waited for any more. */
  constructor(session: GloveSession, isOver: () => boolean) {
    this.#session = session;
    this.#isOver = isOver;
  }

  /** Looks again: what the session does not tell by itself has changed. */
  look: () => void = () => {};

  /** Until it fits, the session is closed, nothing is waited for any more, or so long. */
  until(fits: () => boolean, ms?: number): Promise<void> {
    return new Promise((resolve) => {
      let undo = () => {};
      const end = () => {
        clearTimeout(timer);
        undo();
        resolve();
      };
      const look = () => {
        if (this.#isOver() || this.#session.disposed || fits()) end();
      };
      const timer = ms === undefined ? undefined : setTimeout(end, ms);
      undo = this.#session.subscribe(look);
      this.look = look;
      look();
    });
  }
}
