// What a store is told of the tokens of an answer: an object, which is also their sum for stores that were written for a number.

import type { TokenCount } from "../ports/store.js";
import { GloveError } from "../values/error.js";

export const sumOf = ({ tokens_in, tokens_out }: TokenCount): number => tokens_in + tokens_out;

/** `count += n` adds the sum. It is no part of what is copied, stored or sent. */
export function countOf<T extends TokenCount>(usage: T): T {
  return Object.defineProperty({ ...usage }, Symbol.toPrimitive, { value: () => sumOf(usage) });
}

/** Why what a store counts is not what it was told; nothing where it may be. A store may count more than the sum. */
export function wrongCount(before: unknown, added: number, after: unknown): GloveError | undefined {
  if (Number.isFinite(after) && (Number(after) > Number(before) || !added)) return undefined;
  const shown = JSON.stringify(after)?.slice(0, 60) ?? String(after);
  return new GloveError(
    "TOKEN_COUNT_WRONG",
    `The store gives ${shown} as its count of tokens after ${added} were added to ${before}. If its \`addTokens\` takes a number, set \`tokenCounterStyle: "number"\`; if it takes an object, or does not count, set \`tokenCounterStyle: "object"\`.`,
  );
}
