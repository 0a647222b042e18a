// A message to the other tabs, from whoever listens to none.

export function post(name: string, message: unknown): void {
  if (typeof BroadcastChannel !== "function") return;
  const channel = new BroadcastChannel(name);
  channel.postMessage(message);
  channel.close();
}
