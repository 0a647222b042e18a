// What signs what a page brings back: a secret of the application's, or what it has anyway.

import type { ChatHandlerConfig } from "./config.js";

/** What a key has at least, of a provider; a secret is not made of less. */
const keyLetters = 20;

/** `own`: of this process, where there is nothing that all servers of the application share. */
export function secretOf({ toolSecret }: Pick<ChatHandlerConfig, "toolSecret">, key: () => string, own: string): string {
  if (toolSecret) return toolSecret;
  // All servers of an application have the same key of its provider, and nobody else has it.
  const shared = key();
  return shared.length >= keyLetters ? shared : own;
}
