// Calls between a page and its worker, over messages: in order, with errors, signals and what is told meanwhile.

import { AbortError, reasonOf } from "../values/error.js";
import { sessionClosed } from "../values/refusals.js";

/** Either end of a worker. */
export interface Post {
  postMessage(message: unknown): void;
}

/** What one end does for the other: the arguments, and what this call may use. */
export type Served = Readonly<Record<string, (args: readonly unknown[], call: Call) => unknown>>;

export interface Call {
  readonly signal: AbortSignal;
  /** Tells whoever asked something before the answer. */
  tell(...args: readonly unknown[]): void;
}

export interface Asking {
  readonly signal?: AbortSignal | undefined;
  readonly hear?: (...args: readonly unknown[]) => void;
}

type Message =
  | { readonly kind: "ask"; readonly id: number; readonly of: string; readonly method: string; readonly args: readonly unknown[] }
  | { readonly kind: "answer"; readonly id: number; readonly value?: unknown; readonly error?: unknown }
  | { readonly kind: "told"; readonly id: number; readonly args: readonly unknown[] }
  | { readonly kind: "stop"; readonly id: number };

interface Pending {
  readonly of: string;
  readonly asking: Asking;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The number of what is said and not asked. */
const unanswered = 0;

export class Line {
  readonly #port: Post;
  readonly #served = new Map<string, Served>();
  readonly #pending = new Map<number, Pending>();
  readonly #running = new Map<number, AbortController>();
  #last = 0;
  #over: Error | undefined;

  constructor(port: Post) {
    this.#port = port;
  }

  /** What the other end may ask of this name. Gives its undo. */
  serve(name: string, served: Served): () => void {
    this.#served.set(name, served);
    return () => void this.#served.delete(name);
  }

  ask(of: string, method: string, args: readonly unknown[], asking: Asking = {}): Promise<unknown> {
    if (this.#over) return Promise.reject(this.#over);
    const { signal } = asking;
    if (signal?.aborted) return Promise.reject(new AbortError());
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const stop = () => this.#post({ kind: "stop", id });
      const over = () => signal?.removeEventListener("abort", stop);
      signal?.addEventListener("abort", stop, { once: true });
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          over();
          settle(value);
        };
      this.#pending.set(id, { of, asking, resolve: settled(resolve), reject: settled(reject) });
      try {
        this.#post({ kind: "ask", id, of, method, args });
      } catch (error) {
        // What cannot cross was not asked.
        this.#pending.get(id)?.reject(error);
        this.#pending.delete(id);
      }
    });
  }

  /** As `ask`, where nobody waits for an answer: none is sent. */
  say(of: string, method: string, args: readonly unknown[]): void {
    this.#post({ kind: "ask", id: unanswered, of, method, args });
  }

  /** An answer is waited for. */
  get waits(): boolean {
    return this.#pending.size > 0;
  }

  /** What was asked of this name is not waited for any more. */
  leave(of: string): void {
    for (const [id, pending] of this.#pending) if (pending.of === of) this.#pending.delete(id);
  }

  hear(message: Message): void {
    const { kind, id } = message;
    if (kind === "ask") void this.#serve(message);
    else if (kind === "stop") this.#running.get(id)?.abort();
    else if (kind === "told") this.#pending.get(id)?.asking.hear?.(...message.args);
    else {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if ("error" in message) pending?.reject(uncrossed(message.error));
      else pending?.resolve(message.value);
    }
  }

  /** The other end is gone. */
  end(error: Error): void {
    this.#over = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    for (const running of this.#running.values()) running.abort();
  }

  async #serve({ id, of, method, args }: Extract<Message, { kind: "ask" }>): Promise<void> {
    const running = new AbortController();
    this.#running.set(id, running);
    const tell = (...told: readonly unknown[]) => this.#post({ kind: "told", id, args: told });
    try {
      const served = this.#served.get(of)?.[method];
      if (!served) throw sessionClosed();
      const answer = served(args, { signal: running.signal, tell });
      // At once where it is there: what is told next comes behind it.
      const value = answer instanceof Promise ? await answer : answer;
      if (id !== unanswered) this.#post({ kind: "answer", id, value });
    } catch (thrown) {
      if (id !== unanswered) this.#post({ kind: "answer", id, error: crossing(thrown) });
    } finally {
      this.#running.delete(id);
    }
  }

  #post(message: Message): void {
    if (!this.#over) this.#port.postMessage(message);
  }
}

/** Errors cross as what is read of them: their words, and what stands beside. Whatever was thrown, something crosses: somebody waits for it. */
function crossing(thrown: unknown): unknown {
  if (typeof thrown !== "object" || thrown === null) return String(thrown);
  try {
    const { message, model } = thrown as { readonly message?: unknown; readonly model?: unknown };
    const words = typeof message === "string" ? message : reasonOf(thrown);
    return { ...plain(thrown), message: words, ...(typeof model === "object" && model && { model: plain(model) }) };
  } catch {
    return reasonOf(thrown);
  }
}

/** What of it crosses for sure. */
function plain(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, given]) => /^(string|number|boolean)$/.test(typeof given)));
}

function uncrossed(error: unknown): unknown {
  if (typeof error === "string") return new Error(error);
  const { message, code, ...rest } = error as { readonly message: string; readonly code?: string };
  if (code === "ABORTED") return new AbortError(message);
  // As the core tells it.
  return typeof code === "string" ? error : Object.assign(new Error(message), rest);
}
