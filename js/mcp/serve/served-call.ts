// One request for a call: a prompt of a session is begun, or answered, and followed until there is a result or a question. What waits is stored, so
// nothing of it has to stay in memory.

import type { CallToolResult, InputResponseView, Progress } from "@modelcontextprotocol/server";
import type { RunOutcome } from "../../src/messages/outcome.js";
import type { GloveSession } from "../../src/session/session.js";
import { Watch } from "../../src/session/watch.js";
import { asError, GloveError } from "../../src/values/error.js";
import { type AnswersOf, answerOpen, formOf, type Open, openOf } from "./question.js";
import { failed } from "./result.js";

/** What is done in a session for a client. */
export interface Work {
  /** What clients call it. */
  readonly name: string;
  /** Before the session is started. */
  ready(session: GloveSession): void;
  /** Why it cannot begin. */
  refusal?(session: GloveSession): string | undefined;
  begin(session: GloveSession): Promise<RunOutcome>;
  /** What came of it, as the record has it. */
  ended(session: GloveSession): Promise<Ended | undefined>;
  /** The sentence where the session is not known any more, and where nothing came of it. */
  readonly unknown: string;
  readonly nothing: string;
}

export interface Ended {
  readonly result: CallToolResult;
  /** Not by itself. */
  readonly stopped: boolean;
}

export interface Serving {
  readonly session: GloveSession;
  readonly work: Work;
  /** The call in the timeline whose progress is told. */
  readonly id: string;
  /** What was asked before, and what was said to it. */
  readonly answer?: { readonly asks: string; readonly said: InputResponseView } | undefined;
  /** Whether this client can ask its person. */
  readonly asksPeople: boolean;
  readonly answersOf: AnswersOf;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  report(error: GloveError): void;
  progressed?(progress: Omit<Progress, "_meta">): void;
}

/** A result, or what a person has to say first. */
export type Served =
  | { readonly result: CallToolResult }
  /** Its client cannot ask anybody: the tool did not run, or not to its end. */
  | { readonly unasked: string }
  | { readonly open: Open; readonly form: Exclude<Awaited<ReturnType<typeof formOf>>, string> };

const beforeItBegan = "The call was stopped before it began, or went on.";

/** So long a stopped run is waited for. */
const endingMs = 10_000;

export async function serveCall(serving: Serving): Promise<Served> {
  const call = new ServedCall(serving);
  try {
    return await call.run();
  } finally {
    call.end();
  }
}

class ServedCall {
  readonly #serving: Serving;
  readonly #session: GloveSession;
  readonly #watching: Watch;
  readonly #undo: (() => void)[] = [];
  /** What was answered here: it waits no longer, whatever is shown for a moment. */
  #answered: string | undefined;
  #asked: { settled: boolean; readonly outcome: Promise<unknown> } | undefined;
  #failure: unknown;
  #stopped: "left" | "late" | undefined;
  readonly #stop = told();
  #gaveUp = false;
  #begun = false;

  constructor(serving: Serving) {
    this.#serving = serving;
    this.#session = serving.session;
    this.#watching = new Watch(serving.session, () => this.#gaveUp);
  }

