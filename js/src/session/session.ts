// A session: one conversation over the core, and everything that can be asked of it.

import { Connection } from "../core/connection.js";
import { Subscribers } from "../core/subscribers.js";
import { DisplayManager } from "../display/manager.js";
import type { ShownMessage } from "../messages/messages.js";
import type { RunOutcome, SendMessage } from "../messages/outcome.js";
import type { ImageInput, MessageInput } from "../messages/request.js";
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
import { SnapshotStore } from "../snapshot/snapshot-store.js";
import { CombinedTools } from "../tools/combined-tools.js";
import { codeOf, GloveError, stoppedBy } from "../values/error.js";
import { isEvent, withoutEvent } from "../values/events.js";
import { generateId } from "../values/ids.js";
import { omitUndefined } from "../values/omit-undefined.js";
import { agentNotRunning, approvalClosed, sessionDeleted } from "../values/refusals.js";
import { check, checkOptions, describeValue, type Options } from "../values/validate-options.js";
import type { ContentPart, Message } from "../wire/record.js";
import type { OutgoingMessage, TriggerInput, UndoOptions } from "./outgoing-message.js";
import { runnableOf } from "./runnable.js";
import { Sending } from "./sending.js";
import type { SessionRunnable } from "./session-runnable.js";

/** Opens the session of a call, and keeps it until it is released. */
type OpenInside<S> = (id: string, config: Partial<SessionConfig>) => { readonly session: S; release(): void };

/** Starts a session with these messages, and gives its id. */
type BeginSession = (messages: readonly Message[]) => Promise<string>;

const noClient: BeginSession = async () => {
  throw new GloveError("CLIENT_CONFIG", "Only a session of a GloveClient can be forked; get it from `client.session(id)`.");
};

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
  readonly #sending: Sending;
  readonly #tools: CombinedTools;
  #config: SessionConfig;
  #runnable: SessionRunnable | undefined;
  #disposed = false;
  /** @internal It belongs to the call of an agent that is not at work here: it can be read, and nothing runs in it. */
  agentless = false;
  /** @internal Its id was made a moment ago, and nothing was sent: its first message may be sent to the model before the core is there. */
  fresh = false;
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
    for (const subscriber of parts.subscribers ?? []) this.#subscribers.add(subscriber);
    this.displayManager = parts.displayManager ?? new DisplayManager();
    this.#connection = new Connection(core, {
      session: this,
      parts,
      taken: (...request) => this.#sending.first.take(...request),
      another: (others) => new GloveSession(others, core),
      snapshots: this.#snapshots,
      subscribers: this.#subscribers,
      opened: () => this.#sending.offerAgain(),
      sends: (id) => this.#sending.has(id),
      serves: (id) => this.#sending.stopCancelled(id),
    });
    this.#sending = new Sending(this, parts, this.#connection, this.#snapshots, this.#subscribers, (message) => {
      this.#checkAgent();
      if (isEvent(message)) throw this.#wrong("The message", message);
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
    const sending = this.#sending.send(images?.length ? { ...message, images: [...(message.images ?? []), ...images] } : message);
    return sending as Promise<never>;
  };

  /** Like `sendMessage`, but a stopped request rejects with an `AbortError`. */
  readonly request = async (input: string | readonly ContentPart[], signal?: AbortSignal): Promise<RunOutcome> =>
    this.requestAs(generateId(), typeof input === "string" ? { text: input } : { content: input }, signal);

  /** @internal The same under an id that is known before. */
  readonly requestAs = async (id: string, input: OutgoingMessage, signal?: AbortSignal): Promise<RunOutcome> => {
    if (signal != null) check("`signal`", signal, "signal");
    if (signal?.aborted) throw stoppedBy(signal);
    const outcome = await this.#sending.send(input, signal, id);
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
    if (id === undefined) return this.#sending.send(message, signal);
    return this.#sending.sendOnce(message, check("`id`", id, "text"), signal);
  };

  /** Stops the current request. The partial answer is kept, and every open call gets a result. */
  readonly abort = (): void => {
    this.#sending.abort();
  };

  readonly stop = (): void => this.abort();

  /** Removes a message from `queue`; its promise resolves with `aborted`. Returns false if no queued message has this id. */
  readonly cancelQueued = (id: string): boolean => this.#sending.cancelQueued(id);

  /** Brings a message of `queue` in front of another one there. False when one of them does not wait, or not in the session's own queue yet. */
  readonly moveQueued = (id: string, before: string): boolean =>
    this.#sending.isQueued(check("`before`", before, "text")) && this.#sending.move(id, before);

  /**
   * Lets the run that goes on read a message of `queue` after its current step: before its next model call. Where it makes no other, the
   * message is the next. False as with `moveQueued`.
   */
  readonly sendNow = (id: string): boolean => this.#sending.move(id);

  /**
   * Gives the last answer again, in its place; a request that failed goes on where it was. What the tools of the answer did is
   * taken back first where they have an `undo` (`undone` comes back when that fails, and nothing is replaced). A call that cannot
   * be taken back and may not be repeated stays with its result, and what came after it is answered again.
   */
  readonly regenerate = async (): Promise<RunOutcome> => {
    this.#checkAgent();
    await this.#connection.ready();
    const again = await this.#connection.with((openSession) => openSession.regenerated());
    return again ? this.#sending.send(again) : this.resume();
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
    return this.#sending.edit(messageId, message);
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
    if (this.#sending.isSending)
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
    if (missed && this.#connection.session) this.#sending.offerAgain();
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
    return this.#sending.settled();
  }

  #close(): boolean {
    if (this.#disposed) return false;
    this.#disposed = true;
    this.#sending.close();
    this.#connection.dispose();
    this.#closed();
    return true;
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
