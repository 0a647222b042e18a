// What a question of a call came to an end with: a person who wanted none of it, or something that ends the call.

import { AbortError, codeOf } from "../../src/values/error.js";

/** Somebody turned the question down, also before a reload. Throws what is no answer. */
export function turnedDown(error: unknown, { aborted }: AbortSignal): void {
  const isFault = /^DISPLAY_(WRONG_INPUT|ON_SERVER)$/.test(codeOf(error as Error));
  if (aborted || error instanceof AbortError || isFault) throw error;
}
