// The stream of a response: it begins with the first text, and stays alive while the model is silent.

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  // Proxies that hold back a response to send it in one piece are told not to.
  "x-accel-buffering": "no",
};

/** How much waits for a client that reads slowly, before whoever writes is told to wait. */
const waiting = 64 * 1024;

export class EventStream {
  readonly response: Promise<Response>;
  #begin: (response: Response) => void = () => {};
  #fail: (error: unknown) => void = () => {};
  #started = false;
  #open = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #read: Promise<void> | undefined;
  #wake: () => void = () => {};
  readonly #encoder = new TextEncoder();
  readonly #heartbeatMs: number;
  readonly #onDisconnect: () => void;

  /** `left` is told when the reader goes. */
  constructor(heartbeatMs: number, onDisconnect: () => void) {
    this.#heartbeatMs = heartbeatMs;
    this.#onDisconnect = onDisconnect;
    this.response = new Promise((resolve, reject) => {
      this.#begin = resolve;
      this.#fail = reject;
    });
    this.#rest();
  }

  get started(): boolean {
    return this.#started;
  }

  write(text: string): void {
    if (!this.#open) return;
    if (!this.#started) {
      this.#started = true;
      const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        this.#controller = controller;
      };
      const cancel = () => {
        this.#close();
        this.#onDisconnect();
      };
      // By hand: edge runtimes have no `ByteLengthQueuingStrategy`.
      const strategy = { highWaterMark: waiting, size: (piece?: Uint8Array) => piece?.byteLength ?? 0 };
      const source = { start, pull: () => this.#wake(), cancel };
      try {
        this.#begin(new Response(new ReadableStream(source, strategy), { headers }));
      } catch (error) {
        // The writer cannot handle this error, and the caller that waits for the response would wait for ever.
        this.#close();
        this.#onDisconnect();
        this.#fail(error);
        return;
      }
    }
    this.#controller?.enqueue(this.#encoder.encode(text));
    this.#rest();
  }

  /** Resolves when the client has read most of what was written, or is gone. */
  ready(): Promise<void> {
    if (!this.#open || (this.#controller?.desiredSize ?? 1) > 0) return Promise.resolve();
    this.#read ??= new Promise((resolve) => {
      this.#wake = () => {
        this.#read = undefined;
        resolve();
      };
    });
    return this.#read;
  }

  /** Ends the stream, or gives this response where none has begun. */
  end(instead: () => Response): void {
    if (!this.#open) return;
    this.#close();
    if (this.#started) this.#controller?.close();
    else this.#begin(instead());
  }

  #close(): void {
    this.#open = false;
    this.#wake();
    clearTimeout(this.#timer);
  }

  #rest(): void {
    clearTimeout(this.#timer);
    if (this.#heartbeatMs > 0) this.#timer = setTimeout(() => this.#beat(), this.#heartbeatMs);
  }

  #beat(): void {
    // A client that does not read needs no sign that the model is silent.
    if ((this.#controller?.desiredSize ?? 1) > 0) this.write(": waiting\n\n");
    else this.#rest();
  }
}
