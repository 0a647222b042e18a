// Answers that outlive the connection of their client: written into a buffer, and read from there by whoever asks for the same one.

import { refuse } from "../refuse.js";
import type { AnswerBuffer } from "./answer-buffer.js";

/** Which answer this is, in letters of the client's choosing that nobody guesses. */
export const answerHeader = "x-glove-answer";
/** The client needs it no more: it has read it, or does not want it. */
export const overHeader = "x-glove-answer-over";

/** What an answer ends with; with it no event can be mistaken. */
const over = ": over";

const pollMs = 250;
/** So long an answer of another process may bring nothing before it is taken for broken off. */
const staleMs = 60_000;
/** How often the writer of an answer checks whether the answer is still wanted. */
const lookMs = 2_000;
/** So often what is to be stopped may begin anew meanwhile. */
const stopTries = 8;
/** The limit of answers without a reader; above it, the one without a reader for the longest time is stopped. */
const maxUnread = 100;

interface Producing {
  readonly stop: AbortController;
  readonly waiting: Set<() => void>;
  readonly most: number;
  readers: number;
  ended: boolean;
}

/** An answer, and to which request it belongs. */
export interface AnswerKey {
  readonly id: string;
  /** What another request of this name has otherwise. */
  readonly of: string;
}

/** The name that a request has for its answer, bound to its caller and its body: whoever knows the name alone has nothing. */
export async function answerKey(name: string, owner: string, body = ""): Promise<AnswerKey> {
  return { id: await sha256(JSON.stringify([owner, name])), of: await sha256(body) };
}

/**
 * In the buffer stands first which request the answer is for, and which run of it: `? of run`. So does everybody who asks for it once more. Each
 * event begins with its run; those of another run, which somebody has deleted meanwhile, are passed over.
 */
const first = (key: AnswerKey, run: string) => `? ${key.of} ${run}`;

export class ResumableAnswers {
  readonly #buffer: AnswerBuffer;
  readonly #heartbeatMs: number;
  /** Those that this process writes. */
  readonly #own = new Map<string, Producing>();

  constructor(buffer: AnswerBuffer, heartbeatMs: number) {
    this.#buffer = buffer;
    this.#heartbeatMs = heartbeatMs;
  }

  /** What a request calls its answer. */
  nameOf(request: Request): string | undefined {
    const id = request.headers.get(answerHeader);
    if (id === null) return undefined;
    if (!/^[\w-]{16,128}$/.test(id)) refuse(400, "REQUEST_INVALID", `The header ${answerHeader} must have 16 to 128 letters.`);
    return id;
  }

  async forget(id: string): Promise<Response> {
    this.#own.get(id)?.stop.abort();
    await this.#buffer.delete(id);
    return new Response(null, { status: 204 });
  }

