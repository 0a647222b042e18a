// One answer of a chat handler: the core asks the provider, and the client reads along.
import { EventStream } from "./events.js";
import { clientDisconnected, type Refusal, refusedEvent, refusedResponse } from "./refusal-response.js";
import { type RelayCall, relayed } from "./relay-call.js";

export interface Asking extends Pick<RelayCall, "relay" | "body" | "key" | "fetch" | "tickets" | "notice"> {
  readonly signal: AbortSignal;
  readonly heartbeatMs: number;
  /** A failure is an event, also before anything was told. */
  readonly asEvents?: boolean;
  /** Told of each piece of the answer, and of its end. */
  readonly trace?: { heard(events: string): void; ended(refusal?: Refusal): void } | undefined;
  /** What the client is told in the place of this, where more is known. */
  refused?(refusal: Refusal): Refusal;
  /** Told when there is no answer. */
  report(refusal: Refusal, cause?: unknown): void;
}

export function answer({ signal, heartbeatMs, asEvents, report, trace, refused, ...call }: Asking): Promise<Response> {
  if (signal.aborted) {
    trace?.ended(clientDisconnected);
    return Promise.resolve(refusedResponse(clientDisconnected));
  }
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const stream = new EventStream(heartbeatMs, leave);
  signal.addEventListener("abort", leave);
  const end = (refusal: Refusal) => {
    if (stream.started || asEvents) stream.write(refusedEvent(refusal));
    stream.end(() => refusedResponse(refusal));
  };
  const write = (events: string) => {
    trace?.heard(events);
    stream.write(events);
  };
  relayed({ ...call, write, ready: () => stream.ready() }, leaving.signal)
    .then(
      (given) => {
        const refusal = given && (refused?.(given) ?? given);
        trace?.ended(refusal);
        if (!refusal) return stream.end(() => refusedResponse(clientDisconnected));
        report(refusal);
        end(refusal);
      },
      (error: unknown) => {
        trace?.ended(broken);
        report(broken, error);
        end(broken);
      },
    )
    .finally(() => signal.removeEventListener("abort", leave));
  return stream.response;
}

export const broken: Refusal = { status: 500, code: "INTERNAL", message: "The chat handler failed." };
