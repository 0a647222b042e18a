// The messages of a session on their way to the core: in their order, written down until the core has them, and taken back.

import type { Connection } from "../core/connection.js";
import { staysUndelivered } from "../core/stays-undelivered.js";
import type { Subscribers } from "../core/subscribers.js";
import { FirstAnswer } from "../early/answer.js";
import type { RunOutcome } from "../messages/outcome.js";
import { bodyOf, checkInput, fileCount, type MessageInput, type RequestBody } from "../messages/request.js";
import type { SessionPort } from "../ports/session.js";
import type { SessionParts } from "../ports/session-config.js";
import { type SnapshotStore, slowMs } from "../snapshot/snapshot-store.js";
import { AbortError, codeOf, GloveError, loadPart } from "../values/error.js";
import { generateId } from "../values/ids.js";
import { sessionClosed } from "../values/refusals.js";
import { check } from "../values/validate-options.js";
import { fromCore } from "../wasm/core-errors.js";
import type { OutgoingMessage, Sent } from "./outgoing-message.js";

/** The session, as far as its messages need it. */
interface SendingSession extends SessionPort {
  readonly disposed: boolean;
  fresh: boolean;
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

export class Sending {
  readonly #session: SendingSession;
  readonly #parts: SessionParts;
  readonly #connection: Connection;
  readonly #snapshots: SnapshotStore;
  readonly #subscribers: Subscribers;
  readonly #check: (input: OutgoingMessage) => void;
  /** The answer that the page requests before the core is there. */
  readonly first: FirstAnswer;
  readonly #sent = new Map<string, Sent>();
  readonly #sending = new Set<Promise<RunOutcome>>();
  /** Messages that the session could not be opened for, in their order. */
  readonly #undelivered = new Map<string, OutgoingMessage>();
  /** Messages that another tab has not taken. The tab that runs the session finds them in the store. */
  readonly #unclaimed = new Map<string, OutgoingMessage>();
  #delivering: Promise<unknown> = Promise.resolve();
  #latest = 0;

  /** `check` throws for what the session refuses. */
  constructor(
    session: SendingSession,
    parts: SessionParts,
    connection: Connection,
    snapshots: SnapshotStore,
    subscribers: Subscribers,
    check: (input: OutgoingMessage) => void,
  ) {
    this.#session = session;
    this.#parts = parts;
    this.#connection = connection;
    this.#snapshots = snapshots;
    this.#subscribers = subscribers;
    this.#check = check;
    this.first = new FirstAnswer(snapshots);
  }

