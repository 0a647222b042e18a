// The stream of a response: it begins with the first text, and stays alive while the model is silent.

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  // Proxies that hold back a response to send it in one piece are told not to.
  "x-accel-buffering": "no",
};

export class EventStream {
  readonly response: Promise<Response>;
  #begin: (response: Response) => void = () => {};
  #begun = false;
  #open = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #encoder = new TextEncoder();
  readonly #heartbeatMs: number;
  readonly #left: () => void;

  /** `left` is told when the reader goes. */
  constructor(heartbeatMs: number, left: () => void) {
    this.#heartbeatMs = heartbeatMs;
    this.#left = left;
    this.response = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.#rest();
  }

  get begun(): boolean {
    return this.#begun;
  }

  write(text: string): void {
    if (!this.#open) return;
    if (!this.#begun) {
      this.#begun = true;
      const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        this.#controller = controller;
      };
      const cancel = () => {
        this.#close();
        this.#left();
      };
      this.#begin(new Response(new ReadableStream({ start, cancel }), { headers }));
    }
    this.#controller?.enqueue(this.#encoder.encode(text));
    this.#rest();
  }

  /** Ends the stream, or gives this response where none has begun. */
  end(instead: () => Response): void {
    if (!this.#open) return;
    this.#close();
    if (this.#begun) this.#controller?.close();
    else this.#begin(instead());
  }

  #close(): void {
    this.#open = false;
    clearTimeout(this.#timer);
  }

  #rest(): void {
    clearTimeout(this.#timer);
    if (this.#heartbeatMs > 0) this.#timer = setTimeout(() => this.write(": waiting\n\n"), this.#heartbeatMs);
  }
}