  /**
   * Stops what is under way, and keeps in its place what is told instead, so that it does not begin any more: a request on its way may come after
   * its stop. What has come to its end is kept.
   */
  async stop(key: AnswerKey, instead: string): Promise<Response> {
    const { id } = key;
    const [, ...events] = await this.#buffer.read(id, 0);
    if (events.some((event) => event.endsWith(over))) return new Response(null, { status: 204 });
    const run = crypto.randomUUID();
    const firstEvents = [first(key, run), `${run} ${instead}`, `${run} ${over}`];
    for (let tries = 0; tries < stopTries; tries++) {
      const gone = await this.forget(id);
      // Otherwise it has begun in between.
      if ((await this.#buffer.append(id, firstEvents)) === 0) return gone;
    }
    return this.forget(id);
  }

  /**
   * Streams the answer after the client's last event. Calls `begin` if the answer was not started. `again` means that the client
   * knows it was started.
   */
  async answer(
    key: AnswerKey,
    request: Request,
    begin: (signal: AbortSignal) => Promise<Response>,
    { again = false, most = maxUnread } = {},
  ): Promise<Response> {
    const { id } = key;
    const last = request.headers.get("last-event-id");
    if (last !== null && !/^\d{1,9}$/.test(last)) refuse(400, "REQUEST_INVALID", "The header last-event-id must be a number.");
    let run: string = crypto.randomUUID();
    const before = await this.#buffer.append(id, [first(key, run)]);
    if (before === 0) {
      // The client has a part of an answer that is no longer stored.
      if (last !== null || again) {
        await this.#buffer.delete(id);
        refuse(410, "ANSWER_GONE", "This answer is not kept any more; ask again.");
      }
      const refused = await this.#begin(id, run, most, begin);
      if (refused) return refused;
    } else {
      const [, of, known = ""] = ((await this.#buffer.read(id, 0))[0] ?? "").split(" ");
      if (of !== key.of) refuse(409, "ANSWER_TAKEN", "Another request uses this answer id; choose another id.");
      run = known;
    }
    return this.#follow(id, run, last === null ? 1 : Number(last) + 1);
  }

  async #begin(
    id: string,
    run: string,
    most: number,
    begin: (signal: AbortSignal) => Promise<Response>,
  ): Promise<Response | undefined> {
    const own: Producing = { stop: new AbortController(), waiting: new Set(), most, readers: 0, ended: false };
    this.#own.get(id)?.stop.abort();
    this.#own.set(id, own);
    const end = (): void => {
      own.ended = true;
      if (this.#own.get(id) === own) this.#own.delete(id);
      for (const wake of [...own.waiting]) wake();
    };
    let response: Response;
    try {
      response = await begin(own.stop.signal);
      if (response.ok && response.body) {
        void this.#keep(id, run, response.body, own)
          .catch(() => {
            // Stop the call: its result cannot be read any more.
            own.stop.abort();
            return this.#buffer.delete(id).catch(() => {});
          })
          .finally(end);
        return undefined;
      }
    } catch (error) {
      await this.#buffer.delete(id).catch(() => {});
      end();
      throw error;
    }
    await this.#buffer.delete(id);
    end();
    return response;
  }

  /** Writes the events into the buffer as they come, whether anybody reads them or not. */
  async #keep(id: string, run: string, body: ReadableStream<Uint8Array>, { stop, waiting }: Producing): Promise<void> {
    const reader = body.getReader();
    const { signal } = stop;
    // What says nothing would not hear that it is not wanted any more.
    const onDisconnect = () => void reader.cancel().catch(() => {});
    signal.addEventListener("abort", onDisconnect, { once: true });
    const look = setInterval(async () => {
      const [firstEvent = ""] = await this.#buffer.read(id, 0).catch(() => [run]);
      if (!firstEvent.endsWith(run)) stop.abort();
    }, lookMs);
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for (;;) {
        const { value, done } = await reader.read();
        rest += decoder.decode(value, { stream: !done });
        const events = rest.split("\n\n");
        rest = events.pop() ?? "";
        if (done) events.push(over);
        if (signal.aborted) return;
        const before =
          events.length > 0 &&
          (await this.#buffer.append(
            id,
            events.map((event) => `${run} ${event}`),
          ));
        if (before === 0) {
          // Somebody has deleted it.
          await this.#buffer.delete(id);
          stop.abort();
          return;
        }
        for (const wake of [...waiting]) wake();
        if (done) return;
      }
    } finally {
      clearInterval(look);
      signal.removeEventListener("abort", onDisconnect);
    }
  }

  #follow(id: string, run: string, from: number): Response {
    const encoder = new TextEncoder();
    let next = from;
    let lastReadAt = Date.now();
    let lastSentAt = lastReadAt;
    let disconnected = false;
    const reading = this.#own.get(id);
    if (reading) reading.readers++;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      while (!disconnected) {
        const ended = reading?.ended;
        // With the one before: there is always one while the answer is kept.
        const [known, ...events] = await this.#buffer.read(id, next - 1);
        if (known === undefined) return controller.close();
        let text = "";
        for (const stored of events) {
          const number = next++;
          if (!stored.startsWith(`${run} `)) continue;
          const event = stored.slice(run.length + 1);
          text += `id: ${number}\n${event}\n\n`;
          if (event !== over) continue;
          controller.enqueue(encoder.encode(text));
          return controller.close();
        }
        const now = Date.now();
        if (events.length > 0) lastReadAt = now;
        if (!text && this.#heartbeatMs > 0 && now - lastSentAt >= this.#heartbeatMs) text = ": waiting\n\n";
        if (text) {
          lastSentAt = now;
          controller.enqueue(encoder.encode(text));
          return;
        }
        // It was stopped, and something else stands in its place.
        if (ended && events.length === 0) return controller.close();
        const own = this.#own.get(id);
        if (!own && now - lastReadAt > staleMs) return controller.close();
        await this.#more(own);
      }
    };
    const cancel = () => {
      disconnected = true;
      if (reading) this.#leave(id, reading);
    };
    const headers = {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    };
    return new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }), { headers });
  }

  /** Those who only begin answers must not fill the server with them. */
  #leave(id: string, own: Producing): void {
    own.readers--;
    if (own.readers > 0 || this.#own.get(id) !== own) return;
    this.#own.delete(id);
    this.#own.set(id, own);
    const unread = [...this.#own].filter(([, other]) => other.readers <= 0 && !other.ended && other.most === own.most);
    const [oldest] = unread;
    if (oldest && unread.length > own.most) void this.forget(oldest[0]).catch(() => {});
  }

  /** Until this process has written more, or for a moment. */
  #more(own: Producing | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        own?.waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, own && this.#heartbeatMs > 0 ? Math.min(this.#heartbeatMs, 5_000) : pollMs);
      own?.waiting.add(wake);
    });
  }
}

async function sha256(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
