// One run of an agent, read as far as it goes without us: to the result of a tool of its own, or to its end. Out of order is refused.

import type { NotifySubscribersFunction } from "../../src/ports/model.js";
import { tell } from "../../src/relay/model-call.js";
import { GloveError } from "../../src/values/error.js";
import type { Usage } from "../../src/wire/record.js";
import { type AgentEvent, badEvent, brokenOff, most } from "./event-lines.js";
import { patched } from "./patch.js";

/** A call of a tool, as an agent has written it. */
export interface AgentCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** What an agent asks a person before it goes on. */
export interface AgentQuestion {
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  readonly schema?: Readonly<Record<string, unknown>>;
  /** The call that it is about. */
  readonly call?: AgentCall;
}

/** Names the event by which agents ask before 1.0, and is the reason of such a question. */
export const earlierReason = "on_interrupt";

/** How far a run has come. */
export interface RunPart {
  readonly text: string;
  readonly reasoning: string;
  /** What the agent calls its message. */
  readonly messageId: string | undefined;
  /** The state, where it has changed. */
  readonly state?: { readonly value: unknown };
  /** A call of the agent's own, with its result: the run goes on behind it. Without one the run is over. */
  readonly result?: { readonly call: AgentCall; readonly content: string };
  /** Calls that are not the agent's own; only of a run that is over. */
  readonly calls: readonly AgentCall[];
  readonly questions: readonly AgentQuestion[];
  readonly usage: Pick<Usage, "tokens_in" | "tokens_out">;
}

export interface RunStart {
  /** The tools that this side runs. */
  readonly ours: ReadonlySet<string>;
  readonly state: unknown;
  /** Calls of earlier runs that have no result yet. */
  readonly open: readonly AgentCall[];
  told(event: AgentEvent): void;
}

export class AgentRun {
  readonly #events: AsyncIterator<AgentEvent>;
  readonly #start: RunStart;
  #begun = false;
  /** What is being written, by its id: a message of the agent itself, or of one inside of it. */
  readonly #writing = new Map<string, { readonly shown: boolean }>();
  /** The message that a chunk without an id goes on. */
  #chunk: string | undefined;
  #callChunk: string | undefined;
  /** Calls whose arguments are being written. */
  readonly #open = new Map<string, { readonly name: string; args: string }>();
  /** Calls that have no result yet. */
  readonly #called = new Map<string, AgentCall>();
  readonly #ids = new Set<string>();
  #state: unknown;
  #changed = false;
  /** What it asks in the form before 1.0. */
  readonly #asked: object[] = [];
  #text = "";
  #reasoning = "";
  #messageId: string | undefined;
  /** Of a snapshot, for an agent that says its answer in no other way. */
  #snapshotText = "";
  #said = false;

  constructor(events: AsyncIterator<AgentEvent>, start: RunStart) {
    this.#events = events;
    this.#start = start;
    this.#state = start.state;
    for (const call of start.open) this.#called.set(call.id, call);
  }

  /** Ends it unread. */
  leave(): void {
    this.#events.return?.().catch(() => {});
  }

  async next(notify: NotifySubscribersFunction): Promise<RunPart> {
    for (;;) {
      const { done, value: event } = await this.#events.next();
      if (done) throw brokenOff();
      this.#start.told(event);
      const part = this.#take(event, notify);
      if (part) return part;
    }
  }

