// One answer: the core asks the provider, and the client reads along.
import { type Fetch, hostFetch } from "../src/models/http.js";
import { untilTrap } from "../src/wasm/guard.js";
import type { RelayHost } from "../src/wasm/relay.js";
import { EventStream } from "./events.js";
import { type Refusal, refusedEvent, refusedResponse } from "./refused.js";
import type { Relay } from "./relay.js";

export interface Asking {
  readonly relay: Relay;
  readonly body: string;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly fetch: Fetch | undefined;
  readonly heartbeatMs: number;
  /** Told when there is no answer. */
  report(refusal: Refusal, cause?: unknown): void;
}

export function answer({ relay, body, key, signal, fetch, heartbeatMs, report }: Asking): Promise<Response> {
  let leave = () => {};
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const stream = new EventStream(heartbeatMs, leave);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  const host: RelayHost = {
    events: (text: string) => stream.write(text),
    fetch: (url: string, headers: string, sent: string, abort: AbortSignal) =>
      hostFetch(direct(fetch), url, headers, sent, abort),
  };
  const end = (refusal: Refusal) => {
    if (stream.begun) stream.write(refusedEvent(refusal));
    stream.end(() => refusedResponse(refusal));
  };
  untilTrap<string | undefined>(relay.answer(body, key, host, gone))
    .then(
      (told) => {
        if (told === undefined) return stream.end(() => refusedResponse(left));
        const refusal = JSON.parse(told) as Refusal;
        report(refusal);
        end(refusal);
      },
      (error: unknown) => {
        report(broken, error);
        end(broken);
      },
    )
    .finally(() => {
      signal.removeEventListener("abort", leave);
      leave(); // A promise that never settles would be kept by the core.
    });
  return stream.response;
}

/** A redirect is not followed: the key would go along. */
function direct(fetch: Fetch | undefined): Fetch {
  return (url, init) => (fetch ?? globalThis.fetch)(url, { ...init, redirect: "manual" });
}

/** Nobody reads this one. */
const left: Refusal = { status: 499, code: "ABORTED", message: "The client left before the answer began." };

export const broken: Refusal = { status: 500, code: "INTERNAL", message: "The chat handler failed." };
