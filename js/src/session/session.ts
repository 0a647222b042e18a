// A session: one conversation over the core, and everything that can be asked of it.

import { Connection } from "../core/connection.js";
import { staysUndelivered } from "../core/stays-undelivered.js";
import { Subscribers } from "../core/subscribers.js";
import { DisplayManager } from "../display/manager.js";
import { FirstAnswer } from "../early/answer.js";
import type { ShownMessage } from "../messages/messages.js";
import type { RunOutcome, SendMessage } from "../messages/outcome.js";
import { bodyOf, checkInput, fileCount, type ImageInput, type MessageInput, type RequestBody } from "../messages/request.js";
import type { Core } from "../ports/core.js";
import type { DisplayManagerAdapter } from "../ports/display.js";
import type { AnyPlugin } from "../ports/plugin.js";
import type { Prompt } from "../ports/prompt.js";
import type { SessionConfig, SessionParts } from "../ports/session-config.js";
import { sessionOptions } from "../ports/session-config.js";
import { type StoreAdapter, storageOf } from "../ports/store.js";
import type { SubscriberAdapter } from "../ports/subscriber.js";
import type { ToolConfig } from "../ports/tool.js";
import type { ExportRunOptions } from "../recording/run-file.js";
import type { Approval, GloveSnapshot, ToolEntry } from "../snapshot/snapshot.js";
import { SnapshotStore, slowMs } from "../snapshot/snapshot-store.js";
import { CombinedTools } from "../tools/combined-tools.js";
import { AbortError, codeOf, GloveError, loadPart, stoppedBy } from "../values/error.js";
import { isEvent, withoutEvent } from "../values/events.js";
import { generateId } from "../values/ids.js";
import { omitUndefined } from "../values/omit-undefined.js";
import { agentNotRunning, approvalClosed, sessionClosed, sessionDeleted } from "../values/refusals.js";
import { check, checkOptions, describeValue, type Options } from "../values/validate-options.js";
import { fromCore } from "../wasm/core-errors.js";
import type { ContentPart, Message } from "../wire/record.js";
import { runnableOf } from "./runnable.js";
import type { SessionRunnable } from "./session-runnable.js";

/** Without `regenerate` it says something, and with `edits` in the place of another message. With `trigger` nobody says it, and with `byModel` no person. */
type OutgoingMessage = MessageInput & {
  readonly regenerate?: true;
  readonly edits?: string;
  readonly trigger?: true;
  /** Only of a trigger. */
  readonly visible?: boolean;
  readonly byModel?: true;
};

/** Of `undo`. */
export interface UndoOptions {
  /** The id of the call that a person saw as the last: where another one is the last by then, nothing is undone. */
  readonly last?: string | undefined;
}

/** A prompt that nobody writes. */
export interface TriggerInput {
  /** Why it begins, for the model. */
  readonly reason: string;
  /** Names the occasion. Given again, by another tab or after a reload, it does not begin again: it resolves as the first one does. */
  readonly id?: string;
  /** The model that answers, by its name in `models`. */
  readonly model?: string;
  /** With `false` no person sees it: it is in the record and in `prompts()`, and the model reads it later on. What it asks a person is shown. */
  readonly visible?: boolean;
  /** Stops it, also while it waits for its turn. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens the session of a call, and keeps it until it is released. */
type OpenInside<S> = (id: string, config: Partial<SessionConfig>) => { readonly session: S; release(): void };

/** Starts a session with these messages, and gives its id. */
type BeginSession = (messages: readonly Message[]) => Promise<string>;

const noClient: BeginSession = async () => {
  throw new GloveError("CLIENT_CONFIG", "Only a session of a GloveClient can be forked; get it from `client.session(id)`.");
};

/** A message on its way. */
interface Sent {
  readonly id: string;
  input: OutgoingMessage;
  /** Of two, the later one has the larger number. */
  readonly at: number;
  /** Others before it are not given to the core yet. */
  readonly behind: boolean;
  /** It is the first of a session that has just been made. */
  readonly isFirst: boolean;
  /** It is written down where the core has it not at once. */
  readonly keeps: boolean;
  /** It was written down, or is on its way there. */
  noted: boolean;
  /** It could not be, and that was told. */
  unkept?: boolean;
  delivered: boolean;
  cancelled: boolean;
  /** The session could not be opened for it. */
  unopened: boolean;
  /** For who sends it again meanwhile. */
  outcome?: Promise<RunOutcome>;
  /** It is written down, or cannot be. */
  safe?: Promise<void>;
  /** Stops what is done with it before it is sent, if it is more than reading files. */
  stop?: AbortController;
  /** Waits no longer for its files, and for those before it. */
  leave?(): void;
}

/** A message that the store takes so long with is shown and sent all the same. */
const lateMs = 5_000;
const storeIsLate = () =>
  new GloveError(
    "STORE_UNAVAILABLE",
    "The store does not respond: the message would be lost with this page, which should stay open until it is answered.",
  );

const mayOpenLater = (error: Error | undefined) =>
  /^(STORE|WASM|WORKER)_|^(SESSION_OPEN_ELSEWHERE|TAB_VERSION|PART_NOT_LOADED|SERVER_UNREACHABLE)$/.test(codeOf(error));

/**
 * One conversation with one run at a time. Everything may be called at once, before the core is there: what is sent waits.
 * `subscribe` and `getSnapshot` are made for `useSyncExternalStore`: a snapshot never changes, and what did not change between
 * two of them is the same object. What is written here as a property may be used without its session.
 */
export class GloveSession {
  readonly sessionId: string;
  readonly #connection: Connection;
  readonly #parts: SessionParts;
  readonly #snapshots: SnapshotStore;
  readonly #subscribers: Subscribers;
  readonly #sent = new Map<string, Sent>();
  readonly #sending = new Set<Promise<RunOutcome>>();
  /** Messages that the session could not be opened for, in their order. */
  readonly #undelivered = new Map<string, OutgoingMessage>();
  /** Messages that another tab was asked for and has not taken: whoever runs the session finds them written down. */
  readonly #unclaimed = new Map<string, OutgoingMessage>();
  readonly #tools: CombinedTools;
  #config: SessionConfig;
  #runnable: SessionRunnable | undefined;
  #delivering: Promise<unknown> = Promise.resolve();
  #latest = 0;
  #disposed = false;
  /** @internal It belongs to the call of an agent that is not at work here: it can be read, and nothing runs in it. */
  agentless = false;
  /** @internal Its id was made a moment ago, and nothing was sent: its first message may be sent to the model before the core is there. */
  fresh = false;
  readonly #first: FirstAnswer;
  readonly #closed: () => void;
  readonly #begin: BeginSession;

