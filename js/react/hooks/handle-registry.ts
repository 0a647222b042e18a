// Maps a handle to its engine, so that a component that draws one part subscribes only to that part.
import { useSyncExternalStore } from "react";
import type { GloveSnapshot } from "../../src/snapshot/snapshot.js";
import type { GloveHandle } from "../render/types.js";
import type { Engine } from "./engine.js";

const engines = new WeakMap<GloveHandle, Engine>();

/** Remembers whose handle this is. A copy of the handle, which may have been changed, is nobody's. */
export function registerHandle(handle: GloveHandle, engine: Engine): void {
  engines.set(handle, engine);
}

export const engineOfHandle = (handle: GloveHandle): Engine | undefined => engines.get(handle);

/** What may be followed: the parts that a handle and a snapshot share. */
export type Parts = Pick<GloveSnapshot, "timeline" | "streamingText" | "busy" | "slots"> &
  Partial<Pick<GloveSnapshot, "error" | "queue" | "run" | "streamingReasoning" | "streamingCalls" | "tab" | "sessionReady">>;

/** One part of what a handle shows (of one that is made by hand: what it has), kept up to date without its owner. What `select` gives must be the same until it changes. */
export function useHandlePart<T>(handle: GloveHandle, select: (parts: Parts) => T): T {
  const engine = engineOfHandle(handle);
  return useSyncExternalStore(
    engine?.subscribe ?? never,
    () => select(engine?.getSnapshot() ?? (handle as Parts)),
    () => select(engine?.getServerSnapshot() ?? (handle as Parts)),
  );
}

const never = () => () => {};
