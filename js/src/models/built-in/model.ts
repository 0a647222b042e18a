// The browser's own model, over its Prompt API (`LanguageModel`).

import type { ModelAdapter, ModelPromptResult, NotifySubscribersFunction, PromptRequest } from "../../ports/model.js";
import { checkRequest, tell } from "../../relay/model-call.js";
import { fromBase64 } from "../../values/base64.js";
import { GloveError, reasonOf } from "../../values/error.js";
import { check, checkOptions, type Options } from "../../values/validate-options.js";
import type { ContentPart, Message } from "../../wire/record.js";
import { AnswerText, choiceOf, described, type Loose, type Made, made } from "./tools.js";

/** `downloadable` and `downloading`: the browser can run a model that it has not got yet. */
export type BuiltInAvailability = "unavailable" | "downloadable" | "downloading" | "available";

/** How the browser's own model is asked. */
export interface BuiltInModelOptions {
  /** `built-in` unless given. */
  readonly name?: string;
  /** What is spoken, as `["en"]`. Browsers fetch what they need for it, refuse what they do not know, and warn without it. */
  readonly languages?: readonly string[];
  /** What a message may hold besides text; other media are told to the model as a note. */
  readonly inputs?: readonly "image"[];
  /** Told of the download, from 0 to 1. */
  readonly onDownload?: (loaded: number) => void;
  /** The conversation has outgrown the context, and the browser forgets its beginning. */
  readonly onOverflow?: () => void;
  /** Further options of `LanguageModel.create`, as `{ samplingMode: "predictable" }`. */
  readonly create?: Readonly<Record<string, unknown>>;
}

const builtInOptions = {
  name: "any",
  languages: "any",
  inputs: "any",
  onDownload: "any",
  onOverflow: "any",
  create: "any",
} as const satisfies Options<BuiltInModelOptions>;

/** How much of the model's context is used. */
export interface BuiltInContext {
  /** Tokens in use. */
  readonly used: number;
  /** Tokens that there is room for. */
  readonly window: number;
}

export interface BuiltInModel extends ModelAdapter {
  /** Whether this browser has a model, before anything is loaded. Never rejects. */
  availability(): Promise<BuiltInAvailability>;
  /** Downloads and starts the model ahead of the first message. Browsers want a click behind a download. */
  load(signal?: AbortSignal): Promise<BuiltInContext>;
  /** How full the context is; nothing before the model was started. */
  readonly context: BuiltInContext | undefined;
  /** Gives the model's memory back. A later message starts it again. */
  destroy(): void;
}

/** A message of the Prompt API. */
interface Prompt {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly { readonly type: string; readonly value: unknown }[];
}

/** The part of the Prompt API that is used here. Names in pairs: older browsers have the second. */
interface Session extends EventTarget {
  promptStreaming(input: readonly Prompt[], options: Readonly<Record<string, unknown>>): ReadableStream<Chunk>;
  measureContextUsage?(input: string): Promise<number>;
  measureInputUsage?(input: string): Promise<number>;
  readonly contextUsage?: number;
  readonly inputUsage?: number;
  readonly contextWindow?: number;
  readonly inputQuota?: number;
  destroy(): void;
}

type Chunk = string | { readonly type: string; readonly value: unknown };

interface PromptApi {
  availability(options: object): Promise<BuiltInAvailability>;
  create(options: object): Promise<Session>;
}

/** A session of the browser's, and what it has read. */
interface Running {
  readonly session: Session;
  readonly system: string;
  readonly read: readonly string[];
}

/**
 * A model that runs in the browser: no key, no network, no cost, where the browser has one. Tools are offered through a
 * schema that its answers must keep, one call at a time.
 */
export function createBuiltInModel(options: BuiltInModelOptions = {}): BuiltInModel {
  check("The options", options, "object");
  checkOptions(options, builtInOptions);
  return new Model(options);
}

class Model implements BuiltInModel {
  readonly name: string;
  readonly #options: BuiltInModelOptions;
  #system = "";
  #running: Running | undefined;

  constructor(options: BuiltInModelOptions) {
    this.name = options.name ?? "built-in";
    this.#options = options;
  }

  setSystemPrompt(text: string): void {
    this.#system = text;
  }

  get context(): BuiltInContext | undefined {
    return this.#running && contextOf(this.#running.session);
  }