  /** `parts` have been checked; `closed` is called when it is closed, by whomever. */
  constructor(
    parts: SessionParts,
    core: Core,
    closed: () => void = () => {},
    begin: BeginSession = noClient,
    /** @internal Opens the session of an agent that a tool of this one runs. */
    readonly openInside?: OpenInside<GloveSession>,
  ) {
    check("`model`", parts.model, "model");
    check("`store`", parts.store, "store");
    this.#parts = parts;
    this.#closed = closed;
    this.#begin = begin;
    this.#tools = new CombinedTools(parts.tools ?? [], () => this.#connection.opened?.tools.added ?? []);
    this.#config = parts;
    this.sessionId = parts.sessionId;
    const inputOf = (id: string) => {
      const call = this.#snapshots.snapshot.timeline.find((entry) => entry.kind === "tool" && entry.id === id);
      return (call as ToolEntry | undefined)?.input;
    };
    // Whoever logs what an event belongs to logs no function.
    this.#subscribers = new Subscribers(Object.defineProperty({ sessionId: parts.sessionId }, "inputOf", { value: inputOf }));
    const failed = (error: unknown) => this.report("LISTENER_FAILED", error);
    this.#snapshots = new SnapshotStore(parts.sessionId, storageOf(parts.store), failed);
    this.#first = new FirstAnswer(this.#snapshots);
    for (const subscriber of parts.subscribers ?? []) this.#subscribers.add(subscriber);
    this.displayManager = parts.displayManager ?? new DisplayManager();
    this.#connection = new Connection(core, {
      session: this,
      parts,
      taken: this.#first.take,
      another: (others) => new GloveSession(others, core),
      snapshots: this.#snapshots,
      subscribers: this.#subscribers,
      opened: () => this.#offerAgain(),
      sends: (id) => this.#sent.has(id) || this.#undelivered.has(id),
      // A request that was given up while it waited in the queue.
      serves: (request) => {
        if (this.#sent.get(request)?.cancelled) this.#connection.stop();
      },
    });
  }

  // ---- what it shows ---------------------------------------------------------------------------------------------

  /** Called when there is a new snapshot: during a run at most once a frame, and at once for what was sent and at its end. Returns a function that unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => this.#snapshots.subscribe(listener);

  /** Always up to date, also between two calls of a listener. */
  readonly getSnapshot = (): GloveSnapshot => this.#snapshots.snapshot;

  /** The snapshot for server rendering: an empty session. */
  readonly getServerSnapshot = (): GloveSnapshot => this.#snapshots.empty;

  /** @internal What is shown, as messages; nothing is before it is open. */
  messagesOf(snapshot: GloveSnapshot): ShownMessage[] | undefined {
    return this.#connection.opened?.messagesOf(snapshot);
  }

  readonly displayManager: DisplayManagerAdapter;

  /** The current settings. */
  get config(): SessionConfig {
    return this.#config;
  }

  /** This session as an agent, as tools receive it. */
  get runnable(): SessionRunnable {
    this.#runnable ??= runnableOf(this);
    return this.#runnable;
  }

