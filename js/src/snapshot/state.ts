// All that a page knows of a session, as one immutable value, and the snapshot that is shown of it.

import type { CoreEvent } from "../wire/core-types.js";
import type { Usage } from "../wire/record.js";
import { isBusy } from "./busy.js";
import type { CallProgress, GloveSnapshot, QueuedMessage, ShownSlot, SlotDisplayStrategy, StreamingCall } from "./snapshot.js";

type CoreState = Extract<CoreEvent, { kind: "state" }>;

export type PieceKind = "text" | "reasoning";

/** What a model writes for one call. */
export interface Answer {
  /** The call of a model of the page; nothing where the core tells of the answer, and of its end. */
  readonly call: number | undefined;
  readonly text: string;
  /** Nothing of the text can be seen. */
  readonly isBlank: boolean;
  readonly reasoning: string;
  /** It will be no answer. */
  readonly over: boolean;
}

/** The answer that is being written, as far as it has come. */
export type Written = Pick<Answer, "text" | "reasoning">;

/** A message, or what begins a prompt that no person sees. */
export interface MaybeHidden extends QueuedMessage {
  readonly hidden?: boolean | undefined;
}

/** A message that the core has not seen yet. One that waits cannot be given to it yet, or is on its way for long. */
export interface SentMessage extends MaybeHidden {
  readonly waits: boolean;
  /** It would be gone with its page. It is not shown before it is safe. */
  readonly unsafe?: boolean;
  /** Why it is not safe, though it is shown. */
  readonly unkept?: Error | undefined;
}

type Derived = "status" | "busy" | "streamingText" | "streamingReasoning" | "streamingCalls";

/** A message that was sent to the model before the core was there, and its answer as far as it has come. */
export interface EarlyAnswer {
  readonly id: string;
  readonly timeline: GloveSnapshot["timeline"];
  readonly text: string;
  /** A person has stopped it. */
  readonly stopped?: boolean;
}

export interface SessionState {
  /** The parts of the snapshot that stand in it as they are here. */
  readonly base: Omit<GloveSnapshot, Derived>;
  /** The core's own state. */
  readonly core: Pick<CoreState, "phase" | "request" | "hidden" | "questions"> & { readonly queue: readonly MaybeHidden[] };
  /** The answers that are no entries yet, the oldest first, which is the one that is shown. */
  readonly answers: readonly Answer[];
  /** The calls that are being written. */
  readonly calls: readonly StreamingCall[];
  /** How far the calls are that say so, by their ids. */
  readonly progress: Readonly<Record<string, CallProgress>>;
  /** Both were written elsewhere, and give way to the next piece. */
  readonly stale: boolean;
  /** The first piece of the answer is there. */
  readonly answering: boolean;
  readonly sent: readonly SentMessage[];
  /** Not given to the core, as the session could not be opened; offered again when it can be. */
  readonly undelivered: readonly MaybeHidden[];
  /** The error of a request, which gives way when a later one goes well. */
  readonly failure: Error | undefined;
  /** Shown until the core has told as much. */
  readonly early?: EarlyAnswer | undefined;
  /** Media types that the model does not read. */
  readonly unread: ReadonlySet<string>;
  /** The same of models before it. */
  readonly unreadBy: ReadonlyMap<object, ReadonlySet<string>>;
}

/** What the core does not know of a slot or a call. */
export interface SlotContext {
  strategy(renderer: string): SlotDisplayStrategy;
  title(tool: string, input: unknown): string | undefined;
  description(tool: string): string | undefined;
  /** How a question about a call looks. */
  asks(
    tool: string,
    input: unknown,
  ): {
    readonly confirm?: string;
    /** What its button is named by. */
    readonly act?: string;
    readonly danger?: true;
    /** Nothing here can run it. */
    readonly away?: true;
    /** This page knows no such tool, but a plugin may add it, or it runs elsewhere. */
    readonly unknown?: true;
  };
  /** The value that was shown, where JSON could not hold all of it. */
  live(id: string): { readonly input?: unknown } | undefined;
}

const none: readonly StreamingCall[] = [];

export const noUsage: Usage = { tokens_in: 0, tokens_out: 0 };

/** A session before anything is known of it. */
export function emptyState(sessionId: string, storage: GloveSnapshot["storage"]): SessionState {
  return {
    base: {
      sessionId,
      sessionReady: false,
      run: { phase: "idle" },
      timeline: [],
      slots: [],
      approvals: [],
      queue: [],
      undoable: [],
      tasks: [],
      inbox: [],
      stats: { ...noUsage, turns: 0, contextTokens: 0, contextLimit: 0 },
      isCompacting: false,
      waiting: undefined,
      error: undefined,
      storage,
      warning: undefined,
      tab: "leader",
    },
    core: { phase: "idle", request: null, queue: [], questions: [] },
    answers: [],
    calls: [],
    progress: {},
    stale: false,
    answering: false,
    sent: [],
    undelivered: [],
    failure: undefined,
    unread: new Set(),
    unreadBy: new Map(),
  };
}

export const emptySnapshot = (sessionId: string, storage: GloveSnapshot["storage"]) => snapshotOf(emptyState(sessionId, storage));

/** What is shown: the snapshot from before, where nothing is different. */
export function snapshotOf(state: SessionState, before?: GloveSnapshot): GloveSnapshot {
  const { base, core, answers, calls, sent, early } = state;
  // What waits behind one that was stopped is on its way.
  const busy = isBusy(state) && !(early?.stopped && core.queue.length === 0 && sent.every(({ id }) => id === early.id));
  const answering = state.answering || !!early?.text || core.phase === "tools" || core.phase === "waiting";
  // What is written for a prompt that no person sees is not shown.
  const hidden = core.hidden === true;
  const [answer] = hidden ? [] : answers;
  const text = answer?.isBlank === false ? answer.text : "";
  // What was stopped is an entry as soon as there are any.
  const ahead = early?.stopped && base.timeline.length > 0 ? "" : (early?.text ?? "");
  const now: GloveSnapshot = {
    ...base,
    timeline: early && base.timeline.length === 0 ? early.timeline : base.timeline,
    // It is said as long as it is so.
    error: base.error ?? sent.find(({ unkept }) => unkept)?.unkept,
    busy,
    status: busy && !hidden ? (answering ? "streaming" : "submitted") : base.error ? "error" : "ready",
    // Blank lines before a call are no entry of the timeline either.
    streamingText: ahead.startsWith(text) && /\S/.test(ahead) ? ahead : text,
    streamingReasoning: answer?.reasoning ?? "",
    streamingCalls: hidden ? none : calls,
  };
  return before ? unlessSame(before, now) : now;
}

export function withBase(state: SessionState, changes: Partial<SessionState["base"]>): SessionState {
  return { ...state, base: { ...state.base, ...changes } };
}

/** What was shown ahead of the core gives way to what the core shows, unless that is of something else. */
export const withoutEarly = (state: SessionState): SessionState => (state.early ? { ...state, early: undefined } : state);

/** The value from before, when the one of now has the same parts. */
export function unlessSame<T extends object>(before: T, now: T): T {
  const keys = Object.keys(now) as (keyof T)[];
  const same = keys.length === Object.keys(before).length && keys.every((key) => before[key] === now[key]);
  return same ? before : now;
}

/** The newest of each kind. One tool may push several kinds of slots, and a question of the run itself is none of its kinds. */
export function newestSlots(slots: readonly ShownSlot[]): ReadonlySet<ShownSlot> {
  return new Set(new Map(slots.map((slot) => [`${slot.toolName}\n${slot.renderer}`, slot])).values());
}
