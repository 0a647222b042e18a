// An agent behind AG-UI as the model of a session: each of its runs is an answer, or several with the results of its own tools between them.

import type { ModelAdapter, ModelPromptResult, NotifySubscribersFunction, PromptRequest } from "../../src/ports/model.js";
import { stoppable } from "../../src/relay/model-call.js";
import { GloveError, stoppedBy } from "../../src/values/error.js";
import { generateId } from "../../src/values/ids.js";
import type { Message } from "../../src/wire/record.js";
import { agentMessages, markName, openQuestions, stateOf } from "./agent-messages.js";
import { AgentRun, earlierReason, type RunPart } from "./agent-run.js";
import { argumentsOf, questionName, stepName } from "./agent-tools.js";
import { type AgentEvent, badEvent, brokenOff, eventLines } from "./event-lines.js";
import { underWay } from "./under-way.js";

/** Where an agent is, and how it is asked. */
export interface AgUiOptions {
  /** Takes `POST` with a `RunAgentInput`. */
  readonly url: string;
  /** Sent with each request. A function is called each time, for tokens that expire. */
  readonly headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>) | undefined;
  /** Asks in place of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** What people read where the agent asks something; default the host of `url`. */
  readonly name?: string | undefined;
  /** Passed on to the agent untouched. A function is called for each run. */
  readonly forwardedProps?: unknown;
  /** Told of every event of every run: state, activities, steps, and those of the agent's own kind. */
  readonly onEvent?: ((event: AgentEvent, thread: string) => unknown) | undefined;
  /** Milliseconds of silence after which an agent is given up; default 300,000, 0 for no limit. */
  readonly idleMs?: number | undefined;
}

/**
 * How the plugin tells the model whose session it is: behind the system prompt, and taken off it. It has a name that nobody can guess, as what
 * components show the model stands there too, and may be anybody's text.
 */
export class ThreadMark {
  readonly #begin = `[ag-ui thread ${generateId()}: `;

  of(session: string): string {
    return `${this.#begin}${encodeURIComponent(session)}]`;
  }