  get store(): StoreAdapter {
    return this.#parts.store;
  }

  get disposed(): boolean {
    return this.#disposed;
  }

  // ---- what is asked of it ---------------------------------------------------------------------------------------

  /** Starts the core and loads the stored session. Optional: other methods do it when needed. */
  readonly start = async (): Promise<void> => {
    await this.#connection.ready();
  };

  /**
   * Sends a message. The promise settles when its request has ended: with the outcome, also of one that was stopped, or with
   * the error of the model or the store. It need not be caught: the error is in the snapshot too. With an `output` schema a
   * completed outcome has the answer as its `value`; where the model gives none that fits, it rejects with `ANSWER_MISSING`.
   */
  readonly sendMessage: SendMessage = (input: string | MessageInput, images?: readonly ImageInput[]): Promise<never> => {
    const message = typeof input === "string" ? { text: input } : (input ?? {});
    const sending = this.#send(images?.length ? { ...message, images: [...(message.images ?? []), ...images] } : message);
    return sending as Promise<never>;
  };

  /** Like `sendMessage`, but a stopped request rejects with an `AbortError`. */
  readonly request = async (input: string | readonly ContentPart[], signal?: AbortSignal): Promise<RunOutcome> =>
    this.requestAs(generateId(), typeof input === "string" ? { text: input } : { content: input }, signal);

  /** @internal The same under an id that is known before. */
  readonly requestAs = async (id: string, input: OutgoingMessage, signal?: AbortSignal): Promise<RunOutcome> => {
    if (signal != null) check("`signal`", signal, "signal");
    if (signal?.aborted) throw stoppedBy(signal);
    const outcome = await this.#send(input, signal, id);
    if (outcome.type === "aborted") throw stoppedBy(signal);
    return outcome;
  };

  /**
   * Begins a prompt that nobody wrote: for a timer, a notification or an event. The model reads `reason`, and the chat shows what it
   * answers. While another request runs it waits for its turn.
   */
  readonly trigger = async (input: TriggerInput): Promise<RunOutcome> => {
    const { reason, id, signal, ...rest } = check("The trigger", input, "object");
    check("`visible`", rest.visible ?? true, "flag");
    const message = { ...rest, text: check("`reason`", reason, "text"), trigger: true, whenBusy: "queue" } as const;
    if (id === undefined) return this.#send(message, signal);
    const begun = this.#sent.get(check("`id`", id, "text"))?.outcome;
    if (!begun) this.#undelivered.delete(id);
    return begun ?? this.#send(message, signal, id);
  };

