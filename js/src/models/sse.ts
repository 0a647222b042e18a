// Server-sent events of an endpoint, read as they come: the whole grammar, whatever the chunks are. For who asks an endpoint without
// a session, and so without the core, which reads those of sessions.
import { failureOf, GloveError, reasonOf, type ToldFailure } from "../error.js";
import type { RemoteStreamEvent } from "./remote.js";

export async function* parseSSEStream(response: Response): AsyncGenerator<RemoteStreamEvent, void, undefined> {
  if (!response.ok) {
    const { status, statusText, headers } = response;
    // 0 is what browsers tell of one.
    if (status < 400)
      throw failure(
        response,
        `The chat endpoint redirects to ${headers.get("location") ?? "elsewhere"}: use that URL as the endpoint.`,
      );
    const body = await response.text().catch(() => "");
    throw failure(response, `Chat endpoint error: ${status} ${statusText}${excerpt(body)}`, body);
  }
  const type = response.headers.get("content-type") ?? "";
  if (!response.body) throw new GloveError("MODEL_BAD_RESPONSE", "The chat endpoint's answer has no body.");
  if (type && !/^text\/event-stream\b/i.test(type)) {
    const what = `The chat endpoint answered with ${type} instead of text/event-stream`;
    throw new GloveError("MODEL_BAD_RESPONSE", what + excerpt(await response.text().catch(() => "")));
  }
  for await (const data of sseData(response.body)) {
    if (data === "[DONE]") continue;
    const event = read(data);
    if (typeof event?.type !== "string") continue;
    yield event;
    if (event.type === "done") return;
  }
  throw new GloveError("MODEL_STREAM_CUT", "Stream ended without a 'done' event");
}

/** The data of each event, by the grammar of the HTML standard: CR, LF or CRLF, comments, other fields, several data lines. */
export async function* sseData(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let line = "";
  let data: string[] = [];
  let afterCr = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = decoder.decode(value, { stream: !done });
      const lines = (afterCr && text.startsWith("\n") ? text.slice(1) : text).split(/\r\n|\r|\n/);
      if (text) afterCr = text.endsWith("\r");
      lines[0] = line + lines[0];
      line = lines.pop() ?? "";
      for (const whole of lines) {
        if (whole !== "") field(whole, data);
        else if (data.length) {
          yield data.join("\n");
          data = [];
        }
      }
      if (!done) continue;
      // A last event without its blank line is whole when its JSON is; a cut one fails when it is read.
      if (line) field(line, data);
      if (data.length) yield data.join("\n");
      return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function field(line: string, data: string[]): void {
  const colon = line.indexOf(":");
  const name = colon < 0 ? line : line.slice(0, colon);
  if (name !== "data") return;
  const value = colon < 0 ? "" : line.slice(colon + 1);
  data.push(value.startsWith(" ") ? value.slice(1) : value);
}

/** Anything may have been sent. */
function read(data: string): RemoteStreamEvent | null | undefined {
  try {
    return JSON.parse(data);
  } catch (error) {
    throw new GloveError(
      "MODEL_BAD_RESPONSE",
      `The chat endpoint sent an event that is not JSON (${reasonOf(error)}): ${short(data)}`,
    );
  }
}

interface Told extends ToldFailure {
  readonly code?: unknown;
  readonly kind?: unknown;
}

function told(body: string): Told {
  try {
    return JSON.parse(body).error ?? {};
  } catch {
    return {};
  }
}

/** What an endpoint calls a refusal of its own; a failure of the model has a kind too, and is known by its status. */
function codeIn({ code, kind }: Told): string | undefined {
  return kind === undefined && typeof code === "string" && /^[A-Z_]{1,40}$/.test(code) ? code : undefined;
}

function failure({ status, headers }: Response, message: string, body = ""): GloveError {
  const error = told(body);
  const seconds = Number.parseFloat(headers.get("retry-after") ?? "");
  const known = failureOf({
    status,
    transient: status >= 500 || [408, 409, 429].includes(status),
    ...(seconds >= 0 && { retry_after_ms: Math.round(seconds * 1000) }),
    request_id: headers.get("request-id") ?? headers.get("x-request-id"),
    ...error,
  });
  return new GloveError(codeIn(error) ?? codeOf(status), message, known);
}

function codeOf(status: number): string {
  if (status === 413) return "BODY_TOO_LARGE";
  if (status === 401 || status === 403) return "MODEL_AUTHENTICATION";
  if (status === 429) return "MODEL_RATE_LIMIT";
  return status >= 500 ? "MODEL_SERVER" : status < 400 ? "MODEL_CONFIG" : "MODEL_BAD_REQUEST";
}

/** The beginning of a body, to say what came instead: of a web page what it says, not its source. */
function excerpt(body: string): string {
  const text = /^\s*<(?!\?xml)/.test(body) ? body.replace(/<[^>]*>/g, " ").trim() : body;
  return text ? `: ${short(text)}` : "";
}

function short(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
