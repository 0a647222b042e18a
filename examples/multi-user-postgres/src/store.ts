// The page's side of the store: each step goes to the server before it is shown as done.
import { createRemoteStore, GloveError, type StoreAdapter } from "glove-wasm";

export type Ask = (path: string, body?: unknown) => Promise<unknown>;

/** `send` is `fetch`; tests give one of their own. */
export const asking =
  (send: typeof fetch = fetch): Ask =>
  async (path, body) => {
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await send(`/api/${path}`, body === undefined ? {} : post);
    if (response.ok) return response.json();
    const { error } = (await response.json().catch(() => ({}))) as { error?: string };
    throw new GloveError(
      response.status === 409 ? "STORE_CONFLICT" : "STORE_UNAVAILABLE",
      error ?? `The server answered ${response.status}.`,
    );
  };

export function serverStore(sessionId: string, ask: Ask): StoreAdapter {
  const read = (id: string) => ask(`sessions/${id}`) as Promise<Awaited<ReturnType<NonNullable<StoreAdapter["readRun"]>>>>;
  let last: Promise<unknown> = Promise.resolve();
  /** One write after the other, in the order of the calls. */
  const write = (path: string, body: unknown) => {
    last = last.catch(() => {}).then(() => ask(path, body));
    return last;
  };
  return createRemoteStore(sessionId, {
    getMessages: async (id) => [...(await read(id)).messages],
    appendMessages: (id, messages) => write(`sessions/${id}/messages`, messages),
    appendStep: (id, step) => write(`sessions/${id}/steps`, step),
    readRun: read,
  });
}
