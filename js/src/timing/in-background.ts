// A timer that nothing waits for.

/** In Node it would keep a process alive. */
export function inBackground<T>(timer: T): T {
  (timer as { unref?(): void }).unref?.();
  return timer;
}
