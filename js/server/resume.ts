// Answers that outlive the connection of their client: written into a buffer, and read from there by whoever asks for the same one.
import type { AnswerBuffer } from "./answer-buffer.js";
import { refuse } from "./refuse.js";

/** Which answer this is, in letters of the client's choosing that nobody guesses. */
export const answerHeader = "x-glove-answer";
/** The client needs it no more: it has read it, or does not want it. */
export const overHeader = "x-glove-answer-over";

/** What stands in the buffer and is no event: who has asked for the answer, and its end. */
const asked = "";
const over = ": over";

const pollMs = 250;
/** So long an answer of another process may bring nothing before it is taken for broken off. */
const staleMs = 60_000;

interface Producing {
  readonly stop: AbortController;
  readonly waiting: Set<() => void>;
}

export class ResumableAnswers {
  readonly #buffer: AnswerBuffer;
  readonly #heartbeatMs: number;
  /** Those that this process writes. */
  readonly #own = new Map<string, Producing>();

  constructor(buffer: AnswerBuffer, heartbeatMs: number) {
    this.#buffer = buffer;
    this.#heartbeatMs = heartbeatMs;
  }

  /** The id that a request has for its answer. */
  idOf(request: Request): string | undefined {
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

  /** The answer from the event after the last one that the client has; `begin` is called for one that nobody has begun. */
  async answer(id: string, request: Request, begin: (signal: AbortSignal) => Promise<Response>): Promise<Response> {
    const last = request.headers.get("last-event-id");
    if (last !== null && !/^\d{1,9}$/.test(last)) refuse(400, "REQUEST_INVALID", "The header last-event-id must be a number.");
    const before = await this.#buffer.append(id, [asked]);
    if (before === 0) {
      // What the client has of it is part of an answer that nobody knows any more.
      if (last !== null) {
        await this.#buffer.delete(id);
        refuse(410, "ANSWER_GONE", "This answer is not kept any more; ask again.");
      }
      const refused = await this.#begin(id, begin);
      if (refused) return refused;
    }
    return this.#follow(id, last === null ? 1 : Number(last) + 1);
  }

  async #begin(id: string, begin: (signal: AbortSignal) => Promise<Response>): Promise<Response | undefined> {
    const own: Producing = { stop: new AbortController(), waiting: new Set() };
    this.#own.set(id, own);
    const end = async (): Promise<void> => {
      this.#own.delete(id);
      for (const wake of own.waiting) wake();
    };
    let response: Response;
    try {
      response = await begin(own.stop.signal);
      if (response.ok && response.body) {
        void this.#keep(id, response.body, own)
          .catch(() => this.#buffer.delete(id).catch(() => {}))
          .finally(end);
        return undefined;
      }
    } catch (error) {
      await this.#buffer.delete(id).catch(() => {});
      await end();
      throw error;
    }
    await this.#buffer.delete(id);
    await end();
    return response;
  }

  /** Writes the events into the buffer as they come, whether anybody reads them or not. */
  async #keep(id: string, body: ReadableStream<Uint8Array>, { stop, waiting }: Producing): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const events = rest.split("\n\n");
      rest = events.pop() ?? "";
      if (done) events.push(over);
      if (events.length > 0 && !stop.signal.aborted && (await this.#buffer.append(id, events)) === 0) {
        // Somebody has deleted it.
        stop.abort();
      }
      if (stop.signal.aborted) {
        await this.#buffer.delete(id);
        await reader.cancel().catch(() => {});
        return;
      }
      for (const wake of [...waiting]) wake();
      if (done) return;
    }
  }

  #follow(id: string, from: number): Response {
    const encoder = new TextEncoder();
    let next = from;
    let heard = Date.now();
    let told = heard;
    let left = false;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      while (!left) {
        // With the one before: there is always one while the answer is kept.
        const [known, ...events] = await this.#buffer.read(id, next - 1);
        if (known === undefined) return controller.close();
        let text = "";
        for (const event of events) {
          if (event !== asked) text += `id: ${next}\n${event}\n\n`;
          next++;
          if (event !== over) continue;
          controller.enqueue(encoder.encode(text));
          return controller.close();
        }
        const now = Date.now();
        if (events.length > 0) heard = now;
        if (!text && this.#heartbeatMs > 0 && now - told >= this.#heartbeatMs) text = ": waiting\n\n";
        if (text) {
          told = now;
          controller.enqueue(encoder.encode(text));
          return;
        }
        const own = this.#own.get(id);
        if (!own && now - heard > staleMs) return controller.close();
        await this.#more(own);
      }
    };
    const cancel = () => {
      left = true;
    };
    const headers = {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      [answerHeader]: id,
    };
    return new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }), { headers });
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
