// How a task tells whoever listens, and how its runner tells other tabs, and other components of its page, that files have changed.

import { reasonOf } from "../src/values/error.js";

const nameOf = (workspace: string) => `glove-task:${workspace}`;

function open(workspace: string): BroadcastChannel | undefined {
  if (typeof BroadcastChannel !== "function") return undefined;
  const channel = new BroadcastChannel(nameOf(workspace));
  // It keeps no process of Node alive.
  (channel as { unref?: () => void }).unref?.();
  return channel;
}

/** Says which file was written, until it is closed. */
export interface Teller {
  wrote(path: string): void;
  close(): void;
}

export function tellerOf(workspace: string): Teller {
  let channel = open(workspace);
  return {
    wrote: (path) => channel?.postMessage(path),
    close() {
      // Nobody runs it now.
      channel?.postMessage("");
      channel?.close();
      channel = undefined;
    },
  };
}

/** Calls the listener with each file that somebody has written. Gives its undo. */
export function hear(workspace: string, listener: (path: string) => void): () => void {
  const channel = open(workspace);
  if (channel) channel.onmessage = ({ data }) => void (typeof data === "string" && listener(data));
  return () => channel?.close();
}

/** What a listener throws is its own matter. */
export function toldQuietly<T>(listeners: Iterable<(value: T) => void>, value: T): void {
  for (const listener of [...listeners]) {
    try {
      listener(value);
    } catch (error) {
      console.error(`A listener of a task failed: ${reasonOf(error)}`);
    }
  }
}
