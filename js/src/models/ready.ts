// Messages that a session has given to a model, and so as a model may read them.

import type { Message } from "../wire/record.js";

const ready = new WeakSet<Message>();

export function markReady(messages: readonly Message[]): void {
  for (const message of messages) ready.add(message);
}

export const isReady = (message: Message): boolean => ready.has(message);
