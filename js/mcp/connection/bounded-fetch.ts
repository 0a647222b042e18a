// The way to a server over HTTP: the headers of the application, and no more bytes than it allows.

import type { Maybe } from "../../src/timing/sync-or-promise.js";
import { GloveError } from "../../src/values/error.js";

type Send = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface BoundedFetchOptions {
  readonly server: string;
  /** Where it is: nobody else gets the headers, wherever it sends its client for a token. */
  readonly url: URL;
  readonly send: Send;
  readonly headers: () => Maybe<HeadersInit>;
  readonly maxBytes: number;
  /** An answer to this request had more. */
  tooLarge(body: string, error: GloveError): void;
}

/** Of an answer that says what is wrong. */
const maxRefusalBytes = 64_000;

export function boundedFetch({ server, url: own, send, headers, maxBytes, tooLarge }: BoundedFetchOptions): Send {
  return async (url, init) => {
    const all = new Headers(init?.headers);
    if (new URL(url).href === own.href) for (const [name, value] of new Headers(await headers())) all.set(name, value);
    const response = await send(url, { ...init, headers: all });
    if (!response.body) return response;
    const count = counting(/event-stream/.test(response.headers.get("content-type") ?? ""));
    let left = maxRefusalBytes;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          if (!response.ok) {
            controller.enqueue(chunk.subarray(0, left));
            left -= chunk.length;
            // Its status is told, whatever comes behind.
            if (left <= 0) controller.terminate();
            return;
          }
          if (count(chunk) <= maxBytes) return controller.enqueue(chunk);
          const message = `The MCP server "${server}" sent more than ${maxBytes} bytes at once (\`limits.resultBytes\`).`;
          const error = new GloveError("MCP_RESULT_TOO_LARGE", message);
          tooLarge(typeof init?.body === "string" ? init.body : "", error);
          controller.error(error);
        },
      }),
    );
    const { status, statusText, headers: answered, url: from } = response;
    return Object.defineProperty(new Response(counted, { status, statusText, headers: answered }), "url", { value: from });
  };
}

/** How many bytes there are by now: in a stream of events, those of the event that is being sent. */
function counting(ofEvents: boolean): (chunk: Uint8Array) => number {
  let count = 0;
  let before = 0;
  return (chunk) => {
    count += chunk.length;
    if (!ofEvents) return count;
    for (const [at, byte] of chunk.entries()) {
      // A blank line ends an event.
      if (byte === 10 && before === 10) count = chunk.length - at - 1;
      if (byte !== 13) before = byte;
    }
    return count;
  };
}
