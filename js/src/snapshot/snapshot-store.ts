// What a session shows, kept as the core tells it and given out as immutable snapshots.

import { nextFrame } from "../timing/next-frame.js";
import type { CoreEvent } from "../wasm/core-api.js";
import type { Usage } from "../wire/record.js";
import type { CoreQuestion, CoreSlot } from "../wire/run-types.js";
import type {
  Approval,
  GloveSnapshot,
  QueuedMessage,
  RunPhase,
  ShownEntry,
  ShownSlot,
  SlotDisplayStrategy,
  StreamingCall,
} from "./snapshot.js";
import { withPatches } from "./streaming-call.js";

type CoreState = Extract<CoreEvent, { kind: "state" }>;
type CoreTimeline = Extract<CoreEvent, { kind: "timeline" }>;

/** What the core does not know of a slot or a call. */
export interface SlotContext {
  strategy(renderer: string): SlotDisplayStrategy;
  title(tool: string, input: unknown): string | undefined;
  /** The value that was shown, where JSON could not hold all of it. */
  live(id: string): { readonly input: unknown } | undefined;
}

type CoreInput = Extract<CoreEvent, { kind: "input" }>;

type Streaming = "streamingText" | "streamingReasoning" | "streamingCalls";
/** The answer that is being written, as far as it has come. */
export interface Written {
  readonly text: string;
  readonly reasoning: string;
}

const none: readonly StreamingCall[] = [];

type Changes = { -readonly [K in Exclude<keyof GloveSnapshot, Streaming>]?: GloveSnapshot[K] };

/** So long a message may be on its way without being shown anywhere. */
const slowMs = 300;

/** Reading a text that has grown copies it whole: from this length on it is shown once a second, in place of each frame. */
const longAnswer = 2 ** 20;

const noUsage: Usage = { tokens_in: 0, tokens_out: 0 };

/** What a model writes for one call. */
export interface Answer {
  text: string;
  reasoning: string;
  /** It will be no answer. */
  over: boolean;
  /** The core tells of it, and of its end; else a model of the page does. */
  readonly told: boolean;
}

export class SnapshotStore {
  #snapshot: GloveSnapshot;
  #changes: Changes = {};
  /** The answers that are no entries yet, the oldest first, which is the one that is shown. */
  #answers: Answer[] = [];
  #writing = none;
  /** Of their inputs: what no snapshot shows yet. */
  #fresh = new WeakSet<object>();
  /** They were written elsewhere, and give way to the next piece. */
  #stale = false;
  #pendingFrame: (() => void) | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #report: (error: unknown) => void;
  /** Listeners that were reported. */
  readonly #faulty = new WeakSet<() => void>();
  readonly #slots: SlotContext;
  readonly #calls = new Map<string, string>();
  readonly #seen = new Map<string, ShownSlot>();
  /** The core's own state. */
  #core: Pick<CoreState, "phase" | "request" | "queue"> = { phase: "idle", request: null, queue: [] };
  /** Sent and not seen by the core yet; those in `waiting` cannot even be given to it yet. */
  #sent = new Map<string, { readonly text: string; waiting: boolean }>();
  /** Not given to the core, as the session could not be opened; offered again when it can be. */
  readonly #kept = new Map<string, string>();
  #answering = false;
  /** What this page has sent, until it is known how it ended. */
  readonly #open = new Set<string>();
  /** A run has failed or paused, and its end is told in a moment: both are shown at once. */
  #ending = false;
  /** What requests have failed with that others followed, by the entry where each ended. */
  readonly #errors = new Map<string, Error>();
  /** The error of a request, which gives way when a later one goes well. */
  #failure: Error | undefined;

  constructor(sessionId: string, storage: GloveSnapshot["storage"], slots: SlotContext, failed: (error: unknown) => void) {
    this.#slots = slots;
    this.#report = failed;
    this.#snapshot = emptySnapshot(sessionId, storage);
  }

  get snapshot(): GloveSnapshot {
    return this.#snapshot;
  }

  get phase(): RunPhase {
    return this.#core.phase;
  }

