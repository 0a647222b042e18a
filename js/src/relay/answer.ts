// One answer: the core asks the provider, and the client reads along.
import { type Fetch, hostFetch } from "../models/http.js";
import type { ModelNotice } from "../models/model.js";
import { giveBackMemory, guard, type Relay } from "../wasm/providers.js";
import type { RelayHost } from "../wasm/relay.js";
import { EventStream } from "./events.js";
import { clientLeft, type Refusal, refusedEvent, refusedResponse } from "./refused.js";

export interface Asking {
  readonly relay: Relay;
  readonly body: string;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly fetch: Fetch;
  readonly heartbeatMs: number;
  /** A failure is an event, also before anything was told. */
  readonly asEvents?: boolean;
  /** Told when there is no answer. */
  report(refusal: Refusal, cause?: unknown): void;
  /** Told what the model is asked without. */
  notice(notice: ModelNotice): void;
}

/** What an instance of the core may keep when nobody is answered. */
const mostMemory = 64 * 1024 * 1024;
let asked = 0;

export function answer(asking: Asking): Promise<Response> {
  const { relay, body, key, signal, fetch, heartbeatMs, asEvents, report, notice } = asking;
  if (signal.aborted) return Promise.resolve(refusedResponse(clientLeft));
  let leave = () => {};
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const stream = new EventStream(heartbeatMs, leave);
  signal.addEventListener("abort", leave);
  // A redirect is not followed: the key would go along.
  const direct: Fetch = (url, init) => fetch(url, { ...init, redirect: "manual" });
  const host: RelayHost = {
    events: (text: string) => stream.write(text),
    notice: (code: string, message: string) => notice({ code, message }),
    fetch: (url: string, headers: string, sent: string, abort: AbortSignal) =>
      hostFetch(direct, url, headers, sent, abort, () => stream.ready()),
  };
  const end = (refusal: Refusal) => {
    if (stream.begun || asEvents) stream.write(refusedEvent(refusal));
    stream.end(() => refusedResponse(refusal));
  };
  asked++;
  // A trap of the core may also come at once.
  const told = async (): Promise<string | undefined> => relay.answer(body, key, host, gone);
  guard
    .untilTrap(told())
    .then(
      (told) => {
        if (told === undefined) return stream.end(() => refusedResponse(clientLeft));
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
      asked--;
      if (asked === 0) giveBackMemory(mostMemory);
      leave(); // A promise that never settles would be kept by the core.
    });
  return stream.response;
}

export const broken: Refusal = { status: 500, code: "INTERNAL", message: "The chat handler failed." };