  #take(event: AgentEvent, notify: NotifySubscribersFunction): RunPart | undefined {
    const { type } = event;
    if (type === "RUN_ERROR") throw failed(event);
    if (type === "RUN_STARTED") {
      if (this.#begun) throw badEvent("a run begins within another one");
      this.#begun = true;
      return undefined;
    }
    const handle = Object.hasOwn(handlers, type) ? handlers[type] : undefined;
    // What a newer agent says is for newer clients.
    if (!handle) return undefined;
    if (!this.#begun) throw badEvent(`${type} comes before RUN_STARTED`);
    // A chunk goes on as long as nothing else comes.
    if (type !== "TEXT_MESSAGE_CHUNK") this.#endChunk();
    if (type !== "TOOL_CALL_CHUNK") this.#endCallChunk();
    return handle(this, event, notify) as RunPart | undefined;
  }

  // ---- text ------------------------------------------------------------------------------------------------------

  startText(event: AgentEvent): void {
    const id = text(event, "messageId", most.name);
    if (this.#writing.has(id)) throw badEvent("a message begins twice");
    const { role = "assistant", subagentRunId } = event;
    this.#writing.set(id, { shown: role === "assistant" && subagentRunId === undefined });
  }

  addText(event: AgentEvent, notify: NotifySubscribersFunction): void {
    const id = text(event, "messageId", most.name);
    const message = this.#writing.get(id);
    if (!message) throw badEvent("a message goes on that has not begun");
    const delta = text(event, "delta", most.event);
    if (!message.shown || delta === "") return;
    // Two messages of one run are two paragraphs.
    const other = this.#messageId !== undefined && this.#messageId !== id && this.#text !== "";
    this.#messageId = id;
    const piece = other ? `\n\n${delta}` : delta;
    this.#text += piece;
    this.#said = true;
    tell(notify, "text_delta", { text: piece });
  }

  endText(event: AgentEvent): void {
    if (!this.#writing.delete(text(event, "messageId", most.name))) throw badEvent("a message ends that has not begun");
  }

  chunk(event: AgentEvent, notify: NotifySubscribersFunction): void {
    const id = event.messageId === undefined ? this.#chunk : text(event, "messageId", most.name);
    if (id === undefined) throw badEvent("a piece of text belongs to no message");
    if (id !== this.#chunk) {
      this.#endChunk();
      this.startText({ ...event, messageId: id });
      this.#chunk = id;
    }
    if (event.delta !== undefined) this.addText({ ...event, messageId: id }, notify);
  }

  #endChunk(): void {
    if (this.#chunk !== undefined) this.#writing.delete(this.#chunk);
    this.#chunk = undefined;
  }

  think(event: AgentEvent, notify: NotifySubscribersFunction): void {
    if (event.delta === undefined || event.subagentRunId !== undefined) return;
    const delta = text(event, "delta", most.event);
    this.#reasoning += delta;
    if (delta !== "") tell(notify, "reasoning_delta", { text: delta });
  }

  // ---- calls -----------------------------------------------------------------------------------------------------

  startCall(event: AgentEvent): void {
    const id = text(event, "toolCallId", most.name);
    const name = text(event, "toolCallName", most.name);
    if (name === "") throw badEvent("a call names no tool");
    if (this.#ids.has(id)) throw badEvent("two calls have the same id");
    if (this.#ids.size >= most.calls) throw badEvent(`it makes more than ${most.calls} calls in one run`);
    this.#ids.add(id);
    this.#open.set(id, { name, args: "" });
  }

  addArguments(event: AgentEvent): void {
    const call = this.#open.get(text(event, "toolCallId", most.name));
    if (!call) throw badEvent("a call goes on that has not begun");
    call.args += text(event, "delta", most.event);
    if (call.args.length > most.arguments) throw badEvent("the arguments of a call are too long");
  }

  endCall(event: AgentEvent): void {
    const id = text(event, "toolCallId", most.name);
    const call = this.#open.get(id);
    if (!call) throw badEvent("a call ends that has not begun");
    this.#open.delete(id);
    this.#called.set(id, { id, ...call });
  }

  callChunk(event: AgentEvent): void {
    const id = event.toolCallId === undefined ? this.#callChunk : text(event, "toolCallId", most.name);
    if (id === undefined) throw badEvent("a piece of a call belongs to no call");
    if (id !== this.#callChunk) {
      this.#endCallChunk();
      this.startCall({ ...event, toolCallId: id });
      this.#callChunk = id;
    }
    if (event.delta !== undefined) this.addArguments({ ...event, toolCallId: id });
  }

  #endCallChunk(): void {
    const id = this.#callChunk;
    this.#callChunk = undefined;
    if (id !== undefined) this.endCall({ type: "TOOL_CALL_END", toolCallId: id });
  }

  result(event: AgentEvent): RunPart | undefined {
    const id = text(event, "toolCallId", most.name);
    const call = this.#called.get(id);
    if (this.#open.has(id)) throw badEvent("a call has a result before it ends");
    // Of a call that only the agent knows of.
    if (!call) return undefined;
    this.#called.delete(id);
    return this.#part({ result: { call, content: contentOf(event.content) } });
  }

  // ---- state -----------------------------------------------------------------------------------------------------

  setState(value: unknown): void {
    if (JSON.stringify(value ?? null).length > most.state) throw badEvent("its state is too large");
    this.#state = value ?? {};
    this.#changed = true;
  }

  changeState({ delta }: AgentEvent): void {
    if (!Array.isArray(delta)) throw badEvent("STATE_DELTA has no patch");
    let value: unknown;
    try {
      value = patched(this.#state, delta, most.state);
    } catch (error) {
      throw badEvent(`a change of its state does not fit: ${(error as Error).message}`);
    }
    this.setState(value);
  }

  /** The answer is what the agent says last, behind what it was asked. */
  snapshot({ messages }: AgentEvent): void {
    if (!Array.isArray(messages)) throw badEvent("MESSAGES_SNAPSHOT has no messages");
    const all = messages as readonly { readonly role?: unknown; readonly content?: unknown }[];
    const asked = all.findLastIndex((message) => Object(message).role !== "assistant");
    const answers = all.slice(asked + 1).map(({ content }) => (typeof content === "string" ? content : ""));
    this.#snapshotText = answers.filter(Boolean).join("\n\n");
  }

  /** LangGraph's adapters ask so by default: the value is what the graph has given to `interrupt`. */
  custom({ name, value, rawEvent }: AgentEvent): void {
    if (name !== earlierReason || this.#asked.length > most.interrupts) return;
    const { id, value: raw = value } = Object(rawEvent) as { readonly id?: unknown; readonly value?: unknown };
    const { message, toolCallId, responseSchema } = Object(raw) as Readonly<Record<string, unknown>>;
    const said = typeof raw === "string" ? raw : message;
    this.#asked.push({
      id: typeof id === "string" ? id : `${earlierReason} ${this.#asked.length + 1}`,
      reason: earlierReason,
      message: typeof said === "string" ? said : JSON.stringify(raw),
      toolCallId,
      responseSchema,
    });
  }

  // ---- its end ---------------------------------------------------------------------------------------------------

  finish({ outcome, usage }: AgentEvent): RunPart {
    if (this.#writing.size > 0 || this.#open.size > 0) throw badEvent("the run ends in the middle of a message or a call");
    const { type, interrupts } = Object(outcome) as { readonly type?: unknown; readonly interrupts?: unknown };
    if (type === "cancelled") throw new GloveError("MODEL_SERVER", "The agent's run was cancelled where it runs.");
    const asks = type === "interrupt" || this.#asked.length > 0;
    const questions = asks ? this.#questions(type === "interrupt" ? interrupts : this.#asked) : [];
    const asked = new Set(questions.flatMap(({ call }) => call?.id ?? []));
    const earlier = new Set(this.#start.open.map(({ id }) => id));
    const calls = [...this.#called.values()].filter(({ id, name }) => {
      if (asked.has(id) || earlier.has(id)) return false;
      // What it asks about, it may run itself.
      return questions.length === 0 || this.#start.ours.has(name);
    });
    if (!this.#said && this.#snapshotText && this.#ids.size === 0) this.#text = this.#snapshotText;
    return this.#part({ calls, questions, usage: usageOf(usage) });
  }

  #questions(interrupts: unknown): AgentQuestion[] {
    if (!Array.isArray(interrupts) || interrupts.length === 0) throw badEvent("it is interrupted and asks nothing");
    if (interrupts.length > most.interrupts) throw badEvent(`it asks more than ${most.interrupts} things at once`);
    const ids = new Set<string>();
    return interrupts.map((given: unknown) => {
      const interrupt = Object(given) as AgentEvent;
      const id = text(interrupt, "id", most.name);
      if (ids.has(id)) throw badEvent("two interrupts have the same id");
      ids.add(id);
      const { message, responseSchema: schema, toolCallId } = interrupt;
      const call = typeof toolCallId === "string" ? this.#called.get(toolCallId) : undefined;
      if (JSON.stringify(schema ?? null).length > 64_000) throw badEvent("an interrupt's schema is too large");
      return {
        id,
        reason: text(interrupt, "reason", most.name),
        message: typeof message === "string" ? message.slice(0, 4_000) : "",
        ...(typeof schema === "object" && schema !== null && { schema: schema as Record<string, unknown> }),
        ...(call && { call }),
      };
    });
  }

  #part(more: Partial<RunPart>): RunPart {
    const part: RunPart = {
      text: this.#text,
      reasoning: this.#reasoning,
      messageId: this.#messageId,
      calls: [],
      questions: [],
      usage: { tokens_in: 0, tokens_out: 0 },
      ...(this.#changed && { state: { value: this.#state } }),
      ...more,
    };
    [this.#text, this.#reasoning, this.#messageId, this.#changed] = ["", "", undefined, false];
    return part;
  }
}

type Handler = (run: AgentRun, event: AgentEvent, notify: NotifySubscribersFunction) => unknown;

const think: Handler = (run, event, notify) => run.think(event, notify);

/** What is not among them is told to `onEvent` alone. */
const handlers: Readonly<Record<string, Handler>> = {
  TEXT_MESSAGE_START: (run, event) => run.startText(event),
  TEXT_MESSAGE_CONTENT: (run, event, notify) => run.addText(event, notify),
  TEXT_MESSAGE_END: (run, event) => run.endText(event),
  TEXT_MESSAGE_CHUNK: (run, event, notify) => run.chunk(event, notify),
  TOOL_CALL_START: (run, event) => run.startCall(event),
  TOOL_CALL_ARGS: (run, event) => run.addArguments(event),
  TOOL_CALL_END: (run, event) => run.endCall(event),
  TOOL_CALL_CHUNK: (run, event) => run.callChunk(event),
  TOOL_CALL_RESULT: (run, event) => run.result(event),
  REASONING_MESSAGE_CONTENT: think,
  REASONING_MESSAGE_CHUNK: think,
  // What it was called before.
  THINKING_TEXT_MESSAGE_CONTENT: think,
  STATE_SNAPSHOT: (run, { snapshot }) => run.setState(snapshot),
  STATE_DELTA: (run, event) => run.changeState(event),
  MESSAGES_SNAPSHOT: (run, event) => run.snapshot(event),
  CUSTOM: (run, event) => run.custom(event),
  RUN_FINISHED: (run, event) => run.finish(event),
};

function text(event: AgentEvent, name: string, longest: number): string {
  const value = event[name];
  if (typeof value !== "string") throw badEvent(`${String(event.type ?? "an interrupt")} has no text in \`${name}\``);
  if (value.length > longest) throw badEvent(`\`${name}\` is too long`);
  return value;
}

/** What a tool gave, as text; of a picture that it is one. */
function contentOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw badEvent("a result has no content");
  return content
    .map((part) => (Object(part).type === "text" ? String(Object(part).text) : `[${String(Object(part).type)}]`))
    .join("\n");
}

function usageOf(given: unknown): RunPart["usage"] {
  const sum = (name: string) =>
    (Array.isArray(given) ? given : []).reduce((all: number, one: unknown) => {
      const count = Number(Object(one)[name]);
      return count > 0 && Number.isFinite(count) ? all + Math.round(count) : all;
    }, 0);
  return { tokens_in: sum("inputTokens"), tokens_out: sum("outputTokens") };
}

function failed({ message, code }: AgentEvent): GloveError {
  const said = typeof message === "string" ? message.slice(0, 2_000) : "";
  const providerCode = typeof code === "string" ? code.slice(0, most.name) : undefined;
  return new GloveError("MODEL_SERVER", `The agent's run failed: ${said || "it does not say why"}`, {
    ...(providerCode && { providerCode }),
  });
}