  /** The session, where there is one, and the text without it. */
  read(text: string): readonly [session: string | undefined, rest: string] {
    const at = text.indexOf(this.#begin);
    const end = text.indexOf("]", at);
    if (at < 0 || end < 0) return [undefined, text.trim()];
    const session = decodeURIComponent(text.slice(at + this.#begin.length, end));
    return [session, (text.slice(0, at).trimEnd() + text.slice(end + 1)).trim()];
  }
}

/** A request that was stopped between two steps comes for no more of its run. */
const leftMs = 60_000;

export class AgentModel implements ModelAdapter {
  readonly name: string;
  readonly #options: AgUiOptions;
  readonly #results: Map<string, string>;
  readonly #mark: ThreadMark;
  #systemPrompt = "";
  #thread = generateId();
  /** One that goes on when the result of its last step is in the record. */
  #run: { readonly run: AgentRun; readonly leave: AbortController; readonly left: ReturnType<typeof setTimeout> } | undefined;
  /** What was asked from here, and what came of it is not known yet. */
  #own: string | undefined;

  /** `results`: by session, what the step that is shown next has given. */
  constructor(options: AgUiOptions, results: Map<string, string>, mark: ThreadMark) {
    this.#mark = mark;
    this.name = `ag-ui:${options.url}`;
    this.#options = options;
    this.#results = results;
  }

  setSystemPrompt(text: string): void {
    const [session, rest] = this.#mark.read(text);
    if (session !== undefined) this.#thread = session;
    this.#systemPrompt = rest;
  }

  async prompt(request: PromptRequest, notify: NotifySubscribersFunction, signal?: AbortSignal): Promise<ModelPromptResult> {
    if (signal?.aborted) throw stoppedBy(signal);
    if (request.messages.at(-1)?.is_compaction_request)
      throw new GloveError(
        "MODEL_BAD_REQUEST",
        "An agent behind AG-UI keeps its own context: its conversations are not summarised here.",
      );
    const { url } = this.#options;
    const thread = this.#thread;
    let current = this.#run;
    this.#run = undefined;
    clearTimeout(current?.left);
    // The record may have given the call another id.
    const shown = request.messages.at(-1)?.tool_results?.some(({ tool_name }) => tool_name === stepName);
    if (current && !shown) {
      current.leave.abort();
      current = undefined;
      this.#over();
    }
    const asked = lastOf(request);
    if (!current && this.#own !== asked && underWay.has(url, thread, asked)) {
      underWay.end(url, thread);
      throw brokenOff("the page that had begun it is gone");
    }
    this.#own = asked;
    underWay.begin(url, thread, asked);
    const leave = current?.leave ?? new AbortController();
    const stop = () => leave.abort();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const work = current ? Promise.resolve(current.run) : this.#begin(request, thread, leave.signal);
      const run = await stoppable(work, signal);
      const part = await stoppable(run.next(notify), signal);
      if (part.result) {
        this.#results.set(thread, part.result.content);
        this.#run = { run, leave, left: setTimeout(() => leave.abort(), leftMs) };
        underWay.begin(url, thread);
      } else {
        run.leave();
        this.#over();
      }
      return answerOf(part, request);
    } catch (error) {
      leave.abort();
      // One that was stopped, here or with its page, is known as long as the same may be asked again.
      if (signal?.aborted) throw stoppedBy(signal);
      this.#over();
      throw error;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  #over(): void {
    this.#own = undefined;
    underWay.end(this.#options.url, this.#thread);
  }

  async #begin({ messages, tools = [] }: PromptRequest, thread: string, signal: AbortSignal): Promise<AgentRun> {
    const { url, headers, fetch, forwardedProps, onEvent, idleMs = 300_000 } = this.#options;
    const offered = tools.filter(({ name }) => name !== stepName && name !== questionName);
    const questions = openQuestions(messages);
    const state = stateOf(messages);
    const input = {
      threadId: thread,
      runId: generateId(),
      protocolVersion: "1.0",
      state,
      messages: agentMessages(messages),
      tools: offered.map(({ name, description, jsonSchema }) => ({ name, description, parameters: jsonSchema })),
      context: this.#systemPrompt ? [{ description: "What the application says", value: this.#systemPrompt }] : [],
      forwardedProps: resumed((typeof forwardedProps === "function" ? await forwardedProps() : forwardedProps) ?? {}, questions),
      ...(questions.length > 0 && { resume: questions.map(({ answer }) => answer) }),
    };
    const given = typeof headers === "function" ? await headers() : headers;
    const sent = { ...given, "content-type": "application/json", accept: "text/event-stream" };
    // Headers may hold a key, which would go along.
    const init: RequestInit = {
      method: "POST",
      headers: sent,
      body: JSON.stringify(input),
      signal,
      redirect: headers ? "manual" : "follow",
    };
    const response = await (fetch ?? globalThis.fetch)(url, init).catch((cause: unknown) => {
      // It may have come there.
      throw brokenOff(cause);
    });
    if (!response.ok) throw await refused(response);
    if (!response.body || !/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
      void response.body?.cancel().catch(() => {});
      throw badEvent("its answer is no stream of events");
    }
    return new AgentRun(eventLines(response.body, idleMs, signal), {
      ours: new Set(offered.map(({ name }) => name)),
      state,
      open: questions.flatMap(({ call }) => call ?? []),
      told: (event) => {
        // What a listener makes of it ends no answer.
        void (async () => onEvent?.(event, thread))().catch(() => {});
      },
    });
  }
}

/** Agents that ask in the form before 1.0 may look for the answer here alone. */
function resumed(forwardedProps: unknown, [question, ...more]: ReturnType<typeof openQuestions>): unknown {
  if (question?.reason !== earlierReason || more.length > 0 || question.answer.status !== "resolved") return forwardedProps;
  const { command } = Object(forwardedProps) as { readonly command?: object };
  return { ...Object(forwardedProps), command: { ...command, resume: question.answer.payload } };
}

/** What the agent is asked. */
const lastOf = ({ messages }: PromptRequest): string => messages.at(-1)?.id ?? `message ${messages.length}`;

function answerOf(
  { text, reasoning, messageId, state, result, calls, questions, usage }: RunPart,
  { tools = [] }: PromptRequest,
): ModelPromptResult {
  const internal = new Set([stepName, questionName]);
  if (calls.some(({ name }) => internal.has(name) && tools.some((tool) => tool.name === name)))
    throw badEvent("it calls a tool that is not its");
  const tool_calls = [
    ...(result
      ? [{ id: result.call.id, tool_name: stepName, input_args: { name: result.call.name, args: argumentsOf(result.call) } }]
      : []),
    ...calls.map((call) => ({ id: call.id, tool_name: call.name, input_args: argumentsOf(call) })),
    ...questions.map((question) => ({ id: `ask ${question.id}`, tool_name: questionName, input_args: question })),
  ];
  const mark = { ...(messageId !== undefined && { id: messageId }), ...(state && { state }) };
  const message: Message = {
    sender: "agent",
    text,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(Object.keys(mark).length > 0 && { [markName]: mark }),
  };
  return { messages: [message], ...usage };
}

const codes: Readonly<Record<number, string>> = {
  401: "MODEL_AUTHENTICATION",
  403: "MODEL_AUTHENTICATION",
  404: "MODEL_NOT_FOUND",
  413: "BODY_TOO_LARGE",
  429: "MODEL_RATE_LIMIT",
};

/** What an agent says instead of an answer; nothing of it has begun. */
async function refused(response: Response): Promise<GloveError> {
  const { status } = response;
  const said = (await beginningOf(response).catch(() => "")).trim();
  const code = codes[status] ?? (status >= 500 ? "MODEL_SERVER" : status >= 400 ? "MODEL_BAD_REQUEST" : "MODEL_BAD_RESPONSE");
  const message = `The agent refused the request (HTTP ${status})${said ? `: ${said}` : "; check the `url` and `headers`."}`;
  return new GloveError(code, message, { ...(status > 0 && { status }) });
}

/** No more than a person would read. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (reader && text.length < 500) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  void reader?.cancel().catch(() => {});
  return text.slice(0, 500);
}