  /** Stops the current request. The partial answer is kept, and every open call gets a result. */
  readonly abort = (): void => {
    for (const sent of this.#sent.values()) if (!sent.delivered) this.#cancel(sent);
    for (const id of this.#undelivered.keys()) this.#stopFirst(id);
    this.#connection.stop();
  };

  readonly stop = (): void => this.abort();

  /** Removes a message from `queue`; its promise resolves with `aborted`. Returns false if no queued message has this id. */
  readonly cancelQueued = (id: string): boolean => {
    if (this.#undelivered.delete(id)) {
      this.#first.end(id);
      this.#connection.dropSent(id);
      this.#snapshots.dispatch({ kind: "dropped", id });
      return true;
    }
    const waits = this.#isQueued(id);
    if (this.#unclaimed.delete(id) && waits) {
      this.#connection.dropSent(id);
      this.#snapshots.dispatch({ kind: "dropped", id });
      // It may be taken by now.
      this.#connection.cancelQueued(id);
      return true;
    }
    const sent = this.#sent.get(id);
    if (waits && sent) this.#cancel(sent);
    else if (waits) this.#connection.cancelQueued(id);
    return waits;
  };

  /** Brings a message of `queue` in front of another one there. False when one of them does not wait, or not in the session's own queue yet. */
  readonly moveQueued = (id: string, before: string): boolean =>
    this.#isQueued(check("`before`", before, "text")) && this.#move(id, before);

  /**
   * Lets the run that goes on read a message of `queue` after its current step: before its next model call. Where it makes no other, the
   * message is the next. False as with `moveQueued`.
   */
  readonly sendNow = (id: string): boolean => this.#move(id);

  #move(id: string, before?: string): boolean {
    if (!this.#isQueued(check("`id`", id, "text"))) return false;
    const moves = this.#connection.session?.moveQueued?.(id, before) ?? false;
    const sent = this.#sent.get(id);
    if (moves && sent) sent.input = { ...sent.input, whenBusy: before ? "queue" : "steer" };
    return moves;
  }

  /**
   * Gives the last answer again, in its place; a request that failed goes on where it was. What the tools of the answer did is
   * taken back first where they have an `undo` (`undone` comes back when that fails, and nothing is replaced). A call that cannot
   * be taken back and may not be repeated stays with its result, and what came after it is answered again.
   */
  readonly regenerate = async (): Promise<RunOutcome> => {
    this.#checkAgent();
    await this.#connection.ready();
    const again = await this.#connection.with((openSession) => openSession.regenerated());
    return again ? this.#send(again) : this.resume();
  };

  /**
   * Says something else in the place of an earlier message of the user, by its id in the timeline, and answers that. A run that is
   * going on is stopped first, unless `whenBusy` says otherwise. What was said from there on stays on a branch of its own
   * (`switchBranch`); what tools did there is not taken back. Text alone keeps the images and files of the message. A message of
   * `queue` is changed in its place there, and stops nothing; the promise that it was sent with ends with `aborted`.
   */
  readonly edit = async (messageId: string, input: string | MessageInput): Promise<RunOutcome> => {
    const message = typeof input === "string" ? { text: input } : (input ?? {});
    if (isEvent(message)) throw this.#wrong("The message", message);
    const sent = this.#sent.get(messageId);
    // What another tab has answered meanwhile is a message like any other.
    const unclaimed = this.#isQueued(messageId) ? this.#unclaimed.get(messageId) : undefined;
    const early = this.#undelivered.get(messageId) ?? unclaimed ?? (sent?.delivered ? undefined : sent?.input);
    if (early) {
      // The core has not heard of it.
      this.#first.end(messageId);
      if (sent) this.#cancel(sent);
      else this.cancelQueued(messageId);
      return this.#send({ ...early, ...message });
    }
    return this.#send({ whenBusy: "interrupt", ...message, edits: check("`messageId`", messageId, "text") });
  };

  /** The ids of what stands in the place of a message that is shown, the oldest first: itself, and what it was edited or regenerated from or to. */
  readonly branches = (messageId: string): readonly string[] => {
    for (const { id, branches } of this.#snapshots.snapshot.timeline)
      if (id === messageId || branches?.ids.includes(messageId)) return branches?.ids ?? [id];
    throw new GloveError("MESSAGE_UNKNOWN", `No message that is shown has the id "${messageId}".`);
  };

  /**
   * Shows the branch that has this message, as far as it was last shown; what is said next goes on from there. Refused while a run
   * is going on (`SESSION_BUSY`).
   */
  readonly switchBranch = async (messageId: string): Promise<void> => {
    check("`messageId`", messageId, "text");
    // It belongs to what was shown when it was sent. An edit names the message that it goes on from.
    if ([...this.#sent.values()].some(({ delivered, input }) => !delivered && !input.edits))
      throw new GloveError(
        "SESSION_BUSY",
        "Another branch can be shown only while no message is on its way; let it end, or stop it.",
      );
    return this.#connection.with((openSession) => openSession.switchBranch(messageId));
  };

  /**
   * Starts another session with the messages up to this one, and gives its id. It has this one's title and a number. Nothing runs again:
   * calls without a result and open questions stay here, and so do tasks and the inbox.
   */
  readonly fork = async (messageId: string): Promise<string> => {
    check("`messageId`", messageId, "text");
    return this.#begin(await this.#connection.with((openSession) => openSession.path(messageId)));
  };

  /** Continues after a pause, a failure or an interruption. */
  readonly resume = async (): Promise<RunOutcome> => {
    this.#checkAgent();
    return this.#connection.with((openSession) => openSession.resume());
  };

  /**
   * Undoes the last actions: calls of tools with an `undo`. With the `last` call that a person saw (the first of `undoable`) it fails with
   * `NOT_LAST_ACTION` where another one is the last by then, also in another tab or at a server, and nothing is undone.
   */
  readonly undo = async (steps = 1, options: UndoOptions = {}): Promise<RunOutcome> => {
    this.#checkAgent();
    const { last } = check("`options`", options, "object");
    if (last !== undefined) check("`options.last`", last, "text");
    return this.#connection.with((openSession) => openSession.undo(withoutEvent(steps) ?? 1, last));
  };

  /**
   * Allows an item of `approvals`, by its id or the id of its call. A permission is stored for the tool unless `remember` is false. False,
   * and `APPROVAL_CLOSED` for subscribers, when it waits for nobody any more, also because somebody else was first. Where another tab, a
   * worker or a server runs the session, that tells it a moment later: what comes back is a promise of it then.
   */
  readonly approve = (id: string, options: { readonly remember?: boolean } = {}): boolean | Promise<boolean> => {
    check("`options`", options, "object");
    const remember = options.remember ?? this.#approval(id)?.kind === "permission";
    return this.#decide(id, { allow: { remember } });
  };

  /** Rejects an item of `approvals`; the model reads the reason. False as for `approve`. */
  readonly reject = (id: string, reason?: string, options: { readonly remember?: boolean } = {}): boolean | Promise<boolean> => {
    check("`options`", options, "object");
    return this.#decide(id, { deny: { remember: options.remember ?? false, reason: withoutEvent(reason) ?? null } });
  };

  /**
   * Answers a slot; one that waits for nothing goes away. False when no slot with this id is open, or when the value does not
   * fit the tool's `resolveSchema` or the renderer's `outputSchema`: the slot stays then, and subscribers hear why. Where another tab, a
   * worker or a server runs the session, that tells a moment later whether somebody else was first: what comes back is a promise of it.
   */
  readonly resolveSlot = (id: string, value?: unknown): boolean | Promise<boolean> =>
    (!this.#isEvent(id) && this.#connection.opened?.slots.resolve(id, value)) ?? false;

  /** Rejects a slot, and with it the tool's promise. False if no open slot has this id; a promise of it as for `resolveSlot`. */
  readonly rejectSlot = (id: string, reason?: unknown): boolean | Promise<boolean> =>
    (!this.#isEvent(id) && this.#connection.opened?.slots.reject(id, reason)) ?? false;

  readonly clearError = (): void => {
    const missed = codeOf(this.#snapshots.error) === "PART_NOT_LOADED";
    this.#connection.clearError();
    // Of a session that is open: the others do when they are.
    if (missed && this.#connection.session) this.#offerAgain();
  };

  /**
   * Answers an item of the inbox: the model reads it with the next request. False when the store has no such item, or it has
   * another answer.
   */
  readonly answerInbox = (id: string, response: string): Promise<boolean> => this.#connection.answerInbox(id, response);

  /**
   * Takes the session over from another tab, for when that one does not answer (`tab` is `blocked`). What that tab had begun is
   * decided as after a reload, and it writes and runs nothing more.
   */
  readonly takeOver = (): Promise<void> => this.#connection.takeOver();

  /** The complete record, as it is stored. */
  readonly messages = (): Promise<Message[]> => this.#connection.with((openSession) => openSession.messages());

  /** The record grouped by prompts, each with its outputs in order and its usage; from the prompt with the id `since` on, which costs no more than these. */
  readonly prompts = (since = ""): Promise<Prompt[]> => this.#connection.with((openSession) => openSession.prompts(since));

  /**
   * The run from the opening of the session on, as a file that `replay` of `glove-wasm/testing` and `glove replay` play without model and
   * tools. Needs `record: true`. What looks like a key is struck out; `redact` gets each text and gives what is to stand there.
   */
  readonly exportRun = async (options: ExportRunOptions = {}): Promise<string> => {
    check("`options`", options, "object");
    checkOptions(options, { redact: "work" } satisfies Options<ExportRunOptions>);
    return this.#connection.with((openSession) => openSession.exportRun(options.redact));
  };

  /** Returns a function that removes the subscriber. */
  readonly addSubscriber = (subscriber: SubscriberAdapter): (() => void) => this.#subscribers.add(subscriber);

  readonly removeSubscriber = (subscriber: SubscriberAdapter): void => this.#subscribers.remove(subscriber);

  /** Tells subscribers, or the console where there are none, what went wrong in code around the session. */
  readonly report = (code: string, error: unknown): void => this.#subscribers.report(code, error);

  /** @internal Tells subscribers of what happens in the page. */
  readonly tell = (type: string, data: unknown): void => this.#subscribers.tell(type, data);

  /** Changes settings from the next decision on. Nothing is recreated, and equal values have no effect. */
  readonly configure = (changes: Partial<SessionConfig>): void => {
    check("The settings", changes, "object");
    checkOptions(changes, sessionOptions);
    if (changes.tools && changes.tools !== this.#config.tools) this.#other(() => this.#tools.own(changes.tools ?? []));
    const given = this.#given;
    const plugins = given && changes.plugins && [...changes.plugins.filter((plugin) => plugin !== given), given];
    const next: SessionConfig = {
      ...this.#config,
      ...omitUndefined({ ...changes, tools: undefined, plugins: plugins ?? changes.plugins }),
    };
    if (changes.tools) this.agentless = false;
    const [before, now] = [this.#config.model, next.model];
    if (now !== before) this.#snapshots.dispatch({ kind: "model", before, now });
    for (const old of this.#config.subscribers ?? []) if (!next.subscribers?.includes(old)) this.#subscribers.remove(old);
    for (const subscriber of next.subscribers ?? []) this.#subscribers.add(subscriber);
    this.#config = next;
    this.#connection.changed();
  };

  /** @internal A plugin of the components of the page, beside those of the application. */
  readonly givePlugin = (plugin: AnyPlugin): void => {
    this.#given = plugin;
    this.configure({ plugins: this.#config.plugins ?? [] });
  };
  #given: AnyPlugin | undefined;

  /** @internal Tools that a component gives beside those of the session; `changed` is called when there are others. */
  readonly giveTools = (giver: object, tools: readonly ToolConfig[], changed: () => void): void => {
    this.#other(() => this.#tools.give(giver, tools, changed));
    this.#connection.changed();
  };

  /** @internal What it gave is gone when nothing runs with it any more. */
  readonly takeTools = (giver: object): void => {
    this.#other(() => this.#tools.leave(giver));
    this.#connection.changed();
    if (this.#forgets) return;
    const over = () => {
      if (this.#disposed || this.#snapshots.snapshot.busy) return;
      undo();
      this.#forgets = false;
      this.#other(() => this.#tools.forget());
      this.#connection.changed();
    };
    this.#forgets = true;
    const undo = this.subscribe(over);
    over();
  };
  /** It waits until nothing runs. */
  #forgets = false;

  #refused: GloveError | undefined;

  #other(change: () => void): void {
    change();
    const { all, refused } = this.#tools;
    // Components change one after the other.
    if (refused && refused !== this.#refused)
      setTimeout(() => this.#tools.refused === refused && this.report(refused.code, refused), 0);
    this.#refused = refused;
    if (all === this.#config.tools) return;
    this.#connection.opened?.tools.replace(all);
    this.#config = { ...this.#config, tools: all };
  }

  /** Closes the session. Pending promises reject with `SESSION_CLOSED`; a stored run is not ended. */
  readonly dispose = (): void => {
    if (this.#close()) this.#snapshots.dispose();
  };

  /** It is not stored any more: as `dispose`, and who shows it still is told so. */
  readonly deleted = (): void => {
    if (!this.#close()) return;
    this.#snapshots.dispatch({ kind: "lost", error: sessionDeleted(), over: true });
    // What waits is told first.
    setTimeout(() => this.#snapshots.dispose(), 0);
  };

  /** A first answer was stopped that is not in the record yet. */
  get stopsFirst(): boolean {
    return !!this.#snapshots.early?.stopped;
  }

  /** When everybody who sent something has been told what came of it. */
  settled(): Promise<unknown> {
    return Promise.allSettled(this.#sending);
  }

  #close(): boolean {
    if (this.#disposed) return false;
    this.#disposed = true;
    this.#first.end();
    for (const { stop } of this.#sent.values()) stop?.abort();
    this.#connection.dispose();
    this.#closed();
    return true;
  }

  // ---- sending -----------------------------------------------------------------------------------------------------

  /** What was written while the session could not be opened. */
  #offerAgain(): void {
    const undelivered = [...this.#undelivered];
    this.#undelivered.clear();
    for (const [id, input] of undelivered) void this.#send(input, undefined, id);
  }

  #send(input: OutgoingMessage, signal?: AbortSignal, id = generateId()): Promise<RunOutcome> {
    const sending = this.#sendNow(input, id, signal);
    const sent = this.#sent.get(id);
    if (sent) sent.outcome = sending;
    this.#sending.add(sending);
    // Handle the rejection here: a caller that needs it awaits the promise, others read the snapshot.
    const over = () => void this.#sending.delete(sending);
    sending.then(over, over);
    return sending;
  }

  async #sendNow(input: OutgoingMessage, id: string, signal?: AbortSignal): Promise<RunOutcome> {
    if (this.#disposed) throw sessionClosed();
    this.#checkAgent();
    if (isEvent(input)) throw this.#wrong("The message", input);
    const { regenerate, edits, trigger, byModel, ...fields } = input;
    const { visible = true, ...message } = fields;
    // A message of a person is seen.
    if (!regenerate) checkInput(trigger ? message : fields);
    const { model = "normal" } = message;
    if (model !== "normal" && !Object.hasOwn(this.#config.models ?? {}, model))
      throw new GloveError("MODEL_UNKNOWN", `There is no model "${model}" in \`models\`.`);
    this.#offerAgain();
    const keeps = !!this.#parts.store.keepSent && !regenerate && !byModel;
    // What cannot be given to the core at once stands in the queue until then.
    const text = (!trigger && input.text) || "";
    const behind = [...this.#sent.values()].some(({ delivered }) => !delivered);
    const calls = this.#calls(input);
    const waits = behind || this.#connection.session === undefined || !!input.files?.length || calls;
    // A hook or a file may take its time, and the message may be taken back meanwhile.
    const unsafe = keeps && !calls && !input.files?.length;
    this.#latest = Math.max(Date.now(), this.#latest + 1);
    const state = { delivered: false, cancelled: false, unopened: false, noted: false };
    const isFirst = this.fresh;
    this.fresh = false;
    const sent: Sent = { id, input, at: this.#latest, behind, isFirst, keeps, ...state };
    this.#sent.set(sent.id, sent);
    const files = fileCount(message);
    const hidden = !visible;
    this.#snapshots.dispatch({ kind: "sent", id, text, files, waits, hidden, unsafe });
    const timer = unsafe && setTimeout(() => this.#snapshots.isOnItsWay(id) && this.#show(sent, storeIsLate()), lateMs);
    const stop = () => this.#cancel(sent);
    signal?.addEventListener("abort", stop, { once: true });
    let failure: Error | undefined;
    let ended = false;
    try {
      const coreOutcome = await this.#connection.whileOpen(this.#give(sent));
      ended = true;
      return await this.#connection.with((openSession) => openSession.outcome(coreOutcome, id, input.output));
    } catch (error) {
      failure = fromCore(error);
      // It is shown as one that is kept, and is that by then.
      if (sent.unopened) await sent.safe;
      if (!(failure instanceof AbortError)) throw failure;
      failure = undefined;
      return { type: "aborted" };
    } finally {
      signal?.removeEventListener("abort", stop);
      if (timer) clearTimeout(timer);
      this.#sent.delete(sent.id);
      const { opened: openSession } = this.#connection;
      // One whose core has crashed may be stored: that is seen when the session is opened again.
      const outdated = codeOf(failure) === "TAB_VERSION";
      const unopened = sent.unopened || openSession?.readOnly || outdated || (openSession?.isDropped && mayOpenLater(failure));
      const waits = failure && unopened && !this.#disposed && !regenerate && !edits;
      if (!waits) this.#first.end(id);
      if (waits) {
        this.#undelivered.set(sent.id, input);
        this.#first.left(id);
        this.#snapshots.dispatch({ kind: "undelivered", id, text, files, hidden });
      } else if (sent.noted && !this.#disposed) {
        if (!staysUndelivered(failure, this.#snapshots.phase)) this.#connection.dropSent(id);
        else if (codeOf(failure) === "SESSION_OPEN_ELSEWHERE" && !edits) {
          this.#unclaimed.set(id, input);
          this.#snapshots.dispatch({ kind: "undelivered", id, text, files, hidden });
        }
      }
      // The core has told how a run ended; and why the session was closed says more than that it was.
      const error = ended || (this.#disposed && this.#snapshots.error) ? undefined : failure;
      this.#snapshots.dispatch({ kind: "settled", id, error });
    }
  }

  /** Messages reach the core in the order of sending, whatever it takes to read their files. */
  async #give(sent: Sent): Promise<string> {
    const { regenerate, edits, trigger, visible = true, whenBusy = this.#config.whenBusy } = sent.input;
    const interrupted = new Promise<never>((_, reject) => {
      sent.leave = () => reject(new AbortError());
    });
    const request = Promise.race([this.#body(sent), interrupted]).then((content) => {
      const extra = { ...content.extra, userId: this.#config.userId };
      return JSON.stringify({ id: sent.id, whenBusy, regenerate, edits, trigger, hidden: !visible, ...content, extra });
    });
    // What it takes to read its files, say: it is sent when that has come.
    request.catch((error: Error) => {
      sent.unopened ||= codeOf(error) === "PART_NOT_LOADED";
    });
    const safe = request.then((text) => this.#keep(sent, text));
    sent.safe = safe.catch(() => {});
    const delivery = this.#delivering.then(async () => {
      const opening = this.#connection.ready().catch((thrown: unknown) => {
        const error = fromCore(thrown);
        // The application has no part in it, and may succeed with the same another time.
        sent.unopened ||= mayOpenLater(error);
        throw error;
      });
      const [text] = await Promise.all([request, opening, safe]);
      return this.#connection.answer((session) => {
        const leads = !!this.#connection.opened?.leads;
        if (sent.cancelled) throw new AbortError();
        const stopped = this.#first.stopped(sent.id)?.request;
        this.#connection.opened?.deliverWaiting();
        sent.delivered = true;
        if (!leads && !stopped) this.#first.follow(sent.id);
        if (whenBusy === "interrupt") this.#connection.opened?.flush();
        this.#snapshots.apply({ kind: "delivered", id: sent.id });
        const answer = this.#connection.guard.untilTrap(session.request(stopped ?? text));
        // A store that takes its time has not taken it either.
        const slow = setTimeout(() => {
          if (!this.#disposed && this.#snapshots.isOnItsWay(sent.id)) void this.#keep(sent, text, true);
        }, slowMs);
        const over = () => clearTimeout(slow);
        // Handle the rejection here: after a trap it may come before the caller awaits it.
        answer.then(over, over);
        return { answer };
      });
    });
    this.#delivering = delivery.catch(() => {});
    return (await Promise.race([delivery, interrupted])).answer;
  }

  /** What the core of this page has not at once is written down, and shown then: a browser may die at any moment. */
  async #keep(sent: Sent, request: string, isSlow = false): Promise<void> {
    const { id, at, behind, keeps, cancelled, noted } = sent;
    if (!keeps || cancelled || noted || (this.#connection.opened?.leads && !behind && !isSlow)) return;
    sent.noted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<Error>((resolve) => {
      timer = setTimeout(() => resolve(storeIsLate()), lateMs);
    });
    const ask = () => !isSlow && this.#askFirst(sent, request);
    const message = this.#first.stopped(id) ?? { id, request, at };
    const error = await Promise.race([this.#connection.keepSent(message, ask), timeout]);
    clearTimeout(timer);
    // Where nothing is kept at once.
    if (!error) ask();
    this.#first.safe(id);
    this.#show(sent, error);
    // The record has it by now.
    if (isSlow && this.#snapshots.serves(id) && this.#snapshots.phase !== "paused") this.#connection.dropSent(id);
  }

  /** Does not wait for the core, where that would ask for the same. */
  #askFirst(sent: Sent, request: string): boolean {
    const config = this.#config;
    const isOurs = () =>
      !(this.#disposed || sent.delivered || sent.cancelled || this.#connection.session) && this.#config === config;
    return this.#first.ask(sent, request, config, this.#parts.tasks, isOurs);
  }

  /** A message that is nowhere but in this page is not seen without the reason. */
  #show(sent: Sent, unkept: Error | undefined): void {
    this.#snapshots.dispatch({ kind: "safe", id: sent.id, unkept });
    if (!unkept || sent.unkept) return;
    sent.unkept = true;
    this.#subscribers.tell("warning", { code: codeOf(unkept), message: unkept.message });
  }

  /** It may call a hook or take up a skill. What no person says, and what is said as parts, does neither. */
  #calls({ text, content, trigger, byModel, regenerate }: OutgoingMessage): boolean {
    const { hooks, skills } = this.#config;
    return !!(hooks?.length || skills?.length) && !content && !trigger && !byModel && !regenerate && !!text?.includes("/");
  }

  async #body(sent: Sent): Promise<RequestBody> {
    const { input, id } = sent;
    if (!this.#calls(input)) return bodyOf(input, id, this);
    const stop = new AbortController();
    sent.stop = stop;
    const { outgoing } = await loadPart(import("../plugins/prepare-message.js"));
    const { text, skills, ...made } = await this.#connection.whileOpen(outgoing(input.text ?? "", this, stop.signal));
    const body = await bodyOf({ ...input, text }, id, this);
    return { ...body, ...made, extra: { ...body.extra, skills } };
  }

  #isQueued(id: string): boolean {
    return this.#snapshots.snapshot.queue.some((message) => message.id === id);
  }

  /** Ends the first answer where it is; whoever runs the session records what was seen of it. False where that is not under way. */
  #stopFirst(id: string): boolean {
    if (!this.#first.stop(id)) return false;
    const stopped = this.#first.stopped(id);
    if (stopped) void this.#connection.keepSent(stopped, () => true);
    return true;
  }

  #cancel(sent: Sent): void {
    const { id } = sent;
    if (!sent.delivered && this.#stopFirst(id)) {
      // What is sent from now on is no part of it.
      this.#delivering = Promise.allSettled([this.#delivering, sent.outcome]);
      return;
    }
    sent.stop?.abort();
    sent.cancelled = true;
    if (!sent.delivered) {
      // The page that runs the session may have read the stored message already.
      if (sent.noted) this.#connection.session?.cancelQueued?.(sent.id);
      sent.leave?.();
      return;
    }
    const { request } = this.#snapshots;
    // What has come into the run that is going on ends with it.
    const { whenBusy = this.#config.whenBusy } = sent.input;
    const joined = whenBusy === "steer" && this.#snapshots.snapshot.queue.every(({ id }) => id !== sent.id);
    if (request === sent.id || joined || (request === null && this.#sent.size === 1)) this.#connection.stop();
    else this.#connection.session?.cancelQueued?.(sent.id);
  }

  /** What is asked of a follower is done by the tab that runs the agent. */
  get #waitsForAgent(): boolean {
    return this.agentless && this.#snapshots.snapshot.tab !== "follower";
  }

  /** Nothing is opened for what is refused. */
  #checkAgent(): void {
    if (this.#waitsForAgent) throw agentNotRunning();
  }

  #approval(id: string): Approval | undefined {
    return this.#snapshots.snapshot.approvals.find((approval) => approval.id === id || approval.toolCallId === id);
  }

  /** Reports the error, because a function that is used as an event handler has no caller that reads its result. */
  #wrong(name: string, value: unknown): GloveError {
    const error = new GloveError("CONFIG_INVALID", `${name} cannot be ${describeValue(value)}.`);
    this.report(error.code, error);
    return error;
  }

  #isEvent(id: unknown): boolean {
    return isEvent(id) && Boolean(this.#wrong("`id`", id));
  }

  #decide(id: string, answer: object): boolean | Promise<boolean> {
    if (this.#isEvent(id)) return false;
    if (this.#waitsForAgent) {
      const error = agentNotRunning();
      this.report(error.code, error);
      return false;
    }
    // What another tab runs is shown a moment later: that tab tells whether it came too late.
    const taken = this.#approval(id) && this.#connection.session?.answer(id, JSON.stringify(answer));
    if (taken) return taken;
    this.report("APPROVAL_CLOSED", approvalClosed(id));
    return false;
  }
}
