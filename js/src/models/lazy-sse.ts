// The reader of an endpoint's events, loaded when it is first used: pages with sessions have the core for that.
import type { RemoteStreamEvent } from "./remote.js";

/**
 * The events of an endpoint's answer, to its `done`. The connection is closed when the reader stops early.
 * Throws `MODEL_*` errors for an answer that is no event stream, for one that breaks off, and for bad JSON in it.
 */
export async function* parseSSEStream(response: Response): AsyncGenerator<RemoteStreamEvent, void, undefined> {
  const sse = await import("./sse.js");
  yield* sse.parseSSEStream(response);
}