  /** A message, and no edit, is on its way to the core. */
  get isSending(): boolean {
    return [...this.#sent.values()].some(({ delivered, input }) => !delivered && !input.edits);
  }

  /** The session is about to ask for this request itself. */
  has(id: string): boolean {
    return this.#sent.has(id) || this.#undelivered.has(id);
  }

  /** Stops a request that was cancelled while it waited in the queue. */
  stopCancelled(id: string): void {
    if (this.#sent.get(id)?.cancelled) this.#connection.stop();
  }

  /** Sends a message under an id that may be on its way already. */
  sendOnce(input: OutgoingMessage, id: string, signal?: AbortSignal): Promise<RunOutcome> {
    const begun = this.#sent.get(id)?.outcome;
    if (!begun) this.#undelivered.delete(id);
    return begun ?? this.send(input, signal, id);
  }

  /** Stops all messages that are on their way, and the current request. */
  abort(): void {
    for (const sent of this.#sent.values()) if (!sent.delivered) this.#cancel(sent);
    for (const id of this.#undelivered.keys()) this.#stopFirst(id);
    this.#connection.stop();
  }

  cancelQueued(id: string): boolean {
    const isUndelivered = this.#undelivered.delete(id);
    const waits = this.isQueued(id);
    if (isUndelivered || (this.#unclaimed.delete(id) && waits)) {
      if (isUndelivered) this.first.end(id);
      this.#connection.dropSent(id);
      this.#snapshots.dispatch({ kind: "dropped", id });
      // Another tab may have taken it by now.
      if (!isUndelivered) this.#connection.cancelQueued(id);
      return true;
    }
    const sent = this.#sent.get(id);
    if (waits && sent) this.#cancel(sent);
    else if (waits) this.#connection.cancelQueued(id);
    return waits;
  }

  move(id: string, before?: string): boolean {
    if (!this.isQueued(check("`id`", id, "text"))) return false;
    const moves = this.#connection.session?.moveQueued?.(id, before) ?? false;
    const sent = this.#sent.get(id);
    if (moves && sent) sent.input = { ...sent.input, whenBusy: before ? "queue" : "steer" };
    return moves;
  }

  /** Sends something else in the place of a message. */
  edit(messageId: string, message: MessageInput): Promise<RunOutcome> {
    const sent = this.#sent.get(messageId);
    // What another tab has answered meanwhile is a message like any other.
    const unclaimed = this.isQueued(messageId) ? this.#unclaimed.get(messageId) : undefined;
    const early = this.#undelivered.get(messageId) ?? unclaimed ?? (sent?.delivered ? undefined : sent?.input);
    if (early) {
      // The core has not heard of it.
      this.first.end(messageId);
      if (sent) this.#cancel(sent);
      else this.cancelQueued(messageId);
      return this.send({ ...early, ...message });
    }
    return this.send({ whenBusy: "interrupt", ...message, edits: check("`messageId`", messageId, "text") });
  }

  /** Resolves when the promises of all messages are settled. */
  settled(): Promise<unknown> {
    return Promise.allSettled(this.#sending);
  }

  /** Ends what is done before messages are sent. */
  close(): void {
    this.first.end();
    for (const { stop } of this.#sent.values()) stop?.abort();
  }

  /** What was written while the session could not be opened. */
  offerAgain(): void {
    const undelivered = [...this.#undelivered];
    this.#undelivered.clear();
    for (const [id, input] of undelivered) void this.send(input, undefined, id);
  }

  send(input: OutgoingMessage, signal?: AbortSignal, id = generateId()): Promise<RunOutcome> {
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
    if (this.#session.disposed) throw sessionClosed();
    this.#check(input);
    const { regenerate, edits, trigger, byModel, ...fields } = input;
    const { visible = true, ...message } = fields;
    // A message of a person is seen.
    if (!regenerate) checkInput(trigger ? message : fields);
    const { model = "normal" } = message;
    if (model !== "normal" && !Object.hasOwn(this.#session.config.models ?? {}, model))
      throw new GloveError("MODEL_UNKNOWN", `There is no model "${model}" in \`models\`.`);
    this.offerAgain();
    const keeps = !!this.#parts.store.keepSent && !regenerate && !byModel;
    // A message that cannot go to the core at once stands in the queue until then.
    const text = (!trigger && input.text) || "";
    const behind = [...this.#sent.values()].some(({ delivered }) => !delivered);
    const calls = this.#calls(input);
    const waits = behind || this.#connection.session === undefined || !!input.files?.length || calls;
    // A hook or a file may take its time, and the message may be taken back meanwhile.
    const unsafe = keeps && !calls && !input.files?.length;
    this.#latest = Math.max(Date.now(), this.#latest + 1);
    const state = { delivered: false, cancelled: false, unopened: false, noted: false };
    const isFirst = this.#session.fresh;
    this.#session.fresh = false;
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
      // The screen shows it as stored, so it must be stored before that.
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
      const waits = failure && unopened && !this.#session.disposed && !regenerate && !edits;
      const offer = () => this.#snapshots.dispatch({ kind: "undelivered", id, text, files, hidden });
      if (waits) {
        this.#undelivered.set(sent.id, input);
        this.first.left(id);
        offer();
      } else if (sent.noted && !this.#session.disposed) {
        if (!staysUndelivered(failure, this.#snapshots.phase)) this.#connection.dropSent(id);
        else if (codeOf(failure) === "SESSION_OPEN_ELSEWHERE" && !edits) {
          this.#unclaimed.set(id, input);
          offer();
        }
      }
      // The core reports how a run ended. The reason why a session was closed says more than that it was closed.
      const error = ended || (this.#session.disposed && this.#snapshots.error) ? undefined : failure;
      this.#snapshots.dispatch({ kind: "settled", id, error });
      // Behind that: as long as it is shown, the message does not stand in the queue too.
      if (!waits) this.first.end(id);
    }
  }

  /** Messages reach the core in the order of sending, whatever it takes to read their files. */
  async #give(sent: Sent): Promise<string> {
    const { regenerate, edits, trigger, visible = true, whenBusy = this.#session.config.whenBusy } = sent.input;
    const interrupted = new Promise<never>((_, reject) => {
      sent.leave = () => reject(new AbortError());
    });
    const request = Promise.race([this.#body(sent), interrupted]).then((content) => {
      const extra = { ...content.extra, userId: this.#session.config.userId };
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
        const stopped = this.first.stopped(sent.id)?.request;
        this.#connection.opened?.deliverWaiting();
        sent.delivered = true;
        if (!leads && !stopped) this.first.follow(sent.id);
        if (whenBusy === "interrupt") this.#connection.opened?.flush();
        this.#snapshots.apply({ kind: "delivered", id: sent.id });
        const answer = this.#connection.guard.untilTrap(session.request(stopped ?? text));
        // A store that takes its time has not taken it either.
        const slow = setTimeout(() => {
          if (!this.#session.disposed && this.#snapshots.isOnItsWay(sent.id)) void this.#keep(sent, text, true);
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
    const message = this.first.stopped(id) ?? { id, request, at };
    const error = await Promise.race([this.#connection.keepSent(message, ask), timeout]);
    clearTimeout(timer);
    // Where nothing is kept at once.
    if (!error) ask();
    this.first.safe(id);
    this.#show(sent, error);
    // The record has it by now.
    if (isSlow && this.#snapshots.serves(id) && this.#snapshots.phase !== "paused") this.#connection.dropSent(id);
  }

  /** Does not wait for the core, where that would ask for the same. */
  #askFirst(sent: Sent, request: string): boolean {
    const config = this.#session.config;
    const isOurs = () =>
      !(this.#session.disposed || sent.delivered || sent.cancelled || this.#connection.session) &&
      this.#session.config === config;
    return this.first.ask(sent, request, config, this.#parts.tasks, isOurs);
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
    const { hooks, skills } = this.#session.config;
    return !!(hooks?.length || skills?.length) && !content && !trigger && !byModel && !regenerate && !!text?.includes("/");
  }

  async #body(sent: Sent): Promise<RequestBody> {
    const { input, id } = sent;
    if (!this.#calls(input)) return bodyOf(input, id, this.#session);
    const stop = new AbortController();
    sent.stop = stop;
    const { outgoing } = await loadPart(import("../plugins/prepare-message.js"));
    const { text, skills, ...made } = await this.#connection.whileOpen(outgoing(input.text ?? "", this.#session, stop.signal));
    const body = await bodyOf({ ...input, text }, id, this.#session);
    return { ...body, ...made, extra: { ...body.extra, skills } };
  }

  isQueued(id: string): boolean {
    return this.#snapshots.snapshot.queue.some((message) => message.id === id);
  }

  /** Ends the first answer where it is. The page that runs the session records what was seen of it. False where that is not under way. */
  #stopFirst(id: string): boolean {
    if (!this.first.stop(id)) return false;
    const stopped = this.first.stopped(id);
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
    const { whenBusy = this.#session.config.whenBusy } = sent.input;
    const joined = whenBusy === "steer" && this.#snapshots.snapshot.queue.every(({ id }) => id !== sent.id);
    if (request === sent.id || joined || (request === null && this.#sent.size === 1)) this.#connection.stop();
    else this.#connection.session?.cancelQueued?.(sent.id);
  }
}
