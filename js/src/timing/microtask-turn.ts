// Whether a tool has waited for anything else since it was last told something.

/** A tool that computes longer than this without waiting is taken for one that has waited: the safe side. */
const longest = 500;

/**
 * A turn of a tool: it lasts while the tool goes on with what it was told, in the same task. Microtasks alone measure it: all
 * of them run before the next event, timer or answer from the network, so no later task can be taken for this one.
 */
export class Turn {
  #number = 0;
  #goesOn = false;

  get goesOn(): boolean {
    return this.#goesOn;
  }

  /** The tool is told something now: its arguments, an answer, what came of a step. `0` ends its turn: it is done. */
  begin(hops = longest): void {
    void this.#last(++this.#number, hops);
  }

  /** `await` is a microtask in every runtime, whatever stands in the place of `Promise`; `queueMicrotask` of Node costs twice as much. */
  async #last(number: number, hops: number): Promise<void> {
    this.#goesOn = true;
    for (let left = hops; left > 0 && number === this.#number; left--) await undefined;
    if (number === this.#number) this.#goesOn = false;
  }
}