  async run(): Promise<Served> {
    const { work, answer, signal } = this.#serving;
    const session = this.#session;
    if (signal.aborted) return { result: failed(beforeItBegan) };
    work.ready(session);
    this.#watch();
    const opened = session.start();
    opened.catch(() => {});
    // A store may never answer.
    await Promise.race([opened, this.#stop.promise]);
    if (this.#stopped) return { result: failed(beforeItBegan) };
    if (!answer) {
      const refusal = work.refusal?.(session);
      if (refusal !== undefined) return { result: failed(refusal) };
      this.#begun = true;
      this.#follow(work.begin(session));
    } else {
      const ended = await work.ended(session);
      if (ended) return ended;
      if (session.getSnapshot().timeline.length === 0) return { result: failed(work.unknown) };
      this.#begun = true;
      const again = await this.#go(answer);
      if (again) return again;
    }
    await this.#watching.until(
      () => (this.#asked ? this.#asked.settled : !session.getSnapshot().busy) || this.#waiting() !== undefined,
    );
    return this.#outcome();
  }

  /** Answers what was asked, if it still waits, or goes on with what was interrupted. Gives what is to be asked again. */
  async #go({ asks, said }: NonNullable<Serving["answer"]>): Promise<Served | undefined> {
    const session = this.#session;
    const open = openOf(session.getSnapshot());
    // It is another question than the one that was answered.
    if (open && (open.id !== asks || said.kind === "missing")) return this.#ask(open);
    if (open) {
      const taken = await answerOpen(session, open, said, this.#serving.answersOf);
      if (!taken && openOf(session.getSnapshot())?.id === open.id) return this.#ask(open);
      this.#answered = open.id;
      return undefined;
    }
    const { busy, run } = session.getSnapshot();
    if (!busy && run.phase !== "idle") this.#follow(session.resume());
    return undefined;
  }

  #follow(outcome: Promise<RunOutcome>): void {
    const asked = { settled: false, outcome };
    this.#asked = asked;
    const over = () => {
      asked.settled = true;
      this.#watching.look();
    };
    outcome.then(
      (ended) => {
        if (ended.type === "paused") this.#failure = new GloveError(ended.rule, ended.message);
        over();
      },
      (error: unknown) => {
        this.#failure = error;
        over();
      },
    );
  }

  /** What of it waits for a person. */
  #waiting(): Open | undefined {
    const snapshot = this.#session.getSnapshot();
    const open = snapshot.run.phase === "waiting" ? openOf(snapshot) : undefined;
    return open?.id === this.#answered ? undefined : open;
  }

  async #outcome(): Promise<Served> {
    const { work, report } = this.#serving;
    const open = this.#stopped ? undefined : this.#waiting();
    if (open) return this.#ask(open);
    const ended = await work.ended(this.#session);
    if (ended && !ended.stopped) return ended;
    if (this.#stopped === "late")
      return { result: failed(`"${work.name}" did not end in time, and was stopped; it may have done a part of its work.`) };
    if (this.#stopped) return { result: failed("The call was stopped.") };
    if (ended) return ended;
    const error = asError(
      this.#failure ?? this.#session.getSnapshot().error ?? new GloveError("INTERNAL", "There is no result."),
    );
    report(error instanceof GloveError ? error : new GloveError("INTERNAL", error.message, { cause: error }));
    return { result: failed(work.nothing) };
  }

  /** Where nobody can be asked, it ends. */
  async #ask(open: Open): Promise<Served> {
    const {
      asksPeople,
      answersOf,
      work: { name },
    } = this.#serving;
    const form = asksPeople
      ? await formOf(open, answersOf)
      : `"${name}" asks a person, and this client cannot be asked: it needs version 2026-07-28 of the protocol, and elicitation.`;
    if (typeof form !== "string") return { open, form };
    this.#session.abort();
    await this.#watching.until(() => !this.#session.getSnapshot().busy, endingMs);
    const ran = open.before ? "The tool did not run." : "The tool was stopped where it asked.";
    return asksPeople ? { result: failed(`${form} ${ran}`) } : { unasked: `${form} ${ran}` };
  }

  #watch(): void {
    const { signal, timeoutMs } = this.#serving;
    const stop = (why: "left" | "late") => {
      if (this.#stopped) return;
      this.#stopped = why;
      this.#stop.tell();
      // What others have begun in this session is not this call's.
      if (this.#begun) this.#session.abort();
      const timer = setTimeout(() => {
        this.#gaveUp = true;
        this.#watching.look();
      }, endingMs);
      this.#undo.push(() => clearTimeout(timer));
    };
    const leave = () => stop("left");
    const timer = setTimeout(() => stop("late"), Math.min(timeoutMs, 0x7fff_ffff));
    signal.addEventListener("abort", leave, { once: true });
    this.#undo.push(
      () => clearTimeout(timer),
      () => signal.removeEventListener("abort", leave),
      this.#tellProgress(),
    );
  }

  /** Numbers only grow, as the protocol wants it. */
  #tellProgress(): () => void {
    const { id, progressed } = this.#serving;
    if (!progressed) return () => {};
    let last = Number.NEGATIVE_INFINITY;
    return this.#session.subscribe(() => {
      const entry = this.#session.getSnapshot().timeline.find((one) => one.kind === "tool" && one.id === id);
      const { done, of: total, message } = (entry?.kind === "tool" && entry.progress) || {};
      if (done === undefined || done <= last) return;
      last = done;
      progressed({ progress: done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) });
    });
  }

  end(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }
}

/** A promise, and what resolves it. */
function told(): { readonly promise: Promise<void>; tell(): void } {
  let tell = () => {};
  const promise = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { promise, tell };
}
