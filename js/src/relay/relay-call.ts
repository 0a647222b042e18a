// One call of a model through the relay: it asks the model, and writes what comes as the text of an event stream.

import type { ModelNotice } from "../ports/model.js";
import { giveBackMemory, guard, type Relay } from "../wasm/providers.js";
import { type Fetch, hostFetch } from "./http.js";
import type { Refusal } from "./refusal-response.js";
import type { RelayHost } from "./relay-host.js";

export interface RelayCall {
  readonly relay: Relay;
  /** The posted request. */
  readonly body: string;
  readonly key: string;
  readonly fetch: Fetch;
  /** What calls of tools of the server are signed with. */
  readonly tickets?: string | undefined;
  /** Gets whole events, those of one network chunk at a time. */
  write(events: string): void;
  /** Resolves when there is room for more. */
  ready?(): Promise<void>;
  notice?(notice: ModelNotice): void;
}

/** What an instance of the core may keep when nobody is answered. */
const maxMemory = 64 * 1024 * 1024;
let calls = 0;

/** Gives why there is no answer, or nothing when it is whole or the signal came first. Rejects when the core ended. */
export async function relayed(call: RelayCall, signal: AbortSignal): Promise<Refusal | undefined> {
  const { relay, body, key, fetch, tickets, write, ready, notice } = call;
  let leave = () => {};
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  // A redirect is not followed: the key would go along.
  const direct: Fetch = (url, init) => fetch(url, { ...init, redirect: "manual" });
  const host: RelayHost = {
    events: write,
    notice: (code: string, message: string) => notice?.({ code, message }),
    fetch: (url: string, headers: string, sent: string, abort: AbortSignal) =>
      hostFetch(direct, url, headers, sent, abort, ready),
  };
  calls++;
  // A trap of the core may also come at once.
  const answered = async (): Promise<string | undefined> => relay.answer(body, key, host, gone, tickets);
  try {
    const refusal = await guard.untilTrap(answered());
    return refusal === undefined ? undefined : (JSON.parse(refusal) as Refusal);
  } finally {
    signal.removeEventListener("abort", leave);
    calls--;
    if (calls === 0) giveBackMemory(maxMemory);
    leave(); // A promise that never settles would be kept by the core.
  }
}
