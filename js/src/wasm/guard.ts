// The border of an instance of the core. After a trap (a bug of the core, a full stack, no memory) nothing goes in and nothing
// comes out of it any more, and everybody who waits is told.
import { GloveError } from "../values/error.js";

type Functions = Record<string, (...args: unknown[]) => unknown>;

/** One instance: how deep it is entered, and what ended it. */
interface Life {
  depth: number;
  memory?: WebAssembly.Memory;
  ended?: { readonly cause: unknown };
}

/** The border of one wasm file. */
export class Guard {
  #current: Life = { depth: 0 };
  #untold: Life | undefined;
  readonly #listeners = new Set<(error: GloveError) => void>();

  /** Called with what ended an instance. Gives its undo. */
  onTrap(tell: (error: GloveError) => void): () => void {
    this.#listeners.add(tell);
    return () => void this.#listeners.delete(tell);
  }

  /** What the core promised; it would never settle after a trap. */
  untilTrap<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const undo = this.onTrap(reject);
      promise.then(resolve, reject).then(undo);
    });
  }

  /** Reports a trap that was not reported yet, so that nothing of the dead instance is used. */
  tellOfTrap(): void {
    if (!this.#untold) return;
    const error = errorOf(this.#untold);
    this.#untold = undefined;
    this.tell(error);
  }

  /** An instance has ended, here or in a worker. */
  tell(error: GloveError): void {
    for (const tell of [...this.#listeners]) tell(error);
  }

  memoryBytes(): number {
    return this.#current.memory?.buffer.byteLength ?? 0;
  }

  /** Ends an instance that nobody waits for. */
  retire(): void {
    this.#end(this.#current, new Error("The core's memory was freed."));
  }

  /** The instance has ended, and another one may take its place. */
  needsRestart(): boolean {
    // It is on the stack still, and would come back into the memory of the new one.
    if (this.#current.ended && this.#current.depth > 0) throw errorOf(this.#current);
    this.tellOfTrap();
    return this.#current.ended !== undefined;
  }

  /** For what the glue gives to a new instance. */
  imports(imports: Functions): Functions {
    const life: Life = { depth: 0 };
    this.#current = life;
    const guard =
      (call: Functions[string]) =>
      (...args: unknown[]) => {
        const answer = call(...args);
        // The page's code entered the instance again, and it ended there: what is on the stack below has no sound state either.
        if (life.ended) throw errorOf(life);
        return answer;
      };
    return Object.fromEntries(Object.entries(imports).map(([name, call]) => [name, guard(call)]));
  }

  /** For what the glue takes from it. Errors that the core means are told in another way: an exception is always a trap. */
  exports(exports: WebAssembly.Exports): WebAssembly.Exports {
    const life = this.#current;
    if (exports["memory"] instanceof WebAssembly.Memory) life.memory = exports["memory"];
    const guard = (name: string, call: Functions[string]) => {
      // What the event loop and the garbage collector call, with nobody to tell.
      const quiet = /closure|_free$/.test(name);
      return (...args: unknown[]) => {
        if (!life.ended) {
          life.depth++;
          try {
            return call(...args);
          } catch (cause) {
            this.#end(life, cause);
          } finally {
            life.depth--;
          }
        }
        if (quiet && life.depth === 0) return [];
        throw errorOf(life);
      };
    };
    const entries = Object.entries(exports);
    return Object.fromEntries(
      entries.map(([name, given]) => [name, typeof given === "function" ? guard(name, given as Functions[string]) : given]),
    );
  }

  #end(life: Life, cause: unknown): void {
    if (life.ended) return;
    life.ended = { cause };
    this.#untold = life;
    try {
      queueMicrotask(() => this.tellOfTrap());
    } catch {
      // The stack is full: it is told before the next use.
    }
  }
}

const errorOf = ({ ended }: Life): GloveError => crashed(ended);

export function crashed(options?: { readonly cause: unknown }): GloveError {
  return new GloveError(
    "CORE_PANIC",
    "The core crashed. Stored data is safe: the next call starts a new core and continues from there.",
    options,
  );
}
