// Who is told that something changed.

export class Listeners {
  readonly #all = new Set<() => void>();

  /** Gives its undo. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  };

  changed(): void {
    for (const listener of [...this.#all]) listener();
  }
}
