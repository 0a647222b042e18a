// Keeps what a session shows, and tells listeners of it when `pace.ts` says so.

import type { PageChanges, PageEvent, SnapshotEvent } from "./events.js";
import { afterFrame, canWait, isLong, isPiece } from "./pace.js";
import { isServed, pageReducers, type Reduce, reduceBy } from "./page-events.js";
import type { GloveSnapshot, RunPhase } from "./snapshot.js";
import { emptyState, type SessionState, type SlotContext, snapshotOf } from "./state.js";

/** So long a message may be on its way without being shown anywhere. */
export const slowMs = 300;

type Piece = Extract<SnapshotEvent, { kind: "piece" }>;

export class SnapshotStore {
  /** Nothing of the session. */
  readonly empty: GloveSnapshot;
  #state: SessionState;
  #snapshot: GloveSnapshot;
  /** What the snapshot was made of. */
  #read: SessionState;
  /** What listeners were told of last. */
  #notified: GloveSnapshot;
  /** Pieces of an answer that came behind `#state`, joined: to take each in alone would cost more than what it brings. */
  #piece: { -readonly [key in keyof Piece]: Piece[key] } | undefined;
  /** Of the timeline and of arguments that are being written: what is in no snapshot yet. */
  #unseen = new WeakSet<object>();
  /** Once the session is on its way. */
  #context: SlotContext | undefined;
  #reduced: Reduce = reduceBy(pageReducers);
  readonly #listeners = new Set<() => void>();
  readonly #report: (error: unknown) => void;
  /** Listeners that were reported. */
  readonly #faulty = new WeakSet<() => void>();
  /** Listeners have heard in this frame, or in this second; what is `due` they hear at its end. */
  #frame: (() => void) | undefined;
  #due = false;
  #long = false;

  constructor(sessionId: string, storage: GloveSnapshot["storage"], failed: (error: unknown) => void) {
    this.#report = failed;
    this.#state = emptyState(sessionId, storage);
    this.#read = this.#state;
    this.empty = snapshotOf(this.#state);
    this.#snapshot = this.empty;
    this.#notified = this.empty;
  }

  /** What a core tells is understood from now on. */
  setReducer(reduce: Reduce, context: SlotContext): void {
    this.#reduced = reduce;
    this.#context = context;
  }

  get snapshot(): GloveSnapshot {
    this.#settle();
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

  /** How far calls are. */
  get progress(): SessionState["progress"] {
    return this.#state.progress;
  }

  /** What is shown ahead of the core. */
  get early(): SessionState["early"] {
    return this.#state.early;
  }

  get request(): string | null {
    return this.#state.core.request;
  }

  /** The core answers this request, or has it in its queue. */
  serves(id: string): boolean {
    return isServed(this.#state, id);
  }

  /** The core has not told of this request yet. */
  isOnItsWay(id: string): boolean {
    return this.#state.sent.some((message) => message.id === id);
  }

  /** Without making a snapshot of all else. */
  get error(): Error | undefined {
    return this.#state.base.error;
  }

  subscribe(listener: () => void): () => void {
    // Whoever listens has seen what was before.
    if (this.#listeners.size === 0) this.#notified = this.snapshot;
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
    // The message itself, which the core tells a moment later, is drawn in the same frame.
    if (event.kind === "sent" && !this.#due) this.#cancelFrame();
  }

  /** Takes in one of several events: pieces of an answer are told with the next frame, the others by `publish`. */
  apply(event: SnapshotEvent): void {
    const { kind } = event;
    if (kind === "piece" && event.of === this.#piece?.of && event.call === this.#piece.call) {
      this.#piece.text += event.text;
      return;
    }
    this.#settle();
    if (kind === "piece") this.#piece = { ...event };
    else this.#reduce(event);
    if (isPiece(event)) this.#drawSoon();
    // A store that takes its time has not taken the message either.
    if (event.kind === "delivered") setTimeout(() => this.dispatch({ kind: "slow", id: event.id }), slowMs);
  }

  #reduce(event: SnapshotEvent): void {
    this.#state = this.#reduced(this.#state, event, this.#context, this.#unseen);
  }

  #settle(): void {
    const piece = this.#piece;
    this.#piece = undefined;
    if (piece) this.#reduce(piece);
  }

  /** Tells listeners of what has changed. */
  publish(): void {
    this.#settle();
    if (this.#long) this.#cancelFrame();
    if (canWait(this.#state, this.#frame)) this.#drawSoon();
    else this.#tell();
  }

  #drawSoon(): void {
    this.#due = true;
    this.#beginFrame();
  }

  #beginFrame(): void {
    if (this.#frame) return;
    this.#long = isLong(this.#state);
    this.#frame = afterFrame(this.#long, () => {
      this.#cancelFrame();
      if (this.#due) this.#tell();
    });
  }

  #cancelFrame(): void {
    this.#frame?.();
    this.#frame = undefined;
    this.#long = false;
  }

  #tell(): void {
    this.#due = false;
    if (this.#listeners.size === 0) return;
    const { snapshot } = this;
    if (snapshot === this.#notified) return;
    this.#notified = snapshot;
    this.#beginFrame();
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
    this.#cancelFrame();
    this.#listeners.clear();
  }
}
