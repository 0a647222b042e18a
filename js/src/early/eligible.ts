// When the page may send the first request of a session itself, before the core is there: only where it is sure what the core will send.

import type { Transport } from "../models/transport.js";
import type { SessionConfig } from "../ports/session-config.js";
import type { JsonSchema } from "../schema/types.js";
import type { PageTool } from "../wire/core-types.js";

/** A message as a session sends it: what is not listed changes no request. */
export interface FirstMessage {
  readonly text?: string;
  readonly metadata?: unknown;
  readonly whenBusy?: unknown;
}

const harmless: readonly string[] = ["text", "metadata", "whenBusy"] satisfies (keyof FirstMessage)[];

/** Half of a pair of UTF-16: the core has no such text. */
const isBroken = (text: string) => /\p{Surrogate}/u.test(text);

/** The core takes deeper ones. */
const deepest = 64;

/** Longer ones may come near the limits of a conversation, and cost more than they win. */
const mostLetters = 0x1_0000;

const lists = ["plugins", "hooks", "skills", "middleware"] as const;

/** It is the same in JSON; of anything else the core is told something else, or it is refused. */
function isJson(value: unknown, levels: number): boolean {
  if (typeof value === "string") return !isBroken(value);
  if (typeof value !== "object" || value === null) return value === null || /^(number|boolean)$/.test(typeof value);
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isPlain && levels > 0 && Object.entries(value).every(([name, part]) => !isBroken(name) && isJson(part, levels - 1));
}

/** Any other the core refuses, or writes odd names of it in another way. */
export function isKnown({ schema }: Pick<PageTool, "schema">): boolean {
  if (!isJson(schema, deepest)) return false;
  const { type = "object", properties = {} } = schema as JsonSchema;
  const isPlain = Object.keys(schema as JsonSchema).every((name) => /^[$\w-]+$/.test(name));
  return isPlain && type === "object" && typeof properties === "object" && properties !== null && !Array.isArray(properties);
}

/** `fresh`: nothing can be stored of the session, as its id was made a moment ago, and this message is the first. */
export function mayAskEarly(
  fresh: boolean,
  transport: Transport | undefined,
  config: SessionConfig,
  message: FirstMessage,
): transport is Transport {
  const { text, ...rest } = message;
  const { systemPrompt, tools = [], models, budgets, limits, compaction } = config;
  return (
    fresh &&
    !!transport?.early &&
    typeof text === "string" &&
    Object.entries(rest).every(([name, value]) => value === undefined || harmless.includes(name)) &&
    text.length + systemPrompt.length < mostLetters &&
    !isBroken(text + systemPrompt) &&
    !models &&
    lists.every((name) => !config[name]?.length) &&
    // The model is told how to take something back.
    !tools.some(({ undo, description }) => undo || isBroken(description)) &&
    // Something is to happen before the first answer.
    Object.values({ ...budgets, ...limits }).every((value) => value !== 0) &&
    !compaction
  );
}
