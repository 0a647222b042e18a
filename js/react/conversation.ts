"use client";
// What a hook follows: one session after another, and what is asked of it before the first is there.
import type { GloveSnapshot } from "../src/snapshot.js";
import type { Followed } from "./live.js";

/** A session as it is used here. */
export interface Session {
  readonly sessionId: string;
  subscribe(listener: () => void): () => void;
  getSnapshot(): GloveSnapshot;
}

/** A session that is in use, until it is given back. */
export interface Lease<S> {
  readonly session: S;
  release(): void;
}

interface Waiting<S> {
  run(session: S): void;
  refuse(error: Error): void;
  readonly message: boolean;
}

/**
 * Listeners hear of the session that is current, and of no other. What needs a session waits for it in the order in which
 * it was asked for.
 */
export class Conversation<S extends Session> implements Followed {
  #lease: Lease<S> | undefined;
  #unsubscribe: (() => void) | undefined;
  #waiting: Waiting<S>[] = [];
  #empty: GloveSnapshot;
  readonly #first: GloveSnapshot;
  readonly #listeners = new Set<() => void>();

  constructor(sessionId: string) {
    this.#first = emptySnapshot(sessionId);
    this.#empty = this.#first;
  }

  get session(): S | undefined {
    return this.#lease?.session;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): GloveSnapshot => this.#lease?.session.getSnapshot() ?? this.#empty;

  /** What a server shows, and a page until it has taken over. */
  readonly getServerSnapshot = (): GloveSnapshot => this.#first;

  /** Takes the place of the session before. */
  follow(lease: Lease<S>): void {
    const before = this.#leave();
    this.#lease = lease;
    this.#unsubscribe = lease.session.subscribe(() => this.#tell());
    // Given back only now, so that the same session is not let go in between.
    before?.release();
    for (const { run } of this.#waiting.splice(0)) run(lease.session);
    this.#tell();
  }

  /** There is no session until the next one is followed; what is asked for meanwhile waits. */
  leave(sessionId: string): void {
    const before = this.#leave();
    this.#empty = emptySnapshot(sessionId);
    before?.release();
    this.#tell();
  }

  /** No session could be had. */
  fail(error: Error): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
    this.#empty = { ...emptySnapshot(this.#empty.sessionId), status: "error", error };
    this.#tell();
  }

  /** Does something with the session: now, or as soon as there is one. */
  async with<T>(act: (session: S) => T, kind: "message" | "action" = "action"): Promise<Awaited<T>> {
    if (this.#lease) return await act(this.#lease.session);
    return new Promise<T>((resolve, reject) => {
      const run = (session: S) => {
        try {
          resolve(act(session));
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ run, refuse: reject, message: kind === "message" });
      this.#await();
    }) as Promise<Awaited<T>>;
  }

  /** Forgets what waits for a session. */
  drop(error: Error): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
    this.#await();
  }

  #await(): void {
    const busy = this.#waiting.some(({ message }) => message);
    if (busy === this.#empty.busy && !this.#empty.error) return;
    this.#empty = { ...this.#empty, busy, status: busy ? "submitted" : "ready", error: undefined };
    this.#tell();
  }

  #leave(): Lease<S> | undefined {
    const lease = this.#lease;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#lease = undefined;
    return lease;
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function emptySnapshot(sessionId: string): GloveSnapshot {
  return {
    sessionId,
    sessionReady: false,
    status: "ready",
    busy: false,
    run: { phase: "idle" },
    timeline: [],
    streamingText: "",
    slots: [],
    approvals: [],
    queue: [],
    tasks: [],
    inbox: [],
    stats: { turns: 0, tokens_in: 0, tokens_out: 0 },
    isCompacting: false,
    error: undefined,
    storage: "memory",
  };
}
