// One session after another as one thing to follow, and what is asked of it before the first is there.

import type { GloveSession } from "../../src/session/session.js";
import type { GloveSnapshot } from "../../src/snapshot/snapshot.js";
import { emptySnapshot } from "../../src/snapshot/state.js";
import { Listeners } from "./listeners.js";

/** What can be followed with `useSyncExternalStore`. */
export interface SnapshotSource {
  subscribe(listener: () => void): () => void;
  getSnapshot(): GloveSnapshot;
  getServerSnapshot(): GloveSnapshot;
}

interface Waiting {
  run(session: GloveSession): void;
  refuse(error: Error): void;
  readonly isMessage: boolean;
}

/**
 * Listeners hear of the session that is current, and of no other. What needs a session waits for it, in the order in which it
 * was asked for.
 */
export class Conversation extends Listeners implements SnapshotSource {
  #session: GloveSession | undefined;
  #unsubscribe: (() => void) | undefined;
  #waiting: Waiting[] = [];
  #empty: GloveSnapshot;
  readonly #first: GloveSnapshot;

  constructor(sessionId: string) {
    super();
    this.#first = emptySnapshot(sessionId, "memory");
    this.#empty = this.#first;
  }

  get session(): GloveSession | undefined {
    return this.#session;
  }

  readonly getSnapshot = (): GloveSnapshot => this.#session?.getSnapshot() ?? this.#empty;

  /** What a server shows, and a page until it has taken over. */
  readonly getServerSnapshot = (): GloveSnapshot => this.#first;

  /** Takes the place of the session before. */
  follow(session: GloveSession): void {
    this.#unsubscribe?.();
    this.#session = session;
    this.#unsubscribe = session.subscribe(() => this.changed());
    for (const { run } of this.#waiting.splice(0)) run(session);
    this.changed();
  }

  /** Listens no more; the session stays the one that is asked. */
  pause(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** There is no session until the next one is followed. */
  leave(sessionId: string): void {
    this.pause();
    this.#session = undefined;
    this.#empty = emptySnapshot(sessionId, "memory");
    this.changed();
  }

  /** No session could be had. */
  fail(error: Error): void {
    // Who draws no errors reads it here, once.
    if (this.#empty.error?.message !== error.message) console.error(error);
    this.leave(this.#empty.sessionId);
    this.refuse(error);
    this.#show({ status: "error", busy: false, error });
  }

  /** Does something with the session: now, or as soon as there is one. */
  with<T>(act: (session: GloveSession) => T | Promise<T>, isMessage = false): Promise<T> {
    const { promise, resolve, reject } = deferred<T>();
    const run = (session: GloveSession) => {
      try {
        resolve(act(session));
      } catch (error) {
        reject(error);
      }
    };
    if (this.#session) {
      run(this.#session);
    } else {
      this.#waiting.push({ run, refuse: reject, isMessage });
      if (isMessage) this.#show({ status: "submitted", busy: true, error: undefined });
    }
    return promise;
  }

  /** Forgets what waits for a session. */
  refuse(error: Error): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
    this.#show({ status: "ready", busy: false });
  }

  clearError(): void {
    this.#show({ status: this.#empty.busy ? "submitted" : "ready", error: undefined });
  }

  #show(changes: Partial<GloveSnapshot>): void {
    this.#empty = { ...this.#empty, ...changes };
    if (!this.#session) this.changed();
  }
}

function deferred<T>() {
  let resolve: (value: T | Promise<T>) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}
