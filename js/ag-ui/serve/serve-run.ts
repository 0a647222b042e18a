// One request: its session is opened, gets what the client brings, and is followed until it is over or waits for the client. What waits is stored,
// so nothing of it has to stay in memory.

import { refuse } from "../../server/refuse.js";
import type { RunOutcome } from "../../src/messages/outcome.js";
import { yielded } from "../../src/plugins/yielded.js";
import type { Plugin } from "../../src/ports/plugin.js";
import { EventStream } from "../../src/relay/events.js";
import type { GloveClient } from "../../src/session/client.js";
import type { GloveSession } from "../../src/session/session.js";
import { Watch } from "../../src/session/watch.js";
import { AbortError, asError, GloveError } from "../../src/values/error.js";
import { generateId } from "../../src/values/ids.js";
import type { ToolResultData } from "../../src/wire/record.js";
import { agUiState, clientTool } from "./client-tools.js";
import { answer, clientCalls, interruptsOf, openIds } from "./interrupts.js";
import { RunEvents } from "./run-events.js";
import type { ResumeEntry, RunInput, ToolAnswer } from "./run-input.js";
import { sentId, shownMessages } from "./shown-messages.js";

export interface Serving {
  readonly client: GloveClient;
  readonly sessionId: string;
  readonly userId: string;
  readonly input: RunInput;
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
  report(error: GloveError): void;
  /** Called when nothing of it is open any more. */
  over(): void;
}

interface Told {
  readonly call_id: string;
  readonly tool_name: string;
  readonly result: ToolResultData;
}

/** So long a stopped run is waited for. */
const endingMs = 10_000;

export async function serveRun(serving: Serving): Promise<Response> {
  let run: ServedRun | undefined;
  try {
    run = new ServedRun(serving);
    await run.open();
  } catch (error) {
    if (run) run.close();
    else serving.over();
    throw error;
  }
  return run.follow();
}

class ServedRun {
  readonly #serving: Serving;
  readonly #session: GloveSession;
  readonly #watching: Watch;
  readonly #release: () => void;
  readonly #stream: EventStream;
  readonly #events: RunEvents;
  /** What of `resume` is not used, and of what the client's tools gave. */
  readonly #resume: Set<ResumeEntry>;
  readonly #answered = new Set<string>();
  /** The tools that the client runs. */
  #theirs: ReadonlySet<string> = new Set();
  /** The ids of the messages that the client has. */
  #known: ReadonlySet<string>;
  /** The state that the client knows. */
  #state: string;
  #ending = false;
  #undo: (() => void)[] = [];

  constructor(serving: Serving) {
    const { client, sessionId, userId, input } = serving;
    this.#serving = serving;
    this.#known = input.known;
    this.#state = JSON.stringify(input.state);
    this.#resume = new Set(input.resume);
    this.#session = client.session(sessionId, userId ? { userId } : {});
    this.#watching = new Watch(this.#session, () => this.#ending);
    this.#release = client.retain(this.#session);
    this.#stream = new EventStream(serving.heartbeatMs, () => void this.#leave());
    this.#events = new RunEvents(this.#write, () => this.#session.getSnapshot().timeline);
  }

  readonly #write = (event: object) => this.#stream.write(`data: ${JSON.stringify(event)}\n\n`);

