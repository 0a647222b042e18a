// A model that answers from a script: for tests, demonstrations and documentation. No key, no network.

import type { ModelAdapter, ModelPromptResult, NotifySubscribersFunction, PromptRequest } from "../ports/model.js";
import { checkRequest, stoppable } from "../relay/model-call.js";
import { GloveError, stoppedBy } from "../values/error.js";
import { check, checkOptions, describeValue, type Options } from "../values/validate-options.js";
import type { Message, Source, Usage } from "../wire/record.js";

/** One answer of a script. */
export interface ScriptedTurn {
  /** The text; streamed in this many `deltas`, or in exactly these. */
  readonly text?: string;
  readonly deltas?: readonly string[];
  readonly reasoning?: string;
  /** Milliseconds before each piece. */
  readonly every?: number;
  /** Milliseconds before anything. */
  readonly after?: number;
  readonly toolCalls?: readonly { readonly name: string; readonly input?: unknown; readonly id?: string }[];
  /** Where the answer says that it comes from. */
  readonly sources?: readonly Source[];
  readonly usage?: Partial<Usage>;
  readonly stopReason?: string;
  /** Fails with this error after the parts were streamed. */
  readonly fail?: Error | string;
  /** The connection breaks after the parts. */
  readonly cut?: boolean;
  /** The text is not streamed. */
  readonly stream?: boolean;
  /** Waits for this before the answer ends. */
  readonly until?: Promise<unknown>;
}

/** A call that the script asks for. */
export interface ScriptedCall {
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly tools: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** One answer of a script. */
export type ScriptedAnswer =
  | string
  | ScriptedTurn
  | ((call: ScriptedCall) => string | ScriptedTurn | Promise<string | ScriptedTurn>);

/** Options of a scripted model. */
export interface ScriptedModelOptions {
  /** How many of the last requests `calls` keeps, each with its messages; default 100. `Infinity` keeps all. */
  readonly keepCalls?: number | undefined;
}

export interface ScriptedModel extends ModelAdapter {
  /** The last requests, one per call: as many as `keepCalls` says. */
  readonly calls: readonly ScriptedCall[];
  /** Appends answers to the script. */
  add(...answers: readonly ScriptedAnswer[]): void;
}

/** A model that returns these answers in order; a function can inspect the request. Fails with `SCRIPT_ENDED` if none is left. */
export function createScriptedModel(
  script:
    | readonly ScriptedAnswer[]
    | ((call: ScriptedCall) => ReturnType<Extract<ScriptedAnswer, (call: ScriptedCall) => unknown>>),
  options: ScriptedModelOptions = {},
): ScriptedModel {
  checkOptions(check("The options", options, "object"), { keepCalls: "count" } satisfies Options<ScriptedModelOptions>);
  const { keepCalls = 100 } = options;
  if (typeof script !== "function" && !Array.isArray(script)) {
    throw new GloveError("CONFIG_INVALID", `The script must be an array of answers or a function, got ${describeValue(script)}.`);
  }
  const left: ScriptedAnswer[] = typeof script === "function" ? [] : [...script];
  const calls: ScriptedCall[] = [];
  let asked = 0;
  let systemPrompt = "";
  const next = (): ScriptedAnswer => {
    const answer = typeof script === "function" ? script : left.shift();
    if (answer === undefined) throw new GloveError("SCRIPT_ENDED", `The script has no answer for call ${asked}: add one.`);
    return answer;
  };
  return {
    name: "scripted",
    calls,
    add: (...answers) => void left.push(...answers),
    setSystemPrompt: (text) => {
      systemPrompt = text;
    },
    async prompt(request: PromptRequest, notify, signal) {
      checkRequest(request ?? {});
      const { messages, tools } = request;
      const call = {
        systemPrompt,
        messages: JSON.parse(JSON.stringify(messages)) as Message[],
        tools: (tools ?? []).map(({ name }) => name),
        signal,
      };
      asked++;
      calls.push(call);
      if (calls.length > keepCalls) calls.shift();
      const answer = next();
      const turn = typeof answer === "function" ? await answer(call) : answer;
      return play(typeof turn === "string" ? { text: turn } : checked(turn), notify, signal);
    },
  };
}

const turnOptions = {
  text: "text",
  deltas: "list",
  reasoning: "text",
  every: "amount",
  after: "amount",
  toolCalls: "list",
  sources: "list",
  usage: "object",
  stopReason: "text",
  fail: "any",
  cut: "flag",
  stream: "flag",
  until: "any",
} as const satisfies Options<ScriptedTurn>;

const callOptions = { name: "text", input: "any", id: "text" } as const satisfies Options<
  NonNullable<ScriptedTurn["toolCalls"]>[number]
>;

/** A misspelt part would be an empty answer, with which a test may pass. */
function checked(turn: ScriptedTurn): ScriptedTurn {
  checkOptions(check("An answer of the script", turn, "object"), turnOptions, {
    called: (option) => `\`${option}\` of an answer`,
    moved: { content: "Use `text`." },
  });
  for (const call of turn.toolCalls ?? []) {
    const moved = { args: "Use `input`.", arguments: "Use `input`.", toolName: "Use `name`." };
    checkOptions(check("A call of an answer", call, "object"), callOptions, {
      called: (option) => `\`${option}\` of a call`,
      moved,
    });
  }
  return turn;
}

async function play(turn: ScriptedTurn, notify: NotifySubscribersFunction, signal?: AbortSignal): Promise<ModelPromptResult> {
  const pieces = turn.deltas ?? (turn.text === undefined || turn.stream === false ? [] : [turn.text]);
  await pause(turn.after, signal);
  if (turn.reasoning) await notify("reasoning_delta", { text: turn.reasoning });
  for (const text of pieces) {
    await pause(turn.every, signal);
    await notify("text_delta", { text });
  }
  if (turn.until) await stoppable(turn.until, signal);
  if (turn.cut) throw new GloveError("MODEL_STREAM_CUT", "Stream ended without a 'done' event");
  if (turn.fail) throw typeof turn.fail === "string" ? new Error(turn.fail) : turn.fail;
  const text = turn.text ?? pieces.join("");
  const calls = (turn.toolCalls ?? []).map(({ name, input, id }) => ({
    tool_name: name,
    input_args: input ?? {},
    ...(id !== undefined && { id }),
  }));
  const message: Message = {
    sender: "agent",
    text,
    ...(turn.reasoning && { reasoning_content: turn.reasoning }),
    ...(calls.length ? { tool_calls: calls } : {}),
    ...(turn.sources && { sources: [...turn.sources] }),
  };
  return {
    messages: [message],
    tokens_in: 10,
    tokens_out: 5,
    ...turn.usage,
    ...(turn.stopReason && { stop_reason: turn.stopReason }),
  };
}

function pause(ms: number | undefined, signal: AbortSignal | undefined): Promise<unknown> {
  if (signal?.aborted) return Promise.reject(stoppedBy(signal));
  if (ms === undefined) return Promise.resolve();
  return stoppable(new Promise((resolve) => setTimeout(resolve, ms)), signal);
}
