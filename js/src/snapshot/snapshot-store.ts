// Keeps what a session shows, and tells listeners of it: once a frame while a run goes on, of its end at once.

import { nextFrame } from "../timing/next-frame.js";
import { type PageChanges, type PageEvent, reduce, type SnapshotEvent } from "./reducer.js";
import type { GloveSnapshot, RunPhase } from "./snapshot.js";
import { emptyState, isBusy, type SessionState, type SlotContext, snapshotOf } from "./state.js";

/** So long a message may be on its way without being shown anywhere. */
const slowMs = 300;

/** Reading a text that has grown copies it whole: from this length on it is shown once a second, in place of each frame. */
const longAnswer = 2 ** 20;

export class SnapshotStore {
  #state: SessionState;
  #snapshot: GloveSnapshot;
  /** What the snapshot was made of. */
  #read: SessionState;
  /** What listeners were told of last. */
  #told: GloveSnapshot;
  /** Of arguments that are being written: what is in no snapshot yet. */
  #unseen = new WeakSet<object>();
  readonly #context: SlotContext;
  readonly #listeners = new Set<() => void>();
  readonly #report: (error: unknown) => void;
  /** Listeners that were reported. */
  readonly #faulty = new WeakSet<() => void>();
  /** Listeners have heard in this frame; what changes in it is told at its end. */
  readonly #frame = new Pending(nextFrame);
  #due = false;
  readonly #second = new Pending((work) => later(work, 1_000));
  /** The end of a run that has failed or paused is waited for. */
  readonly #end = new Pending(nextFrame);

  constructor(sessionId: string, storage: GloveSnapshot["storage"], context: SlotContext, failed: (error: unknown) => void) {
    this.#context = context;
    this.#report = failed;
    this.#state = emptyState(sessionId, storage);
    this.#read = this.#state;
    this.#snapshot = snapshotOf(this.#state);
    this.#told = this.#snapshot;
  }

  get snapshot(): GloveSnapshot {
    if (this.#read !== this.#state) {
      this.#read = this.#state;
      this.#snapshot = snapshotOf(this.#state, this.#snapshot);
      this.#unseen = new WeakSet();
    }
    return this.#snapshot;
  }

  get phase(): RunPhase {
    return this.#state.core.phase;
  }

  get request(): string | null {
    return this.#state.core.request;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  set(changes: PageChanges): void {
    this.dispatch({ kind: "page", changes });
  }

  /** Takes in what happens in the page, and tells of it. */
  dispatch(event: PageEvent): void {
    this.apply(event);
    this.publish();
  }

  /** Takes in one of several events: pieces of an answer are told with the next frame, the others by `publish`. */
  apply(event: SnapshotEvent): void {
    this.#state = reduce(this.#state, event, this.#context, this.#unseen);
    if (isPiece(event)) this.#drawSoon();
    // A store that takes its time has not taken the message either.
    if (event.kind === "given") setTimeout(() => this.dispatch({ kind: "slow", id: event.id }), slowMs);
  }

  /** Tells listeners of what has changed. */
  publish(): void {
    // Another tab may tell the end late, or never.
    if (this.#state.ending) this.#end.begin(() => this.dispatch({ kind: "unsettled" }));
    else if (this.#frame.pending && isBusy(this.#state)) this.#due = true;
    else this.#tell();
  }

  #drawSoon(): void {
    const { text = "", reasoning = "" } = this.#state.answers[0] ?? {};
    if (text.length + reasoning.length >= longAnswer) {
      this.#second.begin(() => this.#tell());
    } else {
      this.#due = true;
      this.#frame.begin(this.#draw);
    }
  }

  readonly #draw = (): void => {
    if (this.#due) this.publish();
  };

  #tell(): void {
    this.#second.cancel();
    this.#due = false;
    const { snapshot } = this;
    if (snapshot === this.#told) return;
    this.#told = snapshot;
    this.#frame.begin(this.#draw);
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        if (!this.#faulty.has(listener)) this.#report(error);
        this.#faulty.add(listener);
      }
    }
  }

  /** No frame is drawn any more. */
  dispose(): void {
    for (const pending of [this.#frame, this.#second, this.#end]) pending.cancel();
    this.#listeners.clear();
  }
}

/** Something to be done soon, once. */
class Pending {
  #cancel: (() => void) | undefined;
  readonly #soon: (work: () => void) => () => void;

  constructor(soon: (work: () => void) => () => void) {
    this.#soon = soon;
  }

  get pending(): boolean {
    return this.#cancel !== undefined;
  }

  begin(work: () => void): void {
    this.#cancel ??= this.#soon(() => {
      this.#cancel = undefined;
      work();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

function later(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** A piece of an answer: there are many of them in a frame. */
export function isPiece(event: SnapshotEvent): boolean {
  return event.kind === "piece" || event.kind === "input" || (event.kind === "event" && /_delta$/.test(event.type));
}