  async open(): Promise<void> {
    const { client, input } = this.#serving;
    const session = this.#session;
    const own = client.tools ?? [];
    // A tool of the server's stands in the place of one of the client's, also one that a plugin brings later.
    const names = new Set(own.map(({ name }) => name.toLowerCase()));
    const theirs = input.tools.filter(({ name }) => !names.has(name.toLowerCase()));
    for (const { name } of input.tools) if (names.has(name.toLowerCase())) this.#serving.report(yielded(name));
    this.#theirs = new Set(theirs.map(({ name }) => name));
    const plugins = (session.config.plugins ?? []).filter(({ id }) => id !== agUiState.id);
    session.configure({ tools: [...own, ...theirs.map(clientTool)], plugins: [...plugins, this.#plugin()] });
    await session.start();
    const covered = new Set(input.resume.map(({ interruptId }) => interruptId));
    const uncovered = openIds(session.getSnapshot()).filter((id) => !covered.has(id));
    if (uncovered.length > 0 && this.#isNew())
      refuse(
        409,
        "INTERRUPT_OPEN",
        `Answer what is open with \`resume\` first: ${uncovered.join(", ")}. Nothing of this request was taken.`,
      );
  }

  /** The client says something that the session has not heard. */
  #isNew(): boolean {
    const { said } = this.#serving.input;
    return said !== undefined && !this.#users().some(({ id }) => sentId(id) === said.id);
  }

  /** The client goes on from an earlier place of the conversation. */
  #replaces(): boolean {
    const { said, before } = this.#serving.input;
    if (said && !this.#isNew()) return true;
    const at = this.#users().findIndex(({ id }) => sentId(id) === before);
    return said !== undefined && at >= 0 && at < this.#users().length - 1;
  }

  #users() {
    return this.#session.getSnapshot().timeline.filter(({ kind }) => kind === "user");
  }

  #plugin(): Plugin<unknown> {
    const { context, state } = this.#serving.input;
    let given = this.#state === "{}";
    return {
      ...agUiState,
      prepare: async (round) => {
        if (!given) await round.state.set(state);
        const now = given ? await round.state.get() : state;
        given = true;
        this.#tellState(now);
        if (context.length > 0) round.context.add(`What the application says of itself:\n${context.join("\n")}`);
        const text = JSON.stringify(now);
        if (text !== "{}" && text !== "null") round.context.add(`The state of the application: ${text}`);
      },
    };
  }

  #tellState(snapshot: unknown): void {
    const text = JSON.stringify(snapshot);
    if (text === this.#state) return;
    this.#state = text;
    this.#events.close();
    this.#write({ type: "STATE_SNAPSHOT", snapshot });
  }

  follow(): Promise<Response> {
    const { input, signal } = this.#serving;
    const session = this.#session;
    const { threadId, runId, versioned } = input;
    this.#write({ type: "RUN_STARTED", threadId, runId, ...(versioned && { protocolVersion: "1.0" }) });
    // What takes another answer's place is told when that is there.
    if (!this.#replaces()) this.#tellMessages();
    const subscriber = {
      record: (type: string, data: unknown) => {
        if (type === "error") this.#tellServer(data as { readonly code: string; readonly message: string });
        if (type !== "tool_use_result") return this.#events.record(type, data);
        const { call_id, tool_name, result } = data as Told;
        // What the client gave it knows.
        if (!this.#theirs.has(tool_name) || !input.answers.has(call_id)) this.#events.result(call_id, result);
      },
    };
    const leave = () => void this.#leave();
    signal.addEventListener("abort", leave);
    this.#undo = [session.addSubscriber(subscriber), () => signal.removeEventListener("abort", leave)];
    if (signal.aborted) leave();
    else void this.#go();
    return this.#stream.response;
  }

  /** What the run goes on without. What ends it is told with its end. */
  #tellServer({ code, message }: { readonly code: string; readonly message: string }): void {
    if (/^(TOOL_NAME_TAKEN|PLUGIN_)/.test(code)) this.#serving.report(new GloveError(code, message));
  }

  async #go(): Promise<void> {
    const session = this.#session;
    try {
      // A call that the client has left unanswered for something new is given up.
      const leaves =
        this.#isNew() && clientCalls(session.getSnapshot()).some((slot) => !this.#serving.input.answers.has(slot.toolCallId));
      if (leaves) session.abort();
      await this.#watching.until(() => !leaves || !session.getSnapshot().busy, endingMs);
      const asked = this.#begin();
      let settled: { readonly error?: unknown } | undefined;
      asked?.then(
        (outcome) => {
          settled = { error: failureOf(outcome) };
          this.#watching.look();
        },
        (error: unknown) => {
          settled = { error };
          this.#watching.look();
        },
      );
      await this.#watching.until(() => {
        this.#give();
        const { busy } = session.getSnapshot();
        return settled !== undefined || (!asked && !busy) || this.#waits();
      });
      if (settled?.error && !this.#waits()) throw settled.error;
      const { error } = session.getSnapshot();
      if (error && !this.#waits()) throw error;
      this.#finish();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** What this request asks for, other than answers. */
  #begin() {
    const session = this.#session;
    const { said, before } = this.#serving.input;
    const { busy, run } = session.getSnapshot();
    const users = this.#users();
    if (!said) return !busy && run.phase !== "idle" ? session.resume() : undefined;
    const at = users.findIndex(({ id }) => sentId(id) === said.id);
    const content = said.content;
    if (at < 0) {
      const asked = users.findIndex(({ id }) => sentId(id) === before);
      // The client has cut its conversation there, and goes on from it.
      const edits = asked >= 0 ? users[asked + 1]?.id : undefined;
      return session.requestAs(said.id, { content, ...(edits !== undefined && { edits, whenBusy: "interrupt" as const }) });
    }
    if (at === users.length - 1) return busy ? undefined : session.regenerate();
    return session.requestAs(generateId(), { content, edits: users[at]?.id ?? said.id, whenBusy: "interrupt" });
  }

  /** Hands over the answers that the client brings, each when it is asked for. */
  #give(): void {
    const session = this.#session;
    const snapshot = session.getSnapshot();
    for (const { id, toolCallId } of clientCalls(snapshot)) {
      const given = this.#serving.input.answers.get(toolCallId);
      if (!given || this.#answered.has(id)) continue;
      const { content, error } = given;
      if (session.resolveSlot(id, { content, ...(error !== undefined && { error }) })) this.#answered.add(id);
    }
    const open = new Set(openIds(snapshot));
    for (const entry of this.#resume) {
      if (!open.has(entry.interruptId) || this.#answered.has(entry.interruptId)) continue;
      this.#resume.delete(entry);
      if (answer(session, entry)) this.#answered.add(entry.interruptId);
      else
        this.#serving.report(
          new GloveError("INTERRUPT_ANSWER", `The answer to "${entry.interruptId}" does not fit: it stays open.`),
        );
    }
  }

  /** Nothing goes on before the client says more. */
  #waits(): boolean {
    const snapshot = this.#session.getSnapshot();
    if (snapshot.run.phase !== "waiting") return false;
    const open = [...openIds(snapshot), ...clientCalls(snapshot).map(({ id }) => id)];
    return open.length > 0 && !open.some((id) => this.#answered.has(id));
  }

  /** The messages of the session, where the client lacks one, or has another result than the session. */
  #tellMessages(always = false): void {
    const { input } = this.#serving;
    // What the client has just said comes last, and is in the session a moment later.
    const fresh = this.#isNew() ? ((input.said?.messages ?? []) as { readonly id: string }[]) : [];
    const { timeline } = this.#session.getSnapshot();
    const messages = [...shownMessages(timeline, { ...input, theirs: this.#theirs }), ...fresh];
    const known = new Set([...this.#known, ...this.#events.told]);
    const there = new Map(messages.map((message) => [message.id, message]));
    const isWrong = ([call, { message }]: readonly [string, ToolAnswer]) => {
      const { id } = message as { readonly id: string };
      return known.has(id) && !there.has(id) && there.has(call);
    };
    const missing = messages.filter(({ id }) => !known.has(id));
    if (!always && missing.length === 0 && ![...input.answers].some(isWrong)) return;
    this.#events.close();
    // A client keeps what it has in its place, and puts the rest behind it: it begins anew where that would be another order.
    const kept = [...known].flatMap((id) => there.get(id) ?? []);
    if ([...kept, ...missing].some((message, at) => message !== messages[at]))
      this.#write({ type: "MESSAGES_SNAPSHOT", messages: [] });
    this.#known = new Set(there.keys());
    this.#write({ type: "MESSAGES_SNAPSHOT", messages });
  }

  #finish(): void {
    if (this.#ending) return;
    const { threadId, runId, versioned } = this.#serving.input;
    const snapshot = this.#session.getSnapshot();
    const waits = this.#waits();
    const interrupts = waits ? interruptsOf(snapshot) : [];
    const pending = waits ? clientCalls(snapshot).map(({ toolCallId }) => toolCallId) : [];
    this.#events.close();
    this.#tellMessages(interrupts.length > 0);
    const outcome =
      interrupts.length > 0
        ? { type: "interrupt", interrupts }
        : // Before 1.0 an outcome with more in it was refused: a client finds its calls among the messages.
          { type: "success", ...(versioned && pending.length > 0 && { pendingToolCallIds: pending }) };
    for (const { interruptId } of this.#resume)
      this.#serving.report(new GloveError("INTERRUPT_UNKNOWN", `Nothing with the id "${interruptId}" waits for an answer.`));
    const { usage } = this.#events;
    this.#end({ type: "RUN_FINISHED", threadId, runId, outcome, ...(usage.length > 0 && { usage }) });
  }

  #fail(thrown: unknown): void {
    if (this.#ending) return;
    const { threadId, runId, versioned } = this.#serving.input;
    this.#events.close();
    if (thrown instanceof AbortError) {
      // Before 1.0 there was no such outcome.
      const stopped = versioned
        ? { type: "RUN_FINISHED", threadId, runId, outcome: { type: "cancelled" } }
        : { type: "RUN_ERROR", message: "The run was stopped.", code: thrown.code };
      this.#end(stopped);
      return;
    }
    const error = thrown instanceof GloveError ? thrown : new GloveError("INTERNAL", asError(thrown).message, { cause: thrown });
    this.#serving.report(error);
    const { usage } = this.#events;
    this.#end({ type: "RUN_ERROR", message: toldOf(error), code: error.code, ...(usage.length > 0 && { usage }) });
  }

  #end(event: object): void {
    this.#write(event);
    this.#ending = true;
    this.#stream.end(() => new Response(null, { status: 500 }));
    this.close();
  }

  /** Who leaves stops the run: AG-UI has no other way to say so. What was said of the answer is kept. */
  async #leave(): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    this.#stream.end(() => new Response(null, { status: 499 }));
    this.#session.abort();
    await new Watch(this.#session, () => false).until(() => !this.#session.getSnapshot().busy, endingMs);
    this.close();
  }

  close(): void {
    for (const undo of this.#undo.splice(0)) undo();
    this.#release();
    const { busy, run } = this.#session.getSnapshot();
    // What waits is in its store, and is opened again with the next request, wherever that comes.
    if (!busy || run.phase === "waiting") this.#session.dispose();
    this.#serving.over();
  }
}

/** How a request ended that has no answer. */
function failureOf(outcome: RunOutcome): Error | undefined {
  if (outcome.type === "aborted") return new AbortError();
  if (outcome.type === "paused") return new GloveError(outcome.rule, outcome.message);
  return outcome.type === "dropped"
    ? new GloveError("THREAD_BUSY", "Another message of this thread is being answered.")
    : undefined;
}

/** Failures of a provider may hold what is nobody's business. */
function toldOf({ code, message }: GloveError): string {
  return /^(MODEL_|INTERNAL|STORE_)/.test(code) ? "The agent could not answer. Try again." : message;
}
