// The events of an endpoint's answer, for models of the application's own.

import type { RemoteStreamEvent } from "../relay/collect.js";
import { loadPart } from "../values/error.js";
import { check } from "../values/validate-options.js";

/** Whoever has the answer has asked as often as it wants to, and waits as long as it wants to. */
const policy = { maxRetries: 0, firstByteMs: 0, idleMs: 0, totalMs: 0, answerBytes: 0 };
const body = JSON.stringify({ messages: [{ sender: "user", text: "-" }] });

/**
 * The events of an endpoint's answer, to its `done`. The connection is closed when the reader stops early.
 * Throws `MODEL_*` errors for an answer that is no event stream, for one that breaks off, for bad JSON in it, and for the failure
 * that it tells of.
 */
export function parseSSEStream(response: Response): AsyncGenerator<RemoteStreamEvent, void, undefined> {
  check("`response`", response, "response");
  const left = new AbortController();
  const events = read(response, left.signal);
  const { return: end } = events;
  // By itself a generator ends when what it waits for has come.
  return Object.assign(events, {
    return(this: typeof events, value: undefined) {
      left.abort();
      return end.call(events, value);
    },
  });
}

async function* read(response: Response, left: AbortSignal): AsyncGenerator<RemoteStreamEvent, void, undefined> {
  // The core reads it, as it reads those of sessions.
  const { eventsOf } = await loadPart(import("../relay/direct.js"));
  if (left.aborted) return void response.body?.cancel().catch(() => {});
  const options = { format: "endpoint", baseURL: response.url, model: "", policy } as const;
  yield* eventsOf({ options, fetch: async () => response }, body, left);
}
