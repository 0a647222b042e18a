// A model of the page, as the core asks for it.

import type { ModelAdapter, ModelNotice, ModelPromptResult, ModelTool } from "../ports/model.js";
import type { ToolConfig } from "../ports/tool.js";
import type { JsonSchema } from "../schema/types.js";
import type { PieceKind } from "../snapshot/state.js";
import { nextFrame } from "../timing/next-frame.js";
import { turn } from "../timing/turn.js";
import { codeOf, failureFields, GloveError, reasonOf, stoppedBy } from "../values/error.js";
import type { HostPrompt } from "../wasm/core-api.js";
import type { Message, Usage } from "../wire/record.js";
import { markReady } from "./ready.js";

/** Whether it ends with the first half of an emoji whose second comes with the next piece: halves would be lost on the way into the core. */
const endsHalf = (text: string) => (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;

/** What `notify` gives: one for all pieces, as there are many. */
const heard = Promise.resolve();

/** In milliseconds. Rounds in which nothing waits, neither model nor tools nor store, would be one task of the page until the run ends. */
const longestTask = 30;
/** When the page had time for all else, as far as this knows. */
let turned = 0;

/** Nothing where that was just now. */
function othersFirst(): Promise<void> | undefined {
  if (performance.now() - turned < longestTask) return undefined;
  return turn().then(() => {
    turned = performance.now();
  });
}

/** What the core waits for: its `Reply`. */
interface Reply {
  readonly messages: readonly Message[];
  readonly usage: Usage;
  readonly stop_reason?: string;
  readonly streamed: boolean;
}

export interface BridgedModel {
  model(purpose: HostPrompt["purpose"]): ModelAdapter;
  tool(name: string): ToolConfig | undefined;
  /** Shows a piece of an answer at once; the core gets the pieces joined. */
  show(kind: PieceKind, text: string, call: number): void;
}

interface ToldTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Keeps the messages that the model has been given, so that the history crosses once. */
export class ModelBridge {
  readonly #page: BridgedModel;
  readonly #messages: Message[] = [];
  #writing: Coalesced | undefined;
  /** Those of the call before: the core says them when they are others. */
  #told: readonly ToldTool[] = [];

  constructor(page: BridgedModel) {
    this.#page = page;
  }

  /** `call` is under which its answer is shown. */
  async prompt(
    request: HostPrompt,
    delta: (kind: PieceKind | "notice", text: string) => void,
    signal: AbortSignal,
    call?: number,
  ): Promise<string> {
    const { purpose, systemPrompt, from } = request;
    const fresh = JSON.parse(request.messages) as Message[];
    markReady(fresh);
    // A summary asks with messages of its own; the next turn says again what it needs.
    const messages = purpose === "turn" ? this.#messages : [];
    if (messages.length > from) messages.length = from;
    for (const message of fresh) messages.push(message);
    const shown = new Coalesced(delta, signal);
    this.#writing = shown;
    const halves = { text: "", reasoning: "" };
    const hear = (type: string, data: unknown) => {
      if (type === "model_notice" && !signal.aborted && !shown.ended) {
        const { code, message } = (data ?? {}) as Partial<ModelNotice>;
        if (message) delta("notice", `${code}\n${message}`);
      }
      const kind = type === "text_delta" ? "text" : type === "reasoning_delta" ? "reasoning" : undefined;
      const piece = (data as { text?: unknown } | undefined)?.text;
      if (!kind || typeof piece !== "string" || signal.aborted || shown.ended) return;
      const whole = halves[kind] + piece;
      const text = endsHalf(whole) ? whole.slice(0, -1) : whole;
      halves[kind] = whole.slice(text.length);
      if (text === "") return;
      if (call !== undefined) this.#page.show(kind, text, call);
      shown.add(kind, text);
    };
    const notify = (type: string, data: unknown) => {
      try {
        hear(type, data);
        return heard;
      } catch (error) {
        return Promise.reject(error);
      }
    };
    const model = this.#page.model(purpose);
    const tools = this.#tools(request.tools);
    try {
      await othersFirst();
      if (signal.aborted) throw stoppedBy(signal);
      model.setSystemPrompt(systemPrompt);
      // A copy: a model may put something in front for its own sake.
      const asked = { messages: messages.slice(), ...(tools.length ? { tools } : {}) };
      const result = await model.prompt(asked, notify, signal);
      return JSON.stringify(reply(model.name, result, shown.any));
    } catch (error) {
      throw failure(error);
    } finally {
      shown.end();
    }
  }

  /** The next core says all messages anew, and this one hears no more. */
  forget(): void {
    this.#messages.length = 0;
    this.#writing?.forget();
  }

  /** Hands over what was shown and is still on its way, before something that may end the answer. */
  flush(): void {
    this.#writing?.flush();
  }

  #tools(text: string | undefined): ModelTool[] {
    if (text !== undefined) this.#told = JSON.parse(text) as ToldTool[];
    return this.#told.map(({ name, description, schema }) => {
      const own = this.#page.tool(name)?.inputSchema;
      return { name, description, jsonSchema: schema, ...(own && { input_schema: own }) };
    });
  }
}

