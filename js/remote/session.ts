// A session that runs on a server: it tells what a tab that runs one tells its followers, and is asked the same.

import type { Written } from "../src/snapshot/state.js";
import { type Method, rulesOf } from "../src/tabs/command-rules.js";
import { type Command, CommandSender } from "../src/tabs/command-sender.js";
import type { SharedSession } from "../src/tabs/shared-session.js";
import type { TabPage } from "../src/tabs/tab-adapter.js";
import { codeOf, GloveError } from "../src/values/error.js";
import { generateId } from "../src/values/ids.js";
import { fromCore } from "../src/wasm/core-errors.js";
import type { CoreEvent } from "../src/wire/core-types.js";
import { parsed, type RemoteServer, unreachable } from "./server.js";

interface Pending extends Command {
  /** It was sent, and whether the server has it is not known. */
  sent: boolean;
  /** The server has begun it, and tells its end in the stream. */
  taken: boolean;
  /** The stream has told the whole session since: the end may have been told before. */
  untold: boolean;
  /** The last event when it was asked. */
  readonly seen: string | undefined;
}

type ServerEvent =
  | { readonly kind: "all"; readonly events: readonly CoreEvent[]; readonly written: Written }
  | { readonly kind: "events"; readonly events: readonly CoreEvent[] }
  /** It is not stored any more. */
  | { readonly kind: "deleted" }
  | { readonly kind: "answered"; readonly id: string; readonly value?: unknown; readonly error?: unknown };

/** Waits end by the clock of this page, which may show another time than that of the server. */
function byOwnClock(event: CoreEvent): CoreEvent {
  if (event.kind !== "event" || event.type !== "model_retry") return event;
  const data = event.data as { readonly wait_ms: number };
  return { ...event, data: { ...data, until: Date.now() + data.wait_ms } };
}

const firstWaitMs = 250;
const longestWaitMs = 5_000;
/** Tries that may fail before a person is told. */
const silentTries = 3;

export class RemoteSession extends CommandSender<Pending> implements SharedSession {
  readonly leads = false;
  readonly #id: string;
  readonly #path: string;
  readonly #server: RemoteServer;
  readonly #stop = new AbortController();
  /** The id of the last event. */
  #last: string | undefined;
  /** The session was shown, and had something to show. */
  #known = false;
  #connected = false;
  #follows = false;
  /** Why it cannot be had. */
  #failure: GloveError | undefined;
  /** The code of the failure that is on the screen. */
  #shown: string | undefined;
  /** What ends each waiting before a next try. */
  readonly #resting = new Set<() => void>();

  constructor(id: string, server: RemoteServer, page: TabPage) {
    super(page);
    this.#id = id;
    this.#path = `/${encodeURIComponent(id)}`;
    this.#server = server;
  }

  get isDropped(): boolean {
    return this.#failure !== undefined && !this.over;
  }

