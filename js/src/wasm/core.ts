// Starts the core, once in a page: asynchronously, or on the spot where a synchronous call needs it.
import { GloveError } from "../values/error.js";
import type { Guard } from "./guard.js";

/** A source that needs no waiting. */
export type WasmSourceNow = BufferSource | WebAssembly.Module;
/** Compiles a wasm file from where it comes from. */
export type Compile = () => Promise<WebAssembly.Module>;

/** What is written around a wasm file: its exports, once it is started. */
export interface Glue {
  initSync(options: { module: WebAssembly.Module }): unknown;
  __wbg_reset_state(): void;
  readonly guard: Guard;
}

/** An entry's way to a wasm file; all entries share what was started of it. */
export interface Loaded<E extends Glue> {
  /** Starts it without blocking the page; later calls give the same. */
  load(compile?: Compile): Promise<E>;
  readonly guard: Guard;
  /** It compiled, for a worker that starts it there. */
  module(compile?: Compile): Promise<WebAssembly.Module>;
}

/** The same where the bytes need no waiting. */
export interface Started<E extends Glue> extends Loaded<E> {
  /** It at once: started on the spot when it has not been. */
  now(source?: WasmSourceNow): E;
}

/** The way in for entries: `own` gives the bytes that one carries, or says that it carries none. */
export interface Opener<E extends Glue> {
  (own: () => BufferSource): Started<E>;
  /** They come in a file of their own. */
  (own: () => Promise<BufferSource>): Loaded<E>;
}

export function openerOf<E extends Glue>(glue: E): Opener<E> {
  let started = false;
  let starting: Promise<E> | undefined;
  let compiling: Promise<WebAssembly.Module> | undefined;
  // A synchronous start may come while an asynchronous one compiles: the first to get here wins, and there is one.
  const start = (module: WebAssembly.Module): E => {
    if (!started) glue.initSync({ module });
    started = true;
    return glue;
  };
  // After a trap an instance of the same module takes the place of the one that ended.
  const living = (): E => {
    try {
      if (glue.guard.needsRestart()) glue.__wbg_reset_state();
      return glue;
    } catch (error) {
      throw explained(error);
    }
  };
  return (own: () => BufferSource | Promise<BufferSource>) => ({
    guard: glue.guard,
    module(compile = async () => WebAssembly.compile(await own())) {
      compiling ??= compile().catch((error: unknown) => {
        compiling = undefined; // The next call may try again, with another source.
        throw explained(error);
      });
      return compiling;
    },
    load(compile?: Compile) {
      starting ??= this.module(compile)
        .then(start)
        .catch((error: unknown) => {
          starting = undefined;
          throw explained(error);
        });
      return starting.then(living);
    },
    now(source?: WasmSourceNow) {
      if (started) return living();
      try {
        const given = source ?? own();
        return start(given instanceof WebAssembly.Module ? given : new WebAssembly.Module(given as BufferSource));
      } catch (error) {
        throw explained(error);
      }
    },
  });
}

function explained(error: unknown): GloveError {
  if (error instanceof GloveError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/content security policy|\bCSP\b|unsafe-eval/i.test(message)) {
    return new GloveError(
      "WASM_BLOCKED_BY_CSP",
      "The page's Content-Security-Policy blocks WebAssembly: add 'wasm-unsafe-eval' to its script-src.",
      { cause: error },
    );
  }
  return new GloveError("WASM_NOT_STARTED", `The wasm file could not be started: ${message}`, { cause: error });
}
