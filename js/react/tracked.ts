// The handle of `useGlove()`: it notes which parts are read, and its component renders again only when one of those changed.
import { useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Engine } from "./engine.js";
import { remember } from "./live.js";
import type { GloveState, UseGloveReturn } from "./state.js";

export function useTracked(engine: Engine): UseGloveReturn {
  const [used] = useState(() => new Set<keyof GloveState>());
  const last = useRef<GloveState | undefined>(undefined);
  const read = (state: GloveState): GloveState => {
    const before = last.current;
    if (before && [...used].every((part) => Object.is(before[part], state[part]))) return before;
    last.current = state;
    return state;
  };
  const state = useSyncExternalStore(
    engine.subscribe,
    () => read(engine.getState()),
    () => read(engine.getServerState()),
  );
  return useMemo(() => handle(engine, state, used), [engine, state, used]);
}

function handle(engine: Engine, state: GloveState, used: Set<keyof GloveState>): UseGloveReturn {
  // What was in use when this handle was made is as of then. The rest may have changed meanwhile, and is read when it is read.
  const held = new Set(used);
  const late: Partial<Record<keyof GloveState, unknown>> = {};
  const made = {};
  for (const part of Object.keys(state) as (keyof GloveState)[]) {
    const get = () => {
      if (held.has(part)) return state[part];
      used.add(part);
      if (!(part in late)) late[part] = engine.getState()[part];
      return late[part];
    };
    Object.defineProperty(made, part, { get, enumerable: true, configurable: true });
  }
  remember(made as UseGloveReturn, engine);
  return made as UseGloveReturn;
}
