// How long a call is waited for: for a time of silence, and for one in all. While a person is asked no time passes.

export class Patience {
  readonly #silenceMs: number;
  readonly #ended: () => void;
  #leftMs: number;
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #paused = 0;
  #isOver = false;

  constructor(silenceMs: number, totalMs: number, ended: () => void) {
    this.#silenceMs = silenceMs;
    this.#ended = ended;
    this.#leftMs = totalMs;
    this.#start();
  }

  /** The server has said something. */
  heard(): void {
    if (this.#paused > 0) return;
    this.#stop();
    this.#start();
  }

  /** Does what a person is waited for in. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    if (this.#paused++ === 0) this.#stop();
    try {
      return await work();
    } finally {
      if (--this.#paused === 0) this.#start();
    }
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    if (this.#isOver) return;
    this.#since = Date.now();
    const ms = Math.max(0, Math.min(this.#silenceMs, this.#leftMs));
    // Longer than this no timer waits.
    if (ms < 0x7fff_ffff) this.#timer = setTimeout(this.#ended, ms);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#leftMs -= Date.now() - this.#since;
  }
}
