// A request that has left before the core is there. When the core asks the same, it is given this one's answer; when it asks otherwise, or
// never, this one is broken off.

import type { Transport } from "../models/transport.js";
import type { Fetch } from "../relay/http.js";
import { textReader } from "./shown-text.js";

/** What `src/http/model.rs` sends to each endpoint. */
const headers = '[["content-type","application/json"],["accept","text/event-stream"]]';

/** So many bytes are kept of an answer; the rest is read when the core takes it. */
const mostKept = 0x10_0000;

/** Why it is broken off where another tab asks the same: what is kept of the answer is still wanted. */
export const askedElsewhere = "Another tab asks for this answer.";

type Chunk = ReadableStreamReadResult<Uint8Array>;

export class EarlyRequest {
  readonly #transport: Transport;
  readonly #body: string;
  readonly #leave = new AbortController();
  /** The application's own are among them when it has answered. */
  readonly #sent = new Headers(JSON.parse(headers));
  readonly #response: Promise<Response>;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #came: Chunk[] = [];
  #next: Promise<Chunk> | undefined;
  #taken = false;

  /** `show` is given each piece of text until the core has the answer. */
  constructor(transport: Transport, body: string, show: (text: string) => void) {
    this.#transport = transport;
    this.#body = body;
    const init = { method: "POST", headers: this.#sent, body, signal: this.#leave.signal };
    this.#response = (transport.fetch as Fetch)(transport.options.http.url, init);
    // The core is told what goes wrong.
    this.#response.then((response) => this.#read(response, show)).catch(() => {});
  }

  async #read(response: Response, show: (text: string) => void): Promise<void> {
    // Any other answer says no text, and the core knows what to do with it.
    if (this.#taken || !response?.ok || !response.body) return;
    const reader = response.body.getReader();
    this.#reader = reader;
    const read = textReader();
    for (let bytes = 0; bytes < mostKept; ) {
      this.#next = reader.read();
      const chunk = await this.#next;
      // Whoever has taken it has this one too.
      if (this.#taken) return;
      this.#next = undefined;
      this.#came.push(chunk);
      if (!chunk.value) return;
      bytes += chunk.value.length;
      const text = read(chunk.value);
      if (text) show(text);
    }
  }

  /** The answer, where the core asks for the same; it can be taken once. */
  take(transport: Transport | undefined, url: string, asked: string, body: string): Fetch | undefined {
    if (this.#taken) return undefined;
    const isSame =
      transport === this.#transport && url === this.#transport.options.http.url && asked === headers && body === this.#body;
    if (!isSame || this.#leave.signal.aborted) {
      this.end();
      return undefined;
    }
    this.#taken = true;
    return (_, { headers, signal }) => this.#answer(headers as Headers, signal as AbortSignal);
  }

  async #answer(told: Headers, signal: AbortSignal): Promise<Response> {
    const leave = () => this.#leave.abort(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    try {
      const response = await this.#response;
      const reader = this.#reader;
      if (!reader) return response;
      const body = { getReader: () => ({ read: () => this.#chunk(reader), cancel: () => reader.cancel() }) };
      return { status: response.status, headers: response.headers, body } as unknown as Response;
    } finally {
      this.#sent.forEach((value, name) => void told.set(name, value));
    }
  }

  async #chunk(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Chunk> {
    const chunk = this.#came.shift();
    if (chunk) return chunk;
    const next = this.#next ?? reader.read();
    this.#next = undefined;
    return next;
  }

  /** It is not waited for any more, unless the core has it. */
  end(reason?: unknown): void {
    if (this.#taken) return;
    this.#taken = true;
    this.#leave.abort(reason);
    // Also of a `fetch` that does not heed its signal.
    this.#reader?.cancel().catch(() => {});
  }
}
