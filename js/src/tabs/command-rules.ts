// What a tab may ask of the one that runs the session: a closed list, and what each method takes and gives.

import { GloveError } from "../values/error.js";
import { approvalClosed } from "../values/refusals.js";
import type { SessionCore } from "../wasm/core-api.js";

export type Method = keyof SessionCore | "answerInbox" | "clearError";

export type Check = (value: unknown) => boolean;

interface Rules {
  readonly takes: readonly Check[];
  /** What it answers with; anything where it is left out. */
  readonly gives?: Check;
  /** It begins work, for as long as that takes: an error from before is over. */
  readonly begins?: true;
  /** Done twice it does more. */
  readonly once?: true;
  /** It was said to be taken when it was asked for: the error where it came too late. */
  readonly late?: (args: readonly unknown[]) => GloveError;
}

export const isText: Check = (value) => typeof value === "string";
/** A number that the core takes as it is. */
export const isCount: Check = (value) => typeof value === "number" && value === value >>> 0;
export const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const isOptionalText: Check = (value) => isOptional(isText)(value);

function answered(): GloveError {
  return new GloveError("DISPLAY_REMOVED", "The question was already answered or removed, so this answer was ignored.");
}

const methods: { readonly [name in Method]: Rules } = {
  request: { takes: [isText], gives: isText, begins: true },
  resume: { takes: [], gives: isText, begins: true, once: true },
  undo: { takes: [isCount, isOptionalText], gives: isText, begins: true, once: true },
  switchBranch: { takes: [isText], gives: isText },
  fork: { takes: [isText], gives: isText },
  recorded: { takes: [], gives: isText },
  messages: { takes: [isCount], gives: isText },
  prompts: { takes: [isText], gives: isText },
  abort: { takes: [(request) => request === null || isText(request)] },
  cancelQueued: { takes: [isText] },
  moveQueued: { takes: [isText, isOptionalText] },
  answer: { takes: [isText, isText], late: ([id]) => approvalClosed(id as string) },
  resolveSlot: { takes: [isText, isText], late: answered },
  rejectSlot: { takes: [isText, isOptionalText], late: answered },
  removeSlot: { takes: [isText] },
  clearStack: { takes: [] },
  answerInbox: { takes: [isText, isText] },
  clearError: { takes: [] },
};

/** Nothing for what is no method, whatever objects inherit. */
export function rulesOf(method: unknown): Rules | undefined {
  return isText(method) && Object.hasOwn(methods, method as string) ? methods[method as Method] : undefined;
}

export function takes({ takes }: Rules, args: unknown): boolean {
  return Array.isArray(args) && args.length <= takes.length && takes.every((check, at) => check(args[at]));
}
