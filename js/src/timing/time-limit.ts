// Work of an application that may take only so long.

/** Longer than this no timer waits. */
const longestMs = 0x7fff_ffff;

/** Does the work with a signal that fires when it has taken too long or is stopped; who awaits it is told at once then. */
export async function withinTime<T>(ms: number, stopped: AbortSignal, work: (signal: AbortSignal) => T): Promise<Awaited<T>> {
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let leave = () => {};
  const ended = new Promise<never>((_, reject) => {
    const stop = (error: Error) => {
      reject(error);
      ending.abort(error);
    };
    const fired = () => stop(new Error("the request was stopped"));
    if (ms < longestMs) timer = setTimeout(() => stop(new Error(`it took longer than ${ms} ms`)), ms);
    if (stopped.aborted) fired();
    stopped.addEventListener("abort", fired, { once: true });
    leave = () => stopped.removeEventListener("abort", fired);
  });
  ended.catch(() => {});
  try {
    return await Promise.race([(async () => work(ending.signal))(), ended]);
  } finally {
    clearTimeout(timer);
    leave();
  }
}
