// The calls that are under way in this process: how many each owner has, and who needs which session.

import type { GloveClient } from "../../src/session/client.js";
import type { GloveSession } from "../../src/session/session.js";

export class OpenCalls {
  readonly #client: GloveClient;
  readonly #running = new Map<string, number>();
  readonly #users = new Map<GloveSession, number>();

  constructor(client: GloveClient) {
    this.#client = client;
  }

  /** Gives what ends it; nothing where the owner has as many as may be. */
  begin(owner: string, most: number): (() => void) | undefined {
    if ((this.#running.get(owner) ?? 0) >= most) return undefined;
    return counted(this.#running, owner, () => {});
  }

  /** The session, and what lets it go. What waits is in its store, and is opened again with the answer, wherever that comes. */
  open(sessionId: string, owner: string): { readonly session: GloveSession; readonly release: () => void } {
    const session = this.#client.session(sessionId, owner ? { userId: owner } : {});
    const letGo = this.#client.retain(session);
    const over = counted(this.#users, session, () => {
      const { busy, run } = session.getSnapshot();
      if (!busy || run.phase === "waiting") session.dispose();
    });
    const release = () => {
      letGo();
      over();
    };
    return { session, release };
  }
}

/** Counts one more; what it gives counts it out again, and calls `last` when it was the last one. */
function counted<K>(counts: Map<K, number>, key: K, last: () => void): () => void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return () => {
    const left = (counts.get(key) ?? 1) - 1;
    if (left > 0) counts.set(key, left);
    else {
      counts.delete(key);
      last();
    }
  };
}
