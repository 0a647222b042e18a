// Starts the core, once in a page: asynchronously, or on the spot where a synchronous call needs it.
import { GloveError } from "../error.js";
import type { Guard } from "./guard.js";

/** Where the wasm file comes from. */
export type WasmSource = string | URL | Request | Response | BufferSource | WebAssembly.Module;
/** A source that needs no waiting. */
export type WasmSourceNow = BufferSource | WebAssembly.Module;

/** What is written around a wasm file: its exports, once it is started. */
export interface Glue {
  initSync(options: { module: WebAssembly.Module }): unknown;
  __wbg_reset_state(): void;
  readonly guard: Guard;
}

/** An entry's way to a wasm file; all entries share what was started of it. */
export interface Started<E extends Glue> {
  /** Starts it without blocking the page; later calls give the same. */
  load(source?: WasmSource | Promise<WasmSource>): Promise<E>;
  /** It at once: started on the spot when it has not been. */
  now(source?: WasmSourceNow): E;
}

/** The way in for entries that carry the bytes (`inline` gives them) and for those that do not. */
export type Opener<E extends Glue> = (inline?: () => BufferSource) => Started<E>;

export function openerOf<E extends Glue>(glue: E): Opener<E> {
  let started = false;
  let starting: Promise<E> | undefined;
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
  return (inline) => ({
    load(source) {
      starting ??= (async () => start(await compile(source ?? inline?.())))().catch((error: unknown) => {
        starting = undefined; // The next call may try again, with another source.
        throw explained(error);
      });
      return starting.then(living);
    },
    now(source) {
      if (started) return living();
      try {
        const given = source ?? inline?.() ?? missing();
        return start(given instanceof WebAssembly.Module ? given : new WebAssembly.Module(given));
      } catch (error) {
        throw explained(error);
      }
    },
  });
}

async function compile(given: WasmSource | Promise<WasmSource> | undefined): Promise<WebAssembly.Module> {
  const source = await (given ?? missing());
  if (source instanceof WebAssembly.Module) return source;
  // Ahead of `Request` and `Response`, which jsdom does not have.
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (typeof source === "string" || source instanceof URL) return compileResponse(await fetch(source));
  return compileResponse(source instanceof Request ? await fetch(source) : source);
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) {
    throw new GloveError("WASM_NOT_FETCHED", `The wasm file was answered with status ${response.status}: check its URL.`);
  }
  // Streaming needs the right content type; a server that gives another one still works, a little slower.
  const streams = response.headers.get("content-type")?.startsWith("application/wasm");
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

function missing(): never {
  throw new GloveError(
    "WASM_NOT_GIVEN",
    "glove-wasm/slim carries no wasm file: call init() with its URL, a Response, its bytes or a WebAssembly.Module first.",
  );
}

function explained(error: unknown): GloveError {
  if (error instanceof GloveError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/content security policy|\bCSP\b|unsafe-eval/i.test(message)) {
    return new GloveError(
      "WASM_BLOCKED_BY_CSP",
      "The page's Content-Security-Policy does not allow WebAssembly: add 'wasm-unsafe-eval' to its script-src.",
      { cause: error },
    );
  }
  return new GloveError("WASM_NOT_STARTED", `The wasm file could not be started: ${message}`, { cause: error });
}