  ready(): Promise<void> {
    if (this.over) return Promise.reject(this.over);
    if (this.#last !== undefined && !this.#failure) return Promise.resolve();
    if (!this.#follows) void this.#follow();
    this.#hurry();
    return this.wait();
  }

  // ---- what only tabs do ---------------------------------------------------------------------------------------------

  takeOver(): void {}
  resend(): void {}
  superseded(): void {}
  tell(): void {}
  clearError(): void {}

  async holds(): Promise<boolean> {
    return true;
  }

  async answerInbox(): Promise<boolean> {
    throw new GloveError("INBOX_REMOTE", "The inbox of a session on a server is answered there.");
  }

  drop(error: unknown): void {
    this.refuse(error);
  }

  dispose(error: Error): void {
    this.over = error;
    this.#stop.abort();
    this.#hurry();
    this.drop(error);
  }

  // ---- what is asked -------------------------------------------------------------------------------------------------

  abort(): void {
    const request = this.page.request;
    if (request !== null) this.send("abort", request);
  }

  protected ask(method: Method, ...args: readonly unknown[]): Promise<unknown> {
    if (this.over) return Promise.reject(this.over);
    return new Promise((resolve, reject) => {
      const command: Pending = {
        id: generateId(),
        method,
        args,
        resolve,
        reject,
        sent: false,
        taken: false,
        untold: false,
        seen: this.#last,
      };
      this.pending.set(command.id, command);
      void this.#give(command);
    });
  }

  /** Asks the server until it has heard it. What is done only once is not asked of a server that was started anew. */
  async #give(command: Pending): Promise<void> {
    const { id, method, args } = command;
    const repeats = command.sent;
    command.sent = true;
    const seen = repeats && rulesOf(method)?.once ? command.seen : undefined;
    let text: string;
    let received: Partial<ServerEvent>;
    try {
      text = await this.#server.text("POST", `${this.#path}/ask`, { id, method, args, seen }, this.#stop.signal);
      received = parsed(text) as Partial<ServerEvent>;
    } catch (thrown) {
      if (!this.pending.has(id)) return;
      const error = fromCore(thrown);
      if (codeOf(error) !== "SERVER_UNREACHABLE") return this.end(id, ({ reject }) => reject(error));
      await this.#rest(firstWaitMs * 4);
      if (this.pending.has(id)) void this.#give(command);
      return;
    }
    if (!rulesOf(method)?.begins && method !== "switchBranch") {
      // An answer that was heard the first time is none the second time.
      const value = text === "false" ? repeats : text;
      return this.end(id, ({ resolve }) => resolve(value));
    }
    command.taken = true;
    this.#hurry();
    // An outcome that is here before the stream waits for it: what led to it is shown first.
    if (received.kind && command.untold) this.#receive(received as ServerEvent);
  }

  // ---- what the server tells -----------------------------------------------------------------------------------------

  async #follow(): Promise<void> {
    this.#follows = true;
    const { signal } = this.#stop;
    const online = () => this.#hurry();
    // One that tells nothing new is there again, too, and what waits for it goes on.
    const back = () => {
      if (this.#last === undefined) return;
      this.#giveWay();
      this.#heard();
    };
    globalThis.addEventListener?.("online", online, { signal });
    for (let tries = 0; !this.over; tries++) {
      try {
        for await (const { id, data } of this.#server.follow(`${this.#path}/feed`, this.#last, signal, undefined, back)) {
          if (this.over) return;
          tries = 0;
          // An event that cannot be taken is told again by no try.
          this.#last = id;
          this.#receive(JSON.parse(data) as ServerEvent);
        }
      } catch (thrown) {
        if (this.over) return;
        let error: Error | undefined = fromCore(thrown);
        if (codeOf(error) === "SESSION_UNKNOWN") {
          if (this.#known) return this.page.core.deleted();
          error = await this.#begin();
          if (this.over) return;
          // One that is unknown again is asked for after a while.
          if (!error && tries === 0) continue;
        }
        if (error && codeOf(error) !== "SERVER_UNREACHABLE") {
          this.#follows = false;
          this.#connected = false;
          this.#fail(error as GloveError);
          return this.drop(error);
        }
      }
      if (this.over) return;
      if (tries >= silentTries) this.#fail(unreachable(undefined));
      await this.#rest(Math.min(firstWaitMs * 2 ** tries, longestWaitMs) * (0.75 + Math.random() / 2));
    }
  }

  /** The server creates a session with its first message; an empty one need not exist. Returns the error of creating it. */
  async #begin(): Promise<Error | undefined> {
    try {
      await this.#server.text("POST", "", { id: this.#id }, this.#stop.signal);
      return undefined;
    } catch (thrown) {
      return fromCore(thrown);
    }
  }

  #receive(received: ServerEvent): void {
    if (received.kind === "answered") {
      const { value, error } = received;
      this.end(received.id, ({ resolve, reject }) =>
        error === undefined ? resolve(JSON.stringify(value)) : reject(fromCore(error)),
      );
      return;
    }
    if (received.kind === "deleted") {
      this.page.core.deleted();
      return;
    }
    this.#giveWay();
    if (received.kind === "events") this.page.take(received.events.map(byOwnClock));
    else if (received.kind === "all") {
      this.page.take(received.events.map(byOwnClock), received.written);
      // The outcome may have been sent while this page was not connected.
      for (const command of [...this.pending.values()]) {
        command.untold = true;
        if (command.taken) void this.#give(command);
      }
    } else return;
    this.#known ||= received.events.some((event) => event.kind === "timeline" && event.len > 0);
    this.#heard();
  }

  /** What was shown of a server that was away goes, before what the session itself tells of an error. */
  #giveWay(): void {
    if (this.#shown) this.page.fail(undefined);
    this.#shown = undefined;
  }

  /** The server is there. */
  #heard(): void {
    const first = !this.#connected || this.#failure;
    this.#connected = true;
    this.#failure = undefined;
    if (!first) return;
    this.page.show("follower");
    this.settle();
    this.page.core.opened();
  }

  /** What was shown stays, and what is asked waits, when the server was there before. */
  #fail(error: GloveError): void {
    if (this.#shown !== error.code) this.page.fail(error);
    this.#shown = error.code;
    if (this.#connected) return;
    this.#failure = error;
    this.settle(error);
  }

  /** Until the time is over, or somebody does not want to wait. */
  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        this.#resting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, ms);
      this.#resting.add(go);
    });
  }

  #hurry(): void {
    for (const go of this.#resting) go();
  }
}
