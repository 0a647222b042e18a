// HTTP for the core: its requests go through fetch, or through one that the application gives.

import { isHidden } from "../timing/next-frame.js";
import { reasonOf } from "../values/error.js";
import type { HostResponse } from "../wasm/core-api.js";

/** `fetch`, or what stands in for it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How long a server may take to end a connection after its last event. */
const lastWordsMs = 1_000;

/** Microtasks in which a chunk that is there already comes in: the core takes them together, as each turn of it costs more than they. */
const turns = 16;
/** For the same reason, what comes this soon after the last push waits until this time is over: a quarter of a frame. */
const togetherMs = 4;
/** So many bytes are not waited for longer. */
const together = 0x1_0000;

const noResponse = "`fetch` did not return a Response with a byte stream as its body.";

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = pieces;
  if (first?.length === bytes) return first;
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/**
 * `headers` is JSON: `[[name, value], …]`. What `custom` adds to those of its request may hold keys, which no error tells: the core
 * is told of them, with what went wrong too.
 */
export async function hostFetch(
  custom: Fetch | undefined,
  url: string,
  headers: string,
  body: string,
  signal: AbortSignal,
  ready?: () => Promise<void>,
): Promise<HostResponse> {
  const sent = new Headers(JSON.parse(headers || "[]") as [string, string][]);
  const told = () => JSON.stringify([...sent]);
  // Read when it is called, so that a fetch which was put in its place later is the one that is used.
  let response: Response;
  try {
    response = await (custom ?? globalThis.fetch)(url, { method: "POST", headers: sent, body, signal });
  } catch (error) {
    throw Object.assign(new Error(reasonOf(error)), { sent: told() });
  }
  if (typeof response?.status !== "number") throw new Error(noResponse);
  const reader = response.body?.getReader();
  const leave = () => void reader?.cancel().catch(() => {});
  let ending: ReturnType<typeof setTimeout> | undefined;
  // Also for a fetch that does not heed its signal.
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  return {
    status: response.status,
    sent: told(),
    header: (name) => response.headers.get(name) ?? undefined,
    headers: response.headers,
    async read(push) {
      let chunks: Uint8Array[] = [];
      let bytes = 0;
      let due = 0;
      let handing: Promise<void> | undefined;
      let hurry = () => {};
      const hand = async () => {
        const wait = due - performance.now();
        // Timers of a page that nobody sees take a second or more.
        if (wait > 0 && !isHidden()) {
          await new Promise<void>((resolve) => {
            hurry = resolve;
            setTimeout(resolve, wait);
          });
        }
        for (let turn = 0, seen = 0; turn < turns; turn++) {
          await undefined;
          if (bytes === seen || bytes >= together) continue;
          seen = bytes;
          turn = 0;
        }
        const all = joined(chunks, bytes);
        [chunks, bytes] = [[], 0];
        due = performance.now() + togetherMs;
        // After the signal the core has let go of `push`.
        if (!ending && !signal.aborted) push(all);
      };
      try {
        for (;;) {
          await ready?.();
          const chunk = await reader?.read();
          if (!chunk?.value || signal.aborted) return clearTimeout(ending);
          if (!ArrayBuffer.isView(chunk.value)) throw new Error(noResponse);
          bytes += chunk.value.length;
          if (chunks.push(chunk.value) > 1) {
            if (bytes >= together) hurry();
            continue;
          }
          handing = hand();
          // Stop reading and reject with the reason: nothing takes further chunks.
          handing.catch(leave);
        }
      } finally {
        hurry();
        await handing;
      }
    },
    suffices() {
      // A connection that was broken off cannot be used again, and looks like a failure at both of its ends.
      ending = setTimeout(leave, lastWordsMs);
    },
  };
}
