// A message to the other tabs, from whoever listens to none.

/** A channel is kept for so long after the first message: to open one costs a quarter of a stored step. */
const keptMs = 250;
const kept = new Map<string, BroadcastChannel>();

/**
 * Stands in each message between tabs that have a session open. Tabs of different versions do not work together, and say so: `hello`,
 * `leads` and `deleted` mean the same in all versions, so they never change.
 */
export const version = 2;

/** Tells all tabs that have it open. */
export function tellDeleted(name: string): void {
  post(name, { v: version, kind: "deleted" });
}

export function post(name: string, message: unknown): void {
  if (typeof BroadcastChannel !== "function") return;
  const channel = kept.get(name) ?? keep(name);
  channel.postMessage(message);
}

function keep(name: string): BroadcastChannel {
  const channel = new BroadcastChannel(name);
  const close = () => {
    globalThis.removeEventListener?.("pagehide", close);
    clearTimeout(timer);
    kept.delete(name);
    channel.close();
  };
  const timer = setTimeout(close, keptMs);
  // A message to a page that the browser keeps for the way back would throw it away.
  globalThis.addEventListener?.("pagehide", close);
  kept.set(name, channel);
  return channel;
}
