// A set of change listeners.

export class Listeners {
  readonly #all = new Set<() => void>();

  /** Returns a function that removes the subscriber. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  };

  changed(): void {
    for (const listener of [...this.#all]) listener();
  }
}
