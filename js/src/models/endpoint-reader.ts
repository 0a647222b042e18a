// An endpoint that is asked without a session: the core, which reads and strikes out keys for sessions, is not loaded then. It is done
// here as in `src/providers/endpoint.rs` and `src/transport/secret.rs`; tests/js/two-readers.test.ts holds both to the same cases.
import type { Message, ToolResult } from "../wire/record.js";
import type { Fetch } from "./http.js";
import { type PromptRequest, serialized } from "./model.js";
import type { RemoteStreamEvent } from "./remote.js";
import { parseSSEStream } from "./sse.js";

/** What is asked, as the core would post it: nothing of a message but what a model reads. */
export function endpointBody(systemPrompt: string, { messages, tools }: PromptRequest, reasoning = false): object {
  const described = serialized(tools);
  const told = messages.map((message) => postedMessage(message, reasoning));
  return { systemPrompt, messages: told, ...(described.length && { tools: described }) };
}

function postedMessage(message: Message, reasoning: boolean): object {
  const { sender, text, content, tool_calls, tool_results } = message;
  return {
    sender,
    text,
    ...(content && { content: content.map(({ type, text, source }) => ({ type, text, source })) }),
    ...(tool_calls && { tool_calls: tool_calls.map((call) => picked(call, callFields)) }),
    ...(tool_results && { tool_results: tool_results.map(postedResult) }),
    ...(reasoning && picked(message, reasoningFields)),
  };
}

function postedResult({ tool_name, call_id, result }: ToolResult): object {
  const { status, data = null, message = "Unknown error", summary = data } = result ?? {};
  if (status === "success") return { tool_name, call_id, result: { data: summary, status } };
  // An endpoint of the original knows no other words.
  if (status) return { tool_name, call_id, result: { data, status: "error", message } };
  // Older versions kept what a tool returned as it was.
  return { tool_name, call_id, result: { data: result ?? null, status: "success" } };
}

/** What providers want back of a call and of an answer is among them. */
const callFields = ["tool_name", "input_args", "id", "thought_signature", "extra_content"];
const reasoningFields = ["reasoning_content", "thinking_blocks", "reasoning_items"];

function picked(from: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}

/** `read` makes an answer of the events. */
export async function askEndpoint<T>(
  fetch: Fetch,
  url: string,
  init: RequestInit & { readonly headers: Record<string, string> },
  read: (events: AsyncIterable<RemoteStreamEvent>) => Promise<T>,
): Promise<T> {
  try {
    // What the core sends with each request, too.
    const headers = new Headers({ "content-type": "application/json", accept: "text/event-stream" });
    for (const [name, value] of Object.entries(init.headers)) headers.set(name, value);
    return await read(withOldErrors(parseSSEStream(await fetch(url, { ...init, headers: Object.fromEntries(headers) }))));
  } catch (error) {
    if (error instanceof Error) error.message = keysOf(url, new Headers(init.headers)).reduce(struck, error.message);
    throw error;
  }
}

/** The original's handler reports a failed model as an answer `Error: …` that was never streamed and cost nothing. */
async function* withOldErrors(events: AsyncIterable<RemoteStreamEvent>): AsyncGenerator<RemoteStreamEvent, void, undefined> {
  let told = "";
  for await (const event of events) {
    if (event.type === "text_delta") told += event.text ?? "";
    const { text = "", tool_calls } = (event.type === "done" && !event.tokens_in && !event.tokens_out && event.message) || {};
    const isOld = /^Error: /.test(text) && !tool_calls && !told.endsWith(text);
    yield isOld ? { type: "error", message: text.replace(/^(Error: )+/, "") } : event;
  }
}

/** Shorter values are no keys. */
const shortest = 6;
/** As much of a key is struck out wherever it stands. */
const most = 10;

function keysOf(url: string, headers: Headers): string[] {
  const keys: string[] = [];
  for (const [name, value] of headers) {
    if (/^(anthropic-|content-|accept$)/.test(name)) continue;
    const parts = value.split(/[ ,;=:"]/).filter((part) => part.length >= 20 || /\d/.test(part));
    keys.push(value, value.slice(value.lastIndexOf(" ") + 1), ...parts);
  }
  const login = /:\/\/([^/?#]*)@/.exec(url)?.[1] ?? "";
  keys.push(login.slice(login.indexOf(":") + 1));
  for (const [, name = "", value = ""] of url.matchAll(/[?&]([^=&#]*)=([^&#]*)/g)) {
    if (/key|token|secret|sig|auth|password/i.test(name)) keys.push(value);
  }
  return keys.filter(({ length }) => length >= shortest);
}

function struck(text: string, key: string): string {
  let told = text;
  for (let { length } = key; length >= shortest; length--) {
    const part = key.slice(0, length);
    // A quotation may end in the middle of one.
    const said = told.replace(/…+$/, "");
    if (said.endsWith(part)) told = `${said.slice(0, -length)}…`;
    if (length >= Math.min(key.length, most)) told = told.replaceAll(part, "…");
  }
  return told;
}
