// A `fetch` for endpoints that keep answers under way: it reads on after a lost connection, and finds the same answer after a reload.
import { askedElsewhere } from "../src/early/request.js";
import type { Fetch } from "../src/relay/http.js";
import { generateId } from "../src/values/ids.js";

const answerHeader = "x-glove-answer";
const overHeader = "x-glove-answer-over";
const storedKey = "glove:answers";
const ended = /^: over$/m;
const firstWaitMs = 250;
const longestWaitMs = 5_000;
const maxTries = 12;

/**
 * For `createEndpointModel(url, { fetch: resumable() })`, where the chat handler has a `resume`: an answer goes on when the network comes back, and after a
 * reload it is shown from its beginning instead of being asked for again. With a handler without it, nothing is different.
 */
export function resumable(fetch: Fetch = (url, init) => globalThis.fetch(url, init)): Fetch {
  const client = clientId();
  const leaving = watchLeaving();
  /** The same request twice at a time is two answers. */
  const active = new Set<string>();
  return async (url, init) => {
    const { body, signal } = init;
    const id = `${client}-${digest(`${url}\n${body}`)}`;
    if (typeof body !== "string" || active.has(id)) return fetch(url, init);
    active.add(id);
    const send = (more: Record<string, string>, changes: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries({ [answerHeader]: id, ...more })) headers.set(name, value);
      return fetch(url, { ...init, headers, ...changes });
    };
    const over = () => {
      if (signal?.aborted && (leaving() || signal.reason === askedElsewhere)) {
        active.delete(id);
        return;
      }
      // Until the server has heard it, the same request would be given the old answer, or lose its own.
      send({ [overHeader]: "1" }, { body: null, signal: null, keepalive: true }).then(
        () => active.delete(id),
        () => active.delete(id),
      );
    };
    let first: Response;
    try {
      first = await send({});
    } catch (error) {
      // Whoever was told to stop may have been heard.
      if (signal?.aborted) over();
      else active.delete(id);
      throw error;
    }
    if (!first.ok || !first.body || first.headers.get(answerHeader) !== id) {
      active.delete(id);
      return first;
    }
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const again = (last: string) => send({ "last-event-id": last });
    void readOn(first, writable.getWriter(), again, signal ?? undefined).then(over, over);
    return new Response(readable, { status: first.status, headers: first.headers });
  };
}

/** Settles when the answer is whole, was stopped, or cannot be had. */
async function readOn(
  first: Response,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  again: (last: string) => Promise<Response>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const encoder = new TextEncoder();
  let response = first;
  let last = "0";
  let failure: unknown = new Error("The answer broke off.");
  try {
    for (let tries = 0; tries < maxTries && !signal?.aborted; tries++) {
      if (tries > 0) {
        await pause(Math.min(firstWaitMs * 2 ** tries, longestWaitMs), signal);
        if (signal?.aborted) break;
        try {
          response = await again(last);
        } catch (error) {
          failure = error;
          continue;
        }
        // It is not kept any more, or may not be read any more.
        if (!response.ok && response.status < 500) break;
        if (!response.ok) continue;
      }
      const came = await events(response, async (text) => {
        tries = 0;
        last = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? last;
        await writer.write(encoder.encode(text));
      });
      if (came === "whole") return await writer.close();
      if (came !== "broken") throw came.left;
    }
    throw failure;
  } catch (error) {
    await writer.abort(error).catch(() => {});
  }
}

/** Who stops does not wait. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}

/** Gives whole events to `take`, until the answer or the connection ends, or nobody takes them. */
async function events(
  { body }: Response,
  take: (text: string) => Promise<void>,
): Promise<"whole" | "broken" | { readonly left: unknown }> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const piece = await reader?.read().catch(() => undefined);
    if (!piece?.value) return "broken";
    rest += decoder.decode(piece.value, { stream: true });
    const end = rest.lastIndexOf("\n\n") + 2;
    if (end < 2) continue;
    const whole = rest.slice(0, end);
    rest = rest.slice(end);
    try {
      await take(whole);
    } catch (left) {
      await reader?.cancel().catch(() => {});
      return { left };
    }
    if (ended.test(whole)) return "whole";
  }
}

/** Says whether the page is being left: what is broken off then is not meant to be. */
function watchLeaving(): () => boolean {
  let leaves = false;
  if (typeof document !== "undefined") {
    // Ahead of those who break off what they do.
    const note = ({ type }: Event) => {
      leaves = type === "pagehide";
    };
    for (const type of ["pagehide", "pageshow"]) addEventListener(type, note, { capture: true });
  }
  return () => leaves;
}

/** The same after a reload, and in every tab; nobody else's. */
function clientId(): string {
  try {
    const known = localStorage.getItem(storedKey);
    if (known) return known;
    const fresh = generateId();
    localStorage.setItem(storedKey, fresh);
    return fresh;
  } catch {
    return generateId();
  }
}

/** A digest that distinguishes the requests of one client. The client's own id protects against guessing. */
function digest(text: string): string {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2654435761);
    other = Math.imul(other ^ code, 1597334677);
  }
  return [one, other, text.length].map((part) => (part >>> 0).toString(36)).join("_");
}
