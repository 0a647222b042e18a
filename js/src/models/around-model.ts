// A call of a model within its middleware; loaded with the first. The first of the list is the outermost: it sees the call first, and its answer last.

import { around, failure, stopOf } from "../middleware/around.js";
import {
  checkMiddleware,
  type Middleware,
  type MiddlewareModelCall,
  type MiddlewareModelChanges,
  type MiddlewareOutput,
} from "../ports/middleware/middleware.js";
import type { ModelAdapter, ModelPromptResult, NotifySubscribersFunction, PromptRequest } from "../ports/model.js";
import { isPromise, type Maybe } from "../timing/sync-or-promise.js";
import { reasonOf, stoppedBy } from "../values/error.js";
import { omitUndefined } from "../values/omit-undefined.js";
import type { Message } from "../wire/record.js";
import { checkAnswer } from "./bridge.js";

/** Which model is asked, through what, and for whom. */
export interface AroundModel {
  readonly model: ModelAdapter;
  readonly middleware?: readonly Middleware[] | undefined;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  readonly services?: unknown;
}

type Kind = MiddlewareOutput["kind"];
/** Gives something to wait for where the next piece should not come before. */
type Tell = (kind: Kind, text: string) => Maybe<unknown>;

export async function askThrough(
  { model, middleware = [], sessionId, userId, services }: AroundModel,
  systemPrompt: string,
  { messages, tools = [] }: PromptRequest,
  notify: NotifySubscribersFunction,
  signal: AbortSignal | undefined,
): Promise<ModelPromptResult> {
  for (const one of middleware) checkMiddleware(one);
  const ending = new AbortController();
  let isOpen = true;
  let reject: (error: unknown) => void = () => {};
  const cutOff = new Promise<never>((_, rejects) => {
    reject = rejects;
  });
  cutOff.catch(() => {});
  /** Nothing of this answer is shown any more, and whoever waits for it hears why. */
  const cut = (error: Error) => {
    isOpen = false;
    reject(error);
    ending.abort(error);
  };
  const stop = () => cut(stoppedBy(signal));
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();

  const ask = async (call: MiddlewareModelCall, tell: Tell): Promise<ModelPromptResult> => {
    const heard: NotifySubscribersFunction = async (type, data) => {
      const kind = type === "text_delta" ? "text" : type === "reasoning_delta" ? "reasoning" : undefined;
      const piece = (data as { text?: unknown } | undefined)?.text;
      if (!isOpen) return;
      if (!kind) await notify(type, data);
      else if (typeof piece === "string" && piece) await tell(kind, piece);
    };
    model.setSystemPrompt(call.systemPrompt);
    const asked = { messages: [...call.messages], ...(call.tools.length > 0 && { tools: [...call.tools] }) };
    return checkAnswer(model.name, await model.prompt(asked, heard, ending.signal));
  };

  const layer = async (at: number, call: MiddlewareModelCall, tell: Tell): Promise<ModelPromptResult> => {
    const own = middleware[at];
    if (!own) return ask(call, tell);
    const pass: Tell = own.holdBack ? () => undefined : tell;
    const guard = own.guardOutput ? new OutputGuard(own, call, pass, cut) : undefined;
    const goOn = async (changes: MiddlewareModelChanges = {}) => {
      const changed = { ...call, ...changesOf(own, changes) };
      const answer = await Promise.race([layer(at + 1, changed, guard ? guard.hear : pass), cutOff]);
      await Promise.race([guard?.end(answer.messages), cutOff]);
      return answer;
    };
    if (!own.wrapModelCall) return goOn();
    const { given, call: made } = await around(
      own,
      ending.signal,
      goOn,
      (next, signal) => own.wrapModelCall?.({ ...call, signal }, next),
      cut,
    );
    const stopped = stopOf(own, given);
    if (stopped) {
      cut(stopped);
      throw stopped;
    }
    if (!isAnswer(given))
      throw failure(own, "it must give what `next()` gives, an answer with `messages` that have a `text`, or `stop`");
    return made === "done" ? given : inItsPlace(own, given);
  };

  const first = { model: model.name, systemPrompt, messages, tools, sessionId, userId, services, signal: ending.signal };
  const show: Tell = (kind, text) => (isOpen ? notify(`${kind}_delta`, { text }) : undefined);
  try {
    return await Promise.race([layer(0, first, show), cutOff]);
  } finally {
    isOpen = false;
    signal?.removeEventListener("abort", stop);
  }
}

