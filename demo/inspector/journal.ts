// What is written to the database, step by step: the store of the page, with a note of each write.
import { type Durability, IndexedDBStore, type StoredStep } from "glove-wasm";
import { useSyncExternalStore } from "react";

export interface Written {
  readonly step: StoredStep;
  readonly bytes: number;
  readonly durability: Durability;
  readonly ms: number;
}

const none: readonly Written[] = [];
const kept = 200;
let written: ReadonlyMap<string, readonly Written[]> = new Map();
const listeners = new Set<() => void>();

export class JournaledStore extends IndexedDBStore {
  override async appendStepText(text: string, durability: Durability): Promise<void> {
    const since = performance.now();
    await super.appendStepText(text, durability);
    const one = { step: JSON.parse(text) as StoredStep, bytes: text.length, durability, ms: performance.now() - since };
    written = new Map(written).set(this.identifier, [...(written.get(this.identifier) ?? none).slice(1 - kept), one]);
    for (const listener of listeners) listener();
  }
}

/** What this tab has written to a session. */
export function useWritten(sessionId: string): readonly Written[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => written.get(sessionId) ?? none,
  );
}
