// The wasm file from where an application has it, for entries that carry none.
import { GloveError, reasonOf } from "../values/error.js";

/** Where the wasm file comes from. */
export type WasmSource = string | URL | Request | Response | BufferSource | WebAssembly.Module;

export async function compileSource(given: WasmSource | Promise<WasmSource>): Promise<WebAssembly.Module> {
  const source = await (given ?? noSource());
  if (source instanceof WebAssembly.Module) return source;
  // Ahead of `Request` and `Response`, which jsdom does not have.
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  return compileResponse(source instanceof Response ? source : await fetch(source).catch(noAnswer));
}

function noAnswer(cause: unknown): never {
  const message = `The wasm file could not be fetched (${reasonOf(cause)}): check the connection, and its URL.`;
  throw new GloveError("WASM_NOT_FETCHED", message, { cause, retryable: true });
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) {
    throw new GloveError("WASM_NOT_FETCHED", `The server answered ${response.status} for the wasm file: check its URL.`);
  }
  // Streaming needs the right content type; a server that gives another one still works, a little slower.
  const streams = response.headers.get("content-type")?.startsWith("application/wasm");
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** For entries that carry none. */
export function noSource(): never {
  throw new GloveError(
    "WASM_NOT_GIVEN",
    "glove-wasm/slim does not include the wasm file: call init() first, with the file's URL, a Response, its bytes or a WebAssembly.Module.",
  );
}