/** What a middleware has the model asked with. */
function changesOf(own: Middleware, changes: MiddlewareModelChanges): MiddlewareModelChanges {
  const { systemPrompt, messages, tools } = Object(changes) as MiddlewareModelChanges;
  const isList = (value: unknown) => value === undefined || Array.isArray(value);
  if ((systemPrompt !== undefined && typeof systemPrompt !== "string") || !isList(messages) || !isList(tools))
    throw failure(own, "it called `next` with a `systemPrompt` that is no text, or `messages` or `tools` that are no list");
  return omitUndefined({ systemPrompt, messages, tools });
}

function isAnswer(given: unknown): given is ModelPromptResult {
  const { messages } = Object(given) as Partial<ModelPromptResult>;
  return Array.isArray(messages) && messages.every((message) => typeof message?.text === "string");
}

/** No model has answered: the record says so, and that it cost nothing. */
function inItsPlace({ name }: Middleware, { messages, stop_reason }: ModelPromptResult): ModelPromptResult {
  const said = messages.map(
    ({ text, content, tool_calls, reasoning_content, sources }): Message => ({
      sender: "agent",
      text,
      ...omitUndefined({ content, tool_calls, reasoning_content, sources }),
      answered_by: name,
    }),
  );
  return { messages: said, tokens_in: 0, tokens_out: 0, ...(stop_reason !== undefined && { stop_reason }) };
}

/** Looks at each piece of an answer before it is passed on, one after the other, and at the whole in the end. */
class OutputGuard {
  readonly #own: Middleware;
  readonly #call: MiddlewareModelCall;
  readonly #pass: Tell;
  readonly #cut: (error: Error) => void;
  readonly #said = { text: "", reasoning: "" };
  /** Pieces that have come while an earlier one is looked at. */
  readonly #waiting: { readonly kind: Kind; piece: string }[] = [];
  #working: Promise<unknown> | undefined;
  #isOver = false;

  constructor(own: Middleware, call: MiddlewareModelCall, pass: Tell, cut: (error: Error) => void) {
    this.#own = own;
    this.#call = call;
    this.#pass = pass;
    this.#cut = cut;
  }

  readonly hear: Tell = (kind, piece) => {
    const last = this.#waiting.at(-1);
    if (last?.kind === kind) last.piece += piece;
    else this.#waiting.push({ kind, piece });
    return this.#working ?? this.#work();
  };

  /** What of the answer was not streamed is looked at too. */
  async end(messages: readonly Message[]): Promise<void> {
    await this.#working;
    const joined = (texts: readonly (string | undefined)[]) => texts.filter(Boolean).join("\n");
    const whole = {
      reasoning: joined(messages.map(({ reasoning_content }) => reasoning_content)),
      text: joined(messages.map(({ text }) => text)),
    };
    for (const kind of ["reasoning", "text"] as const) {
      const said = this.#said[kind];
      const isMore = whole[kind].startsWith(said);
      if (!isMore) this.#said[kind] = "";
      const piece = isMore ? whole[kind].slice(said.length) : whole[kind];
      if (piece || kind === "text") await this.#look(kind, piece, true);
    }
    this.#isOver = true;
  }

  #work(): Promise<unknown> | undefined {
    for (let next = this.#waiting.shift(); next && !this.#isOver; next = this.#waiting.shift()) {
      const looked = this.#look(next.kind, next.piece, false);
      if (!isPromise(looked)) continue;
      this.#working = Promise.resolve(looked).then(() => {
        this.#working = undefined;
        return this.#work();
      });
      return this.#working;
    }
    return undefined;
  }

  #look(kind: Kind, piece: string, done: boolean): Maybe<unknown> {
    this.#said[kind] += piece;
    const output = { kind, piece, text: this.#said[kind], done };
    let verdict: Maybe<unknown>;
    try {
      verdict = this.#own.guardOutput?.(output, this.#call);
    } catch (error) {
      return this.#stop(failure(this.#own, reasonOf(error), error));
    }
    if (!isPromise(verdict)) return this.#judged(verdict, output);
    const never = () => Promise.reject(new Error());
    return around(this.#own, this.#call.signal, never, () => verdict).then(
      ({ given }) => this.#judged(given, output),
      (error: Error) => this.#stop(error),
    );
  }

  #judged(verdict: unknown, { kind, piece, done }: MiddlewareOutput): Maybe<unknown> {
    const stopped = stopOf(this.#own, verdict);
    if (stopped) return this.#stop(stopped);
    if (verdict !== undefined) return this.#stop(failure(this.#own, "its `guardOutput` must give nothing or `stop`"));
    // What was not streamed is shown with the answer.
    return done || this.#isOver ? undefined : this.#pass(kind, piece);
  }

  #stop(error: Error): undefined {
    this.#isOver = true;
    this.#cut(error);
  }
}