/** What a model of the application gave, if it is an answer. */
export function checkAnswer(name: string, result: ModelPromptResult): ModelPromptResult {
  if (Array.isArray(result?.messages)) return result;
  throw new GloveError(
    "MODEL_BAD_RESPONSE",
    `The model "${name}" returned no \`messages\`; return {messages, tokens_in, tokens_out}.`,
  );
}

function reply(name: string, given: ModelPromptResult, streamed: boolean): Reply {
  const result = checkAnswer(name, given);
  const { messages, stop_reason, cost } = result;
  const usage: Record<string, number | undefined> = {
    tokens_in: counted(result.tokens_in) ?? 0,
    tokens_out: counted(result.tokens_out) ?? 0,
    cache_creation_input_tokens: counted(result.cache_creation_input_tokens),
    cache_read_input_tokens: counted(result.cache_read_input_tokens),
    reasoning_tokens: counted(result.reasoning_tokens),
    cost: Number.isFinite(cost) ? cost : undefined,
  };
  return { messages, usage: usage as unknown as Usage, ...(stop_reason && { stop_reason }), streamed };
}

/** A count of tokens as a whole number. One that is none is no reason to lose an answer. */
function counted(tokens: unknown): number | undefined {
  const count = Math.round(Number(tokens));
  return tokens != null && Number.isFinite(count) ? Math.max(0, count) : undefined;
}

const kinds: Readonly<Record<string, string>> = {
  MODEL_NETWORK: "network",
  MODEL_STREAM_CUT: "cut",
  MODEL_TIMEOUT: "timeout",
  MODEL_AUTHENTICATION: "authentication",
  MODEL_RATE_LIMIT: "rate_limit",
  MODEL_OVERLOADED: "overloaded",
  MODEL_BAD_REQUEST: "bad_request",
  MODEL_NOT_FOUND: "bad_request",
  BODY_TOO_LARGE: "too_large",
  MODEL_CONTEXT_LENGTH: "context_length",
  MODEL_SERVER: "server",
  MODEL_BAD_RESPONSE: "bad_response",
  MODEL_CONFIG: "config",
  MIDDLEWARE_FAILED: "adapter",
  MIDDLEWARE_STOPPED: "adapter",
  MIDDLEWARE_INVALID: "config",
  // What a chat handler says, to a model that asks one.
  UNAUTHORIZED: "authentication",
  FORBIDDEN: "authentication",
  INTERNAL: "server",
};

/** What the core calls a failure of our own models. */
export function errorKind(error: unknown): string | undefined {
  return error instanceof GloveError ? kinds[error.code] : undefined;
}

/** The code that says more than the kind. */
export const ownCode = (error: unknown) => {
  const code = codeOf(error as Error);
  return /^(MODEL_NOT_FOUND$|MIDDLEWARE_)/.test(code) && { code };
};

/** A failure of our own models keeps its kind, in `detail`; anything else is a sentence. */
function failure(error: unknown): Error {
  const kind = errorKind(error);
  const message = reasonOf(error);
  const detail = kind && JSON.stringify({ kind, ...ownCode(error), message, ...failureFields(error) });
  return Object.assign(new Error(message || "the model failed", { cause: error }), { detail });
}

/** Pieces on their way into the core: joined, a frame's worth at a time. */
class Coalesced {
  any = false;
  ended = false;
  #kind: PieceKind = "text";
  #text = "";
  #cancel: (() => void) | undefined;
  readonly #delta: (kind: PieceKind, text: string) => void;
  readonly #signal: AbortSignal;

  constructor(delta: (kind: PieceKind, text: string) => void, signal: AbortSignal) {
    this.#delta = delta;
    this.#signal = signal;
  }

  add(kind: PieceKind, text: string): void {
    this.any = true;
    if (kind !== this.#kind) this.flush();
    this.#kind = kind;
    this.#text += text;
    this.#cancel ??= nextFrame(() => this.flush());
  }

  end(): void {
    this.flush();
    this.ended = true;
  }

  forget(): void {
    this.#text = "";
    this.end();
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const text = this.#text;
    this.#text = "";
    // After a stop the core has let go of the callback.
    if (text && !this.#signal.aborted) this.#delta(this.#kind, text);
  }
}