  get request(): string | null {
    return this.#core.request;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  set(changes: Partial<Pick<GloveSnapshot, "sessionReady" | "storage" | "tasks" | "inbox" | "error" | "tab">>): void {
    Object.assign(this.#changes, changes);
    this.publish();
  }

  nameCall(id: string, tool: string): void {
    this.#calls.set(id, tool);
  }

  /** A piece of the answer, or of this one; drawn with the next frame. */
  appendText(kind: "text" | "reasoning", text: string, answer?: Answer): void {
    this.#goesOn();
    if (!answer && this.#answers.length === 0) this.#answers.push(fresh(true));
    const to = answer ?? this.#answers[0];
    if (to) to[kind] += text;
  }

  /** More of a call's arguments; drawn with the next frame. */
  applyInput({ id, name, patches }: CoreInput): void {
    this.#goesOn();
    const known = this.#writing.find((call) => call.id === id && call.name === name);
    const call = withPatches(known ?? { id, name, input: undefined, at: undefined }, patches, this.#fresh);
    if (known) this.#writing = this.#writing.map((other) => (other === known ? call : other));
    else if (call.input !== undefined) this.#writing = [...this.#writing, call];
  }

  #goesOn(): void {
    if (this.#stale) this.#silent();
    this.#stale = false;
    // What an earlier page had shown of it gives way.
    const timeline = this.#changes.timeline ?? this.#snapshot.timeline;
    if (timeline.at(-1)?.id.endsWith(".partial")) this.#changes.timeline = timeline.slice(0, -1);
    this.#answering = true;
    const { text = "", reasoning = "" } = this.#answers[0] ?? {};
    const soon = text.length + reasoning.length < longAnswer ? nextFrame : inASecond;
    this.#pendingFrame ??= soon(() => this.publish());
  }

  /**
   * Somebody else tells from now on, and tells all of it at once: what is shown stays until it is published again, and the
   * answer that was being written until it is written anew, unless that is known too.
   */
  renew(written?: Written): void {
    this.#changes.timeline = [];
    this.#stale = written === undefined;
    if (written) this.#answers = [{ ...written, over: false, told: true }];
    this.#writing = none;
  }

  /** A model of the page was asked; what it shows comes ahead of what the core tells. */
  beginAnswer(): Answer {
    if (this.#stale) this.#silent();
    this.#stale = false;
    const answer = fresh(false);
    this.#answers.push(answer);
    return answer;
  }

  /** An answer is whole: its text is an entry now. */
  endAnswer(): void {
    this.#answering = true;
    this.#answers.shift();
    this.#writing = none;
  }

  /** A request is over: nothing of the answer that broke off with it is part of the next one. */
  endRequest(): void {
    this.#answers = this.#answers.filter(({ told }) => !told);
    this.#writing = none;
  }

  #silent(): void {
    this.#answers = [];
    this.#writing = none;
  }

  addSent(id: string, text: string, waiting: boolean): void {
    this.#kept.delete(id);
    this.#sent.set(id, { text, waiting });
    this.#open.add(id);
    this.#changes.error = undefined;
    this.publish();
  }

  /** Given to the core. */
  markDelivered(id: string): void {
    const sent = this.#sent.get(id);
    if (!sent) return;
    sent.waiting = false;
    // A store that takes its time has not taken the message either.
    setTimeout(() => {
      sent.waiting = true;
      this.publish();
    }, slowMs);
  }

  keepUnsent(id: string, text: string): void {
    this.#kept.set(id, text);
    this.publish();
  }

  dropUnsent(id: string): void {
    this.#kept.delete(id);
    this.publish();
  }

  settle(id: string, error?: Error): void {
    this.#sent.delete(id);
    this.#open.delete(id);
    this.#ending = false;
    const { request, phase } = this.#core;
    const goesOn = request !== null && request !== id && phase !== "paused" && phase !== "interrupted";
    if (!(error && goesOn && this.#failed(id, error))) {
      if (error) this.#changes.error = error;
      else if (this.#failure && this.#snapshot.error === this.#failure) this.#changes.error = undefined;
      this.#failure = error;
    }
    this.publish();
  }

  /** Another request is answered already: the error stands where this one ended. False when nothing of it is shown. */
  #failed(id: string, error: Error): boolean {
    const timeline = this.#changes.timeline ?? this.#snapshot.timeline;
    const at = timeline.findLastIndex((entry) => isText(entry) && entry.id.startsWith(`${id}.`));
    const entry = timeline[at];
    if (!entry) return false;
    this.#errors.set(entry.id, error);
    this.#changes.timeline = timeline.with(at, this.#withError(entry));
    return true;
  }

  #withError(entry: ShownEntry): ShownEntry {
    if (!isText(entry)) return entry;
    const error = this.#errors.get(entry.id);
    return error ? { ...entry, error } : entry;
  }

  applyTimeline({ len, set }: CoreTimeline): void {
    const entries = (this.#changes.timeline ?? this.#snapshot.timeline).slice(0, len) as ShownEntry[];
    for (const [at, given] of set) {
      const entry = given as ShownEntry;
      if (entry.kind === "tool") this.#calls.set(entry.id, entry.name);
      const title = entry.kind === "tool" ? this.#slots.title(entry.name, entry.input) : undefined;
      entries[at] = title === undefined ? this.#withError(entry) : ({ ...entry, title } as ShownEntry);
    }
    this.#changes.timeline = entries;
    if (this.#stale && entries.at(-1)?.id.endsWith(".partial")) this.#silent();
  }

  applySlots(slots: readonly CoreSlot[]): void {
    const ids = new Set(slots.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
    const shown = slots.map((slot) => this.#slot(slot));
    const newest = new Map(shown.map((slot) => [slotKind(slot), slot]));
    this.#changes.slots = shown.map((slot) => {
      if (slot.displayStrategy !== "hide-on-new" || slot.replaced || newest.get(slotKind(slot)) === slot) return slot;
      // Also when the newer one is gone.
      const replaced = { ...slot, replaced: true };
      this.#seen.set(slot.id, replaced);
      return replaced;
    });
  }

  /** Until it is settled. */
  showRefusal(id: string, error: string): void {
    const known = this.#seen.get(id);
    if (known) this.#seen.set(id, { ...known, error });
    const shown = this.#changes.slots ?? this.#snapshot.slots;
    this.#changes.slots = shown.map((slot) => this.#seen.get(slot.id) ?? slot);
    this.publish();
  }

  #slot(slot: CoreSlot): ShownSlot {
    const known = this.#seen.get(slot.id);
    const displayStrategy = this.#slots.strategy(slot.renderer);
    const live = this.#slots.live(slot.id);
    const same = known?.status === slot.status && known.displayStrategy === displayStrategy;
    if (same && (!live || live.input === known.input)) return known;
    const shown: ShownSlot = {
      id: slot.id,
      renderer: slot.renderer,
      input: live ? live.input : known ? known.input : this.#titled(slot.input),
      toolName: known?.toolName || (slot.owner === undefined ? "" : (this.#calls.get(slot.owner) ?? "")),
      toolCallId: slot.owner ?? "",
      createdAt: slot.created_at,
      waits: slot.waits,
      displayStrategy,
      status: slot.status,
      answer: slot.answer ?? undefined,
      ...(known?.replaced && { replaced: true }),
    };
    this.#seen.set(slot.id, shown);
    return shown;
  }

  /** A question of the core about a call says what the call does. */
  #titled(input: unknown): unknown {
    const { toolName, toolInput } = (input ?? {}) as { readonly toolName?: unknown; readonly toolInput?: unknown };
    const title = typeof toolName === "string" ? this.#slots.title(toolName, toolInput) : undefined;
    return title === undefined ? input : { ...(input as object), title };
  }

  applyState(state: CoreState): void {
    if (state.request !== this.#core.request) {
      this.#answers = this.#answers.filter(({ over }) => !over);
      const { text = "", reasoning = "" } = this.#answers[0] ?? {};
      this.#answering = text + reasoning !== "" || this.#writing !== none;
    }
    this.#ending = state.phase === "paused" && this.#core.request !== null && this.#open.has(this.#core.request);
    // Another tab may tell it late, or never.
    if (this.#ending)
      this.#pendingFrame ??= nextFrame(() => {
        this.#ending = false;
        this.publish();
      });
    // What was sent shows up here as the request being served or in the queue.
    for (const id of [state.request, ...state.queue.map(({ id }) => id)]) if (id) this.#sent.delete(id);
    this.#core = state;
    // An answer that breaks off leaves its text as an entry, if at all.
    if (state.phase !== "model") this.#silent();
    this.#changes.run = this.#snapshot.run.phase === state.phase ? this.#snapshot.run : { phase: state.phase };
    this.#changes.isCompacting = state.phase === "compacting";
    this.#changes.approvals = this.#approvals(state.questions);
    const { undoable } = this.#snapshot;
    const same = undoable.length === state.undoable.length && undoable[0]?.toolCallId === state.undoable[0]?.toolCallId;
    this.#changes.undoable = same ? undoable : state.undoable;
    this.#changes.stats = kept(this.#snapshot.stats, { ...noUsage, ...state.usage, turns: state.turns });
  }

  /** The core is gone: what runs or waits there has to be taken up again, unless it is `over`. */
  lost(error: Error, over = false): void {
    const { busy, stats, undoable } = this.#snapshot;
    if (busy || over) this.#changes.error = error;
    const phase = over ? "idle" : busy ? "interrupted" : this.#core.phase;
    this.applyState({
      kind: "state",
      phase,
      request: null,
      queue: [],
      questions: [],
      undoable,
      turns: stats.turns,
      usage: stats,
      contextTokens: 0,
    });
    this.applySlots([]);
    this.publish();
  }

  #approvals(questions: readonly CoreQuestion[]): readonly Approval[] {
    const before = this.#snapshot.approvals;
    if (questions.length === 0 && before.length === 0) return before;
    const known = new Map(before.map((approval) => [approval.id, approval]));
    const now = questions.map((question) => known.get(question.id) ?? this.#approval(question));
    return kept(before, now);
  }

  #approval({ id, kind, call_id, tool_name, input, reason }: CoreQuestion): Approval {
    const title = tool_name === undefined ? undefined : this.#slots.title(tool_name, input);
    return {
      id,
      kind,
      ...(tool_name !== undefined && { toolName: tool_name }),
      ...(title !== undefined && { title }),
      ...(call_id !== undefined && { toolCallId: call_id }),
      ...(input !== undefined && { input }),
      ...(reason !== undefined && { reason }),
    };
  }

  /** Makes the next snapshot, when anything is different, and tells the listeners. */
  publish(): void {
    if (this.#ending) return;
    this.#pendingFrame?.();
    this.#pendingFrame = undefined;
    const before = this.#snapshot;
    const text = this.#answers[0]?.text ?? "";
    const after: GloveSnapshot = {
      ...before,
      ...this.#changes,
      ...this.#standing(),
      // Blank lines before a call are no entry of the timeline either.
      streamingText: /\S/.test(text) ? text : "",
      streamingReasoning: this.#answers[0]?.reasoning ?? "",
      streamingCalls: this.#writing,
    };
    this.#changes = {};
    this.#fresh = new WeakSet();
    const keys = Object.keys(after) as (keyof GloveSnapshot)[];
    if (keys.every((key) => after[key] === before[key])) return;
    this.#snapshot = after;
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        if (!this.#faulty.has(listener)) this.#report(error);
        this.#faulty.add(listener);
      }
    }
  }

  #standing(): Pick<GloveSnapshot, "status" | "busy" | "queue"> {
    const { phase, queue } = this.#core;
    const still = phase === "idle" || phase === "paused" || phase === "interrupted";
    const busy = !still || queue.length > 0 || this.#sent.size > 0;
    const error = "error" in this.#changes ? this.#changes.error : this.#snapshot.error;
    const answering = this.#answering || phase === "tools" || phase === "waiting";
    const status = busy ? (answering ? "streaming" : "submitted") : error ? "error" : "ready";
    return { status, busy, queue: this.#queue() };
  }

  #queue(): readonly QueuedMessage[] {
    const waiting = [...this.#sent].filter(([, { waiting }]) => waiting).map(([id, { text }]) => ({ id, text }));
    const kept = [...this.#kept].map(([id, text]) => ({ id, text }));
    const now = [...kept, ...this.#core.queue, ...waiting];
    const before = this.#snapshot.queue;
    return now.length === before.length && now.every(({ id }, at) => before[at]?.id === id) ? before : now;
  }

  /** No frame is drawn any more. */
  dispose(): void {
    this.#pendingFrame?.();
    this.#pendingFrame = undefined;
    this.#listeners.clear();
  }
}

/** A session before anything is known of it. */
export function emptySnapshot(sessionId: string, storage: GloveSnapshot["storage"]): GloveSnapshot {
  return {
    sessionId,
    sessionReady: false,
    status: "ready",
    busy: false,
    run: { phase: "idle" },
    timeline: [],
    streamingText: "",
    streamingReasoning: "",
    streamingCalls: none,
    slots: [],
    approvals: [],
    queue: [],
    undoable: [],
    tasks: [],
    inbox: [],
    stats: { ...noUsage, turns: 0 },
    isCompacting: false,
    error: undefined,
    storage,
    tab: "leader",
  };
}

type TextEntry = Extract<ShownEntry, { kind: "user" | "agent_text" }>;
const isText = (entry: ShownEntry): entry is TextEntry => entry.kind === "user" || entry.kind === "agent_text";

/** One tool may push several kinds of slots, and a question of the run itself is none of its kinds. */
export const slotKind = ({ toolName, renderer }: ShownSlot) => `${toolName}\n${renderer}`;

/** The value from before, when the one of now has the same parts. */
function kept<T extends object>(before: T, now: T): T {
  const keys = Object.keys(now) as (keyof T)[];
  const same = keys.length === Object.keys(before).length && keys.every((key) => before[key] === now[key]);
  return same ? before : now;
}

function inASecond(work: () => void): () => void {
  const timer = setTimeout(work, 1_000);
  return () => clearTimeout(timer);
}

const fresh = (told: boolean): Answer => ({ text: "", reasoning: "", over: false, told });
