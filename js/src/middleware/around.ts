// One middleware around one call: it may go on once, takes only so long beside that, and ends with the run.

import type { Middleware, MiddlewareStop } from "../ports/middleware/middleware.js";
import { GloveError, reasonOf, stoppedBy } from "../values/error.js";

/** In milliseconds. */
const usualMs = 10_000;
/** Longer than this no timer waits. */
const longestMs = 0x7fff_ffff;

/** What a middleware gave, and how far the call itself came: it was not made, it failed, or it gave something. */
export interface Given {
  readonly given: unknown;
  readonly call: "not made" | "failed" | "done";
}

/**
 * Has a middleware do its work. Time that the call itself takes does not count, and nothing that it has begun goes on behind it.
 * What the call failed with comes out as it is; whatever else is thrown is the middleware's own failure. `abandon` ends a call that may be left in
 * the middle.
 */
export async function around<C, R>(
  middleware: Middleware,
  stopped: AbortSignal | undefined,
  goOn: (changes: C | undefined) => Promise<R>,
  work: (next: (changes?: C) => Promise<R>, signal: AbortSignal) => unknown,
  abandon: (error: Error) => void = () => {},
): Promise<Given> {
  const { timeoutMs = usualMs } = middleware;
  const ending = new AbortController();
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  let running: Promise<R> | undefined;
  let isInside = false;
  let isOver = false;
  let passed: { readonly error: unknown } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (error: Error) => {
    isOver = true;
    ending.abort(error);
    fail(error);
  };
  const stop = () => {
    if (isInside) ending.abort(stopped?.reason);
    else end(stoppedBy(stopped));
  };
  const watch = () => {
    if (stopped?.aborted) stop();
    else if (timeoutMs < longestMs)
      timer = setTimeout(() => end(failure(middleware, `it took longer than ${timeoutMs} ms`)), timeoutMs);
  };
  const next = (changes?: C): Promise<R> => {
    if (running) return Promise.reject(failure(middleware, "it called `next` twice"));
    if (isOver) return Promise.reject(failure(middleware, "it called `next` after its end"));
    clearTimeout(timer);
    isInside = true;
    running = goOn(changes)
      .catch((error: unknown) => {
        passed = { error };
        throw error;
      })
      .finally(() => {
        isInside = false;
        if (!isOver) watch();
      });
    running.catch(() => {});
    return running;
  };
  const toldOf = (error: unknown): Error => {
    if (passed && error === passed.error) return error as Error;
    if (stopped?.aborted) return stoppedBy(stopped);
    return error instanceof GloveError && error.code === failedCode ? error : failure(middleware, reasonOf(error), error);
  };
  stopped?.addEventListener("abort", stop);
  try {
    watch();
    const working = (async () => (isOver ? failed : work(next, ending.signal)))();
    const given = await Promise.race([working, failed]);
    isOver = true;
    if (isInside) throw failure(middleware, "it did not wait for `next`");
    return { given, call: running ? (passed ? "failed" : "done") : "not made" };
  } catch (error) {
    isOver = true;
    const told = toldOf(error);
    if (isInside) abandon(told);
    await running?.catch(() => {});
    throw told;
  } finally {
    clearTimeout(timer);
    stopped?.removeEventListener("abort", stop);
  }
}

export const failedCode = "MIDDLEWARE_FAILED";

export function failure({ name }: Middleware, why: string, cause?: unknown): GloveError {
  return new GloveError(failedCode, `The middleware "${name}" failed: ${why || "it did not say why"}.`, { cause });
}

/** Why a middleware stops the call, if it does. */
export function stopOf(middleware: Middleware, given: unknown): GloveError | undefined {
  if (typeof given !== "object" || given === null || !("stop" in given)) return undefined;
  const { stop } = given as MiddlewareStop;
  if (typeof stop !== "string") return failure(middleware, "its `stop` must be a text");
  return new GloveError("MIDDLEWARE_STOPPED", stop || `The middleware "${middleware.name}" has stopped it.`);
}
