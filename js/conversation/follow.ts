// The parts of a state as a framework follows them one by one, by whatever it calls a signal.

/** What is followed: a conversation, or a list of threads. */
export interface Source {
  readonly actions: object;
  readonly subscribe: (listener: () => void) => () => void;
  /** The same object while nothing changed. */
  getState(): object;
}

/** One part, as a framework has it: what a component is given for it, and how that hears of a change. */
export interface Part {
  get(): unknown;
  changed(): void;
}

export interface Followed {
  /** The parts and the actions. */
  readonly shown: object;
  /** Tells the parts that are read of what is new. */
  look(): void;
  /** Follows the source. Gives its undo. */
  listen(): () => void;
}

/** A part that nobody reads is never looked at. */
export function follow(source: Source, partOf: (read: () => unknown) => Part): Followed {
  const parts = new Map<string, { readonly part: Part; last: unknown }>();
  const read = (name: string) => (source.getState() as Record<string, unknown>)[name];
  const shown = { ...source.actions };
  for (const name of Object.keys(source.getState())) {
    if (name in shown) continue;
    const get = () => {
      const known = parts.get(name) ?? { part: partOf(() => read(name)), last: read(name) };
      parts.set(name, known);
      return known.part.get();
    };
    Object.defineProperty(shown, name, { get, enumerable: true });
  }
  const look = () => {
    for (const [name, known] of parts) {
      const now = read(name);
      if (Object.is(known.last, now)) continue;
      known.last = now;
      known.part.changed();
    }
  };
  const listen = () => {
    const undo = source.subscribe(look);
    look();
    return undo;
  };
  return { shown, look, listen };
}
