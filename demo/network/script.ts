// A chat endpoint inside the page: it reads what was said and what the tools gave, and streams what a script answers.
// It speaks the protocol of `createChatHandler`, so that all the rest is as it would be with a real model.
import type { ContentPart, Fetch, Message, RemotePromptRequest, ToolResult } from "glove-wasm";

export interface Answer {
  /** What is thought before it. */
  readonly thought?: string;
  readonly text?: string;
  /** The pages that it is based on. */
  readonly sources?: Message["sources"];
  readonly calls?: readonly Call[];
  /** It breaks off before its end. */
  readonly cut?: boolean;
}

export type Call = readonly [tool: string, input: unknown];

/** What a script answers to: the last thing that the person said, and what has come of it so far. */
export interface Said {
  readonly text: string;
  readonly results: readonly ToolResult[];
  /** The first result that is no success. */
  readonly failed: ToolResult | undefined;
  /** What is attached to it. */
  readonly files: readonly Attached[];
  /** The data that a tool gave, the latest first. */
  data(tool: string): unknown;
}

/** A file of a message, and its text where it is sent as one. */
export interface Attached {
  readonly name: string;
  readonly type: string;
  readonly size: string;
  readonly text?: string | undefined;
}

export type Assistant = (said: Said) => Answer;

/** Milliseconds before an answer, and between its words. */
const before = 350;
const between = 30;

export function scripted(assistant: Assistant): Fetch {
  return async (_, { body, signal }) => {
    const asked = JSON.parse(String(body)) as RemotePromptRequest;
    const answer = answerOf(assistant, asked.messages);
    const events = eventsOf(answer, Math.ceil(String(body).length / 4)).slice(0, answer.cut ? -1 : undefined);
    return new Response(streamOf(events, signal), { headers: { "content-type": "text/event-stream" } });
  };
}

function answerOf(assistant: Assistant, messages: readonly Message[]): Answer {
  const asked = messages.findLastIndex(isFromPerson);
  if (messages[asked]?.is_compaction_request) return { text: summaryOf(messages.slice(0, asked)) };
  const results = messages.slice(asked + 1).flatMap(({ tool_results }) => tool_results ?? []);
  return assistant({
    text: messages[asked]?.text ?? "",
    files: (messages[asked]?.content ?? []).flatMap(attachedOf),
    results,
    failed: results.find(({ result }) => result.status !== "success"),
    data: (tool) => results.findLast(({ tool_name }) => tool_name === tool)?.result.data,
  });
}

/** As a model gets them: a text with its name above it, anything else as its bytes. */
function attachedOf({ type, text = "", source }: ContentPart): Attached[] {
  if (source) {
    const name = type === "image" ? "A picture" : "A document";
    return [{ name, type: source.media_type, size: sizeOf((source.data?.length ?? 0) * 0.75) }];
  }
  const [, name, words] = /^([^\n]+):\n(.*)$/s.exec(text) ?? [];
  return name && words ? [{ name, type: "text", size: sizeOf(words.length), text: words }] : [];
}

const sizeOf = (bytes: number) => (bytes < 1_000 ? `${Math.round(bytes)} bytes` : `${Math.round(bytes / 1_000)} kB`);

const isFromPerson = ({ sender, tool_results, is_compaction, framework_context }: Message) =>
  sender === "user" && !tool_results?.length && !is_compaction && !framework_context;

function summaryOf(messages: readonly Message[]): string {
  const asked = messages.filter(isFromPerson).map(({ text }) => `“${text}”`);
  return `So far the person said: ${asked.slice(-6).join(", ")}. All of it was done or answered.`;
}

/** The events of one answer. A price is told as well: that of an ordinary model. */
function eventsOf({ thought = "", text = "", sources, calls = [] }: Answer, tokens_in: number): object[] {
  const made = calls.map(([tool_name, input_args]) => ({ id: `call_${crypto.randomUUID()}`, tool_name, input_args }));
  const tokens_out = Math.ceil((thought.length + text.length + JSON.stringify(calls).length) / 4);
  const words = (type: string, text: string) => (text.match(/\S+\s*/g) ?? []).map((word) => ({ type, text: word }));
  const message = {
    sender: "agent",
    text,
    ...(thought && { reasoning_content: thought }),
    ...(sources && { sources }),
    ...(made.length > 0 && { tool_calls: made }),
  };
  return [
    ...words("reasoning_delta", thought),
    ...words("text_delta", text),
    ...made.map(({ id, tool_name, input_args }) => ({ type: "tool_use", id, name: tool_name, input: input_args })),
    { type: "done", message, tokens_in, tokens_out, cost: (tokens_in * 3 + tokens_out * 15) / 1e6 },
  ];
}

function streamOf(events: readonly object[], signal: AbortSignal | null | undefined): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      await pause(next === 0 ? before : between);
      if (signal?.aborted) return controller.error(signal.reason);
      controller.enqueue(encoder.encode(`data: ${JSON.stringify(events[next])}\n\n`));
      next++;
      if (next === events.length) controller.close();
    },
  });
}

/** `?pace=0.1` in the address makes all that the script waits for ten times shorter. */
const pace = Number(new URLSearchParams(location.search).get("pace") ?? 1);

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms * pace));

/** Calls that write a task list; the argument says how many of its steps are done. */
export function taskList(steps: readonly { readonly content: string; readonly activeForm: string }[]): (done: number) => Call {
  const status = (at: number, done: number) => (at < done ? "completed" : at === done ? "in_progress" : "pending");
  return (done) => ["glove_update_tasks", { todos: steps.map((step, at) => ({ ...step, status: status(at, done) })) }];
}
