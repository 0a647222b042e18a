// The handle of `useGlove()`: it notes which parts are read, and its component renders again only when one of those changed.
import { useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Engine } from "./engine.js";
import type { GloveState, UseGloveReturn } from "./glove-types.js";
import { registerHandle } from "./handle-registry.js";

/** What a component was given: the state of its render, and what it read of a later one. */
interface ReadState {
  readonly state: GloveState;
  readonly late: Partial<GloveState>;
}

export function useTrackedState(engine: Engine): UseGloveReturn {
  const [used] = useState(() => new Set<keyof GloveState>());
  const last = useRef<ReadState | undefined>(undefined);
  const read = (state: GloveState): ReadState => {
    const before = last.current;
    if (before && [...used].every((part) => Object.is((part in before.late ? before.late : before.state)[part], state[part])))
      return before;
    last.current = { state, late: {} };
    return last.current;
  };
  const current = useSyncExternalStore(
    engine.subscribe,
    () => read(engine.getState()),
    () => read(engine.getServerState()),
  );
  return useMemo(() => handle(engine, current, used), [engine, current, used]);
}

function handle(engine: Engine, { state, late }: ReadState, used: Set<keyof GloveState>): UseGloveReturn {
  // What was in use when this handle was made is as of then. The rest may have changed meanwhile, and is read when it is read.
  const held = new Set(used);
  const made = {};
  for (const part of Object.keys(state) as (keyof GloveState)[]) {
    const get = () => {
      if (held.has(part)) return state[part];
      used.add(part);
      if (!(part in late)) Object.assign(late, { [part]: engine.getState()[part] });
      return late[part];
    };
    Object.defineProperty(made, part, { get, enumerable: true, configurable: true });
  }
  registerHandle(made as UseGloveReturn, engine);
  return made as UseGloveReturn;
}
