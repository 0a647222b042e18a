// A request that is not answered: as a response, and as the last event of a stream.

import type { ToldFailure } from "../values/error.js";

/** Nobody reads this one, and nobody need know of it. */
export const clientDisconnected: Refusal = {
  status: 499,
  code: "ABORTED",
  message: "The client disconnected before the answer began.",
};

/** What a client is told; `detail` is for the server alone. Of the provider's own answer it has what the client may know. */
export interface Refusal extends Omit<ToldFailure, "status"> {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly kind?: string;
  readonly retryable?: boolean;
  readonly retry_after_ms?: number;
  readonly detail?: string;
  /** The error itself, for the server alone. */
  readonly model?: ToldFailure;
  /** What a log may say of it: nothing of the conversation. */
  readonly log?: string;
}

export function refusedResponse({ status, detail: _, model: __, log: ___, ...error }: Refusal): Response {
  const headers = new Headers({
    "content-type": "application/json",
    "cache-control": "no-store",
    // The handler has tried again itself, as often as it may.
    "x-should-retry": "false",
  });
  if (status === 405) headers.set("allow", "POST");
  if (error.retry_after_ms !== undefined) headers.set("retry-after", String(Math.ceil(error.retry_after_ms / 1000)));
  return new Response(JSON.stringify({ error }), { status, headers });
}

export function refusedEvent({ status: _, detail: __, model: ___, log: ____, ...error }: Refusal): string {
  // Who tells it has tried again itself, as the header of a response says.
  return `data: ${JSON.stringify({ type: "error", ...error, retryable: false })}\n\n`;
}
