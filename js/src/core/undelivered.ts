// Messages of pages that were closed before the record had them: the page that runs the session gives each to the core, once.

import { fileCount, type MessageInput } from "../messages/request.js";
import type { SentRequest } from "../ports/store.js";
import type { MaybeHidden } from "../snapshot/state.js";
import { dropLocalCopy, type LocalCopies, listLocalCopies } from "../store/local/local-copy.js";
import { codeOf } from "../values/error.js";
import { fromCore } from "../wasm/core-errors.js";
import type { CoreOutcome } from "../wire/core-types.js";
import type { OpenSession } from "./open-session.js";
import { staysUndelivered } from "./stays-undelivered.js";

/** The session is open without the copies that take longer. */
const lateMs = 1_000;

export class UndeliveredMessages {
  readonly #openSession: OpenSession;
  /** Messages that wait until a person resumes the run. */
  readonly #waiting = new Map<string, SentRequest>();
  /** Those of them that are being written down: not shown yet, as the browser may die before it is done. */
  readonly #keeping = new Map<string, Promise<void>>();
  #shown: readonly MaybeHidden[] = [];
  #unsubscribe = () => {};

  constructor(openSession: OpenSession) {
    this.#openSession = openSession;
  }

  /** The waiting messages, for other tabs. The same array while nothing changed, also without a core. */
  get held(): readonly MaybeHidden[] {
    return this.#shown;
  }

  /** Delivers all stored messages. A page that sends one of them itself gets the same outcome: the core starts a request once. */
  async take(): Promise<void> {
    const { subscribers, page } = this.#openSession;
    const core = this.#openSession.core;
    // A read-only session takes no requests.
    if (!core || page.session.agentless) return;
    this.#changed();
    // Before those that are written down: one may be on its way from here to there.
    const copies = listLocalCopies(page.parts.store);
    let written: readonly SentRequest[] = [];
    try {
      written = (await this.#openSession.store.listSent?.()) ?? [];
    } catch (error) {
      // Without them the session is as good as before.
      subscribers.report(codeOf(fromCore(error)), error);
    }
    const copied = await Promise.race([copies, new Promise<undefined>((resolve) => setTimeout(resolve, lateMs))]);
    this.#takeEach(core, written, copied);
    if (copied) return;
    // What was written down is delivered, and may have been taken back by then.
    const delivered = new Set(written.map(({ id }) => id));
    void copies.then(({ messages, fleeting }) =>
      this.#takeEach(core, [], { messages: messages.filter(({ id }) => !delivered.has(id)), fleeting }),
    );
  }

  #takeEach(core: unknown, written: readonly SentRequest[], copies?: LocalCopies): void {
    const { snapshots, page } = this.#openSession;
    if (this.#openSession.core !== core) return;
    const found = new Map([...(copies?.messages ?? []), ...written].map((message) => [message.id, message]));
    const isOnDisk = ({ id }: SentRequest) => !copies?.fleeting.has(id) || written.some((message) => message.id === id);
    for (const message of [...found.values()].sort((a, b) => a.at - b.at)) {
      if (page.sends(message.id) || this.#rests(message.id)) continue;
      if (snapshots.phase === "interrupted") this.#hold(message, isOnDisk(message));
      else this.#give(message, isOnDisk(message));
    }
  }

  /** Gives the core what waited for a run to go on. */
  deliverWaiting(): void {
    const held = [...this.#waiting.values()];
    if (held.length === 0) return;
    this.forget();
    for (const message of held) this.#give(message, !this.#keeping.has(message.id));
  }

  /** Gives up one that waits so. False when none with this id does. */
  cancel(id: string): boolean {
    if (!this.#waiting.delete(id)) return false;
    this.#changed();
    this.#openSession.snapshots.dispatch({ kind: "dropped", id });
    const drop = () => this.#drop(id);
    drop();
    // The row may come after that.
    this.#keeping.get(id)?.then(drop);
    return true;
  }

  /** The core is gone; they are found again. */
  forget(): void {
    this.#unsubscribe();
    const ids = [...this.#waiting.keys()];
    this.#waiting.clear();
    if (this.#openSession.core) this.#changed();
    for (const id of ids) this.#openSession.snapshots.dispatch({ kind: "dropped", id });
  }

  /** The run was paused with this message in memory; its row is removed with the write that is still missing. */
  #rests(id: string): boolean {
    const { snapshots } = this.#openSession;
    if (!/^(paused|interrupted)$/.test(snapshots.phase)) return false;
    return snapshots.serves(id) || snapshots.snapshot.timeline.some((entry) => entry.kind === "user" && entry.id === id);
  }

  #changed(): void {
    const shown = [...this.#waiting.values()].filter(({ id }) => !this.#keeping.has(id));
    if (shown.length + this.#shown.length > 0) this.#shown = shown.map(shownOf);
  }

  #hold(message: SentRequest, isOnDisk: boolean): void {
    const { snapshots } = this.#openSession;
    const { id } = message;
    this.#waiting.set(id, message);
    const show = () => {
      this.#changed();
      snapshots.dispatch({ kind: "undelivered", ...shownOf(message) });
    };
    if (isOnDisk) show();
    else if (!this.#keeping.has(id)) {
      const kept = this.#keep(message).then(() => {
        this.#keeping.delete(id);
        if (this.#waiting.has(id)) show();
      });
      this.#keeping.set(id, kept);
    }
    this.#unsubscribe();
    this.#unsubscribe = snapshots.subscribe(() => snapshots.phase !== "interrupted" && this.deliverWaiting());
  }

  /** Where that fails, it is said why. */
  async #keep(message: SentRequest): Promise<void> {
    try {
      await this.#openSession.store.keepSent?.(message);
    } catch (error) {
      this.#openSession.subscribers.report(codeOf(fromCore(error)), error);
    }
  }

  /** What may be on no disk yet is shown when the core has stored it, as what is sent here is. */
  #give(message: SentRequest, isOnDisk: boolean): void {
    const { id, request } = message;
    const core = this.#openSession.core;
    if (!core) return;
    const { snapshots } = this.#openSession;
    snapshots.dispatch({ kind: "sent", ...shownOf(message), waits: true, unsafe: !isOnDisk });
    const ended = (failure?: Error) => {
      snapshots.dispatch({ kind: "settled", id, error: undefined });
      if (!staysUndelivered(failure, snapshots.phase)) this.#drop(id);
    };
    const failed = (thrown: unknown) => {
      const error = fromCore(thrown);
      const code = codeOf(error);
      // What is in the record already is refused.
      if (code !== "OUT_OF_PROTOCOL" && !staysUndelivered(error, snapshots.phase))
        this.#openSession.subscribers.report(code, error);
      ended(error);
    };
    try {
      const answer = this.#openSession.guard.untilTrap(core.request(request));
      answer.then((coreOutcome) => {
        const outcome = JSON.parse(coreOutcome) as CoreOutcome;
        ended(outcome.outcome === "failed" ? fromCore(outcome.error) : undefined);
      }, failed);
    } catch (error) {
      failed(error);
    }
  }

  #drop(id: string): void {
    dropLocalCopy(this.#openSession.parts.store, id);
    this.#openSession.store.dropSent?.(id).catch(() => {});
  }
}

/** As the queue shows it. */
function shownOf({ id, request }: SentRequest): MaybeHidden {
  const { text = "", trigger, hidden, ...input } = JSON.parse(request) as MessageInput & Record<"trigger" | "hidden", boolean>;
  return { id, text: trigger ? "" : text, files: fileCount(input), hidden };
}