  async availability(): Promise<BuiltInAvailability> {
    try {
      return (await api()?.availability(this.#expected())) ?? "unavailable";
    } catch {
      return "unavailable";
    }
  }

  async load(signal?: AbortSignal): Promise<BuiltInContext> {
    this.#running ??= await this.#start(this.#system, [], signal);
    return contextOf(this.#running.session);
  }

  destroy(): void {
    this.#running?.session.destroy();
    this.#running = undefined;
  }

  async prompt(request: PromptRequest, notify: NotifySubscribersFunction, signal?: AbortSignal): Promise<ModelPromptResult> {
    checkRequest(request ?? {});
    const tools = (request.tools ?? []).filter(({ name }) => name !== taskTool);
    const system = described(this.#system, tools);
    const { messages } = request;
    const keys = messages.map((message) => JSON.stringify(said(message)));
    let running: Running | undefined;
    try {
      running = await this.#at(system, messages, keys, signal);
      // What it reads is only known to be read when the answer is whole.
      this.#running = { ...running, read: [""] };
      const fresh = await Promise.all(messages.slice(running.read.length).map((message) => this.#promptOf(message)));
      const reply = await answer(running.session, fresh, (loose) => choiceOf(tools, loose), notify, signal);
      const message: Message = { sender: "agent", ...reply };
      this.#running = { ...running, read: [...keys, JSON.stringify(said(message))] };
      return { messages: [message], ...(await usage(running.session, reply)) };
    } catch (error) {
      // The next message may have come, with a session of its own: one that was stopped ends late.
      if (running?.session === this.#running?.session) this.destroy();
      else running?.session.destroy();
      throw signal?.aborted ? error : explained(error);
    }
  }

  /** A session that has read the beginning of these messages and nothing else. */
  async #at(
    system: string,
    messages: readonly Message[],
    keys: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Running> {
    const now = this.#running;
    if (now && now.system === system && now.read.length < keys.length && now.read.every((key, at) => key === keys[at]))
      return now;
    this.destroy();
    const last = messages.findLastIndex(({ sender }) => sender === "agent") + 1;
    const before = await Promise.all(messages.slice(0, last).map((message) => this.#promptOf(message)));
    const running = await this.#start(system, before, signal);
    return { ...running, read: keys.slice(0, last) };
  }

  async #start(system: string, before: readonly Prompt[], signal: AbortSignal | undefined): Promise<Running> {
    const prompts: Prompt[] = system ? [{ role: "system", content: system }, ...before] : [...before];
    const { onDownload, onOverflow, create } = this.#options;
    const found = api();
    if (!found) throw new GloveError("MODEL_CONFIG", `${absent} (there is no \`LanguageModel\` here). ${instead}`);
    const availability = await this.availability();
    if (availability === "unavailable") {
      throw new GloveError("MODEL_CONFIG", `${absent} (its Prompt API says "unavailable"). ${instead}`);
    }
    try {
      const session = await found.create({
        ...create,
        ...this.#expected(),
        ...(prompts.length && { initialPrompts: prompts }),
        ...(signal && { signal }),
        monitor: (monitor: EventTarget) =>
          monitor.addEventListener("downloadprogress", (event) => onDownload?.((event as ProgressEvent).loaded)),
      });
      const overflow = "contextWindow" in session ? "contextoverflow" : "quotaoverflow";
      session.addEventListener(overflow, () => onOverflow?.());
      return { session, system, read: [] };
    } catch (error) {
      throw signal?.aborted ? error : explained(error);
    }
  }

  #expected(): object {
    const { languages, inputs = [] } = this.#options;
    const text = { type: "text", ...(languages && { languages }) };
    return { expectedInputs: [text, ...inputs.map((type) => ({ type }))], expectedOutputs: [text] };
  }

  async #promptOf(message: Message): Promise<Prompt> {
    if (message.sender === "agent") return { role: "assistant", content: textOf(message) };
    const media = message.content?.filter(({ type }) => type !== "text") ?? [];
    const text = textOf(message);
    if (media.length === 0) return { role: "user", content: text };
    const parts = await Promise.all(media.map((part) => this.#mediaOf(part)));
    return { role: "user", content: [{ type: "text", value: text }, ...parts] };
  }

  async #mediaOf({ type, source }: ContentPart): Promise<{ type: string; value: unknown }> {
    if (type === "image" && source && this.#options.inputs?.includes("image")) {
      if (source.data) return { type, value: await blobOf(source.data, source.media_type) };
      if (source.url) return { type, value: await (await fetch(source.url)).blob() };
    }
    return { type: "text", value: `[${type} attachment${source?.media_type ? `: ${source.media_type}` : ""}]` };
  }
}

/** Added by the framework. A small model does better without a list of tasks, and a chat without tools needs no schema. */
const taskTool = "glove_update_tasks";

const absent = "This browser has no built-in model";
const instead = "Check `availability()` first, and fall back to an endpoint.";

function api(): PromptApi | undefined {
  return (globalThis as { LanguageModel?: PromptApi }).LanguageModel;
}

function contextOf(session: Session): BuiltInContext {
  return {
    used: session.contextUsage ?? session.inputUsage ?? 0,
    window: session.contextWindow ?? session.inputQuota ?? Number.POSITIVE_INFINITY,
  };
}

/** What of a message the model reads. */
function said({ sender, text, content, tool_calls, tool_results }: Message): unknown {
  return [sender, text, content, tool_calls?.map(({ tool_name, input_args }) => [tool_name, input_args]), tool_results];
}

function textOf({ sender, text, content, tool_calls, tool_results }: Message): string {
  if (tool_calls?.length) return tool_calls.map(made).join("\n");
  if (tool_results?.length) {
    const results = tool_results.map(({ tool_name, result: { status, data, message } }) => {
      const value = typeof data === "string" ? data : JSON.stringify(data);
      return `Result of ${tool_name}: ${status === "success" ? value : `Error: ${message ?? "unknown"}`}`;
    });
    return results.join("\n");
  }
  const texts = content?.flatMap((part) => (part.type === "text" && part.text ? [part.text] : [])) ?? [];
  return sender === "user" && texts.length ? texts.join("\n") : text;
}

/** One answer, shown while it comes. A schema that the browser does not know gives way to a looser one. */
async function answer(
  session: Session,
  prompts: readonly Prompt[],
  choice: (loose: Loose) => object | undefined,
  notify: NotifySubscribersFunction,
  signal: AbortSignal | undefined,
): Promise<Made> {
  try {
    return await stream(session, prompts, choice(false), notify, signal);
  } catch (error) {
    if (nameOf(error) !== "NotSupportedError" || !choice(false)) throw error;
    return stream(session, prompts, choice(true), notify, signal);
  }
}

async function stream(
  session: Session,
  prompts: readonly Prompt[],
  choice: object | undefined,
  notify: NotifySubscribersFunction,
  signal: AbortSignal | undefined,
): Promise<Made> {
  // The tools stand in the system prompt, so the schema need not be told once more.
  const constraint = choice && { responseConstraint: choice, omitResponseConstraintInput: true };
  const reader = session.promptStreaming(prompts, { ...constraint, ...(signal && { signal }) }).getReader();
  const text = new AnswerText(choice !== undefined);
  let reasoning = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const piece = typeof value === "string" ? value : String(value.value);
    if (typeof value !== "string" && value.type === "thought") {
      reasoning += piece;
      tell(notify, "reasoning_delta", { text: piece });
    } else {
      const shown = text.add(piece);
      if (shown) tell(notify, "text_delta", { text: shown });
    }
  }
  return { ...text.end(), ...(reasoning && { reasoning_content: reasoning }) };
}

async function usage(session: Session, { text, tool_calls }: Made): Promise<{ tokens_in: number; tokens_out: number }> {
  const written = tool_calls?.map(made).join("\n") ?? text;
  // A count that fails is no reason to lose the answer.
  const counting = async () => session.measureContextUsage?.(written) ?? session.measureInputUsage?.(written);
  const measured = await counting().catch(() => undefined);
  const tokens_out = Math.round(measured ?? written.length / 4);
  return { tokens_in: Math.max(0, Math.round(contextOf(session).used) - tokens_out), tokens_out };
}

function nameOf(error: unknown): string {
  return (error as { name?: string } | null)?.name ?? "";
}

const codes: Readonly<Record<string, string>> = {
  NotAllowedError: "MODEL_CONFIG",
  NetworkError: "MODEL_NETWORK",
  QuotaExceededError: "MODEL_CONTEXT_LENGTH",
  NotSupportedError: "MODEL_BAD_REQUEST",
  SyntaxError: "MODEL_BAD_RESPONSE",
};

const advice: Readonly<Record<string, string>> = {
  NotAllowedError: " The download needs a user gesture: call `load()` in a click handler. In an iframe, allow `language-model`.",
  QuotaExceededError: " The conversation does not fit the model's context window: set `compaction_context_limit` below it.",
};

/** What the browser threw, as an error of ours. */
function explained(error: unknown): GloveError {
  if (error instanceof GloveError) return error;
  const name = nameOf(error);
  const message = `The browser's model failed: ${reasonOf(error)}.${advice[name] ?? ""}`;
  return new GloveError(codes[name] ?? "MODEL_SERVER", message, { cause: error });
}

/** Also of base64 that is not as it is usually written. */
async function blobOf(data: string, type: string | undefined): Promise<Blob> {
  const bytes = (await fromBase64(data)) ?? Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  return new Blob([bytes], { type: type ?? "" });
}
