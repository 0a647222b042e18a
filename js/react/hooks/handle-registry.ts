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
  Pick<GloveHandle, "warning"> &
  Partial<
    Pick<
      GloveSnapshot,
      | "error"
      | "waiting"
      | "status"
      | "queue"
      | "run"
      | "streamingReasoning"
      | "streamingCalls"
      | "tab"
      | "sessionReady"
      | "sessionId"
      | "stats"
      | "undoable"
    >
  >;

/** Subscribes to one part of a handle (of a hand-made handle: reads it). `select` must return the same object while nothing changed. */
export function useHandlePart<T>(handle: GloveHandle, select: (parts: Parts) => T): T {
  return usePartOf(handle, select) as T;
}

/** The same where there may be no handle, and so nothing to follow. */
export function usePartOf<T>(handle: GloveHandle | undefined, select: (parts: Parts) => T): T | undefined {
  const engine = handle && engineOfHandle(handle);
  const read = (snapshot: GloveSnapshot | undefined) => handle && select(snapshot ?? (handle as Parts));
  return useSyncExternalStore(
    engine?.subscribe ?? never,
    () => read(engine?.getSnapshot()),
    () => read(engine?.getServerSnapshot()),
  );
}

const never = () => () => {};
