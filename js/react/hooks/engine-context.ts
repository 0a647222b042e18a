// The conversation that components below belong to, and how they follow a part of it. `<Render>` gives its own.
import { createContext, useRef, useSyncExternalStore } from "react";
import type { GloveState } from "./glove-types.js";

/** What components read of the engine of their conversation. */
export interface ConversationState {
  /** Told what a renderer threw, and whose it is. */
  readonly failed: (error: unknown, name: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
  getState(): GloveState;
  getServerState(): GloveState;
}

export const EngineContext = createContext<ConversationState | null>(null);

/** Reads a part of a conversation; the component renders again only when that part changes. */
export function useSelected<T>(engine: ConversationState, select: (state: GloveState) => T, isEqual: (a: T, b: T) => boolean): T {
  // Only saves work: what it holds never changes what comes out.
  const last = useRef<{ state: GloveState; select: (state: GloveState) => T; value: T } | undefined>(undefined);
  const read = (state: GloveState): T => {
    const before = last.current;
    if (before && before.state === state && before.select === select) return before.value;
    const next = select(state);
    const value = before && isEqual(before.value, next) ? before.value : next;
    last.current = { state, select, value };
    return value;
  };
  return useSyncExternalStore(
    engine.subscribe,
    () => read(engine.getState()),
    () => read(engine.getServerState()),
  );
}
