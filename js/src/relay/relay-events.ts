// What a relay tells of one answer, as events: for who reads them where the relay is.

import { stoppedBy } from "../values/error.js";
import type { RemoteStreamEvent } from "./collect.js";
import type { Refusal } from "./refusal-response.js";
import { type RelayCall, relayed } from "./relay-call.js";

/** The events of one answer. Throws what `failed` makes of a refusal. */
export async function* relayEvents(
  call: Pick<RelayCall, "relay" | "body" | "key" | "fetch" | "notice">,
  failed: (refusal: Refusal) => unknown,
  signal?: AbortSignal,
): AsyncGenerator<RemoteStreamEvent, void, undefined> {
  if (signal?.aborted) throw stoppedBy(signal);
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  signal?.addEventListener("abort", leave);
  const buffered: RemoteStreamEvent[] = [];
  let wake = () => {};
  const write = (events: string) => {
    // One line each, as the core writes them.
    for (const event of events.split("\n\n")) if (event) buffered.push(JSON.parse(event.slice("data: ".length)));
    wake();
  };
  let end: { readonly failure?: unknown } | undefined;
  relayed({ ...call, write }, leaving.signal)
    .then(
      (refusal) => (refusal ? { failure: failed(refusal) } : {}),
      (failure: unknown) => ({ failure }),
    )
    .then((buffered) => {
      end = buffered;
      wake();
    });
  try {
    for (;;) {
      yield* buffered.splice(0);
      if (buffered.length > 0) continue;
      if (end?.failure) throw end.failure;
      if (end) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal?.removeEventListener("abort", leave);
    leave();
  }
}
