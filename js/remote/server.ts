// The server as its clients reach it: requests, their refusals, and event streams.
import { failureOf, GloveError } from "../src/values/error.js";

/** Where the sessions are, and what is sent along. */
export interface RemoteOptions {
  /** Where the server has its sessions: `/api/sessions` of `glove serve`. */
  readonly url: string;
  /** Sent with every request, such as an `Authorization`. A function is asked each time. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>) | undefined;
  /** For cookies of another origin; default `same-origin`. */
  readonly credentials?: RequestCredentials | undefined;
  /** Takes the place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** Something that a stream tells, and its id. */
export interface StreamEvent {
  readonly id: string;
  readonly data: string;
}

/** A server that works sends something at least every fifteen seconds. */
const silentMs = 40_000;
const requestMs = 30_000;

export class RemoteServer {
  readonly #options: RemoteOptions;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  async json(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown> {
    return parsed(await this.text(method, path, body, signal));
  }

  /** The body of the answer. Fails with what the server says, or with `SERVER_UNREACHABLE` when it says nothing. */
  text(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<string> {
    return this.read(method, path, (response) => response.text(), body, signal);
  }

  async read<T>(
    method: string,
    path: string,
    read: (response: Response) => Promise<T>,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<T> {
    const late = new AbortController();
    const stop = () => late.abort();
    signal?.addEventListener("abort", stop, { once: true });
    const timer = setTimeout(stop, requestMs);
    try {
      const response = await this.#fetch(method, path, late.signal, body === undefined ? {} : { body });
      return await read(response).catch((cause: unknown) => {
        throw unreachable(cause);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  /** What a stream tells after the event with this id, until it ends or is silent for too long. With a `body` it is asked by `POST`. */
  async *follow(
    path: string,
    last: string | undefined,
    signal: AbortSignal,
    body?: unknown,
    opened?: () => void,
  ): AsyncGenerator<StreamEvent> {
    const silent = new AbortController();
    const stop = () => silent.abort();
    signal.addEventListener("abort", stop, { once: true });
    let timer = setTimeout(stop, silentMs);
    try {
      const more = { ...(last !== undefined && { last }), ...(body !== undefined && { body }) };
      const response = await this.#fetch(body === undefined ? "GET" : "POST", path, silent.signal, more);
      if (!response.body) throw unreachable("no body");
      opened?.();
      const reader = response.body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
      let [line, id] = ["", ""];
      for (;;) {
        const { value, done } = await reader.read().catch((cause: unknown) => {
          throw unreachable(cause);
        });
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(stop, silentMs);
        const [first = "", ...lines] = value.split("\n");
        line += first;
        for (const next of lines) {
          if (line.startsWith("id: ")) id = line.slice(4);
          if (line.startsWith("data: ")) yield { id, data: line.slice(6) };
          line = next;
        }
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      silent.abort();
    }
  }

  async #fetch(
    method: string,
    path: string,
    signal: AbortSignal,
    { body, last }: { readonly body?: unknown; readonly last?: string },
  ): Promise<Response> {
    const { url, headers: given, credentials = "same-origin", fetch: own } = this.#options;
    const headers = new Headers(typeof given === "function" ? await given() : given);
    if (last !== undefined) headers.set("last-event-id", last);
    if (body !== undefined) headers.set("content-type", "application/json");
    const request: RequestInit = {
      method,
      headers,
      credentials,
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    let response: Response;
    try {
      response = await (own ?? fetch)(`${url.replace(/\/$/, "")}${path}`, request);
    } catch (cause) {
      throw unreachable(cause);
    }
    if (response.ok) return response;
    throw await refusal(response);
  }
}

/** What is no JSON was said by something between the server and the page, such as the sign-in of a network. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreachable(cause);
  }
}

/** The server said nothing, or something between it and the page said it. */
export function unreachable(cause: unknown): GloveError {
  const message = "The server cannot be reached; check the connection. What was sent is sent again.";
  return new GloveError("SERVER_UNREACHABLE", message, { cause, retryable: true });
}

async function refusal(response: Response): Promise<GloveError> {
  const text = await response.text().catch(() => "");
  try {
    const { error } = JSON.parse(text) as { readonly error: { readonly code: string; readonly message: string } };
    // It may be asked again a moment later.
    if (response.status === 503) return unreachable(error);
    return new GloveError(String(error.code), String(error.message), { ...failureOf(error), status: response.status });
  } catch {
    if (response.status >= 500) return unreachable(`HTTP ${response.status}`);
    return new GloveError(
      "SERVER_REFUSED",
      `The server refused the request (HTTP ${response.status}); check the \`url\` and \`headers\`.`,
      {
        status: response.status,
      },
    );
  }
}
