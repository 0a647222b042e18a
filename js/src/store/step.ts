// What a store has to know of a step: whether it follows on what is stored, and what it counts.

import type { StoredStep, TokenCount } from "../ports/store.js";
import { toJson } from "../values/json.js";
import { check } from "../values/validate-options.js";
import type { Message, Usage } from "../wire/record.js";
import { storeError } from "./errors.js";

/** How far a session is stored. */
export interface Stored {
  /** Messages. */
  readonly count: number;
  /** The number of the last input of the run; 0 before the first. */
  readonly seq: number;
}

/** Whoever calls a store by hand may give anything. */
function checkStep(step: StoredStep): StoredStep {
  check("A step", step, "object");
  check("`messages`", step.messages, "list");
  check("`records`", step.records, "list");
  return step;
}

/** A step as text. */
export function stepText(step: StoredStep): string {
  return toJson(checkStep(step), "The step");
}

export function readStep(text: string): StoredStep {
  let step: unknown;
  try {
    step = JSON.parse(text);
  } catch {
    // Refused as no step.
  }
  return checkStep(step as StoredStep);
}

/** Refuses a step that does not follow on what is stored: somebody else has written meanwhile. */
export function checkFollows({ count, seq }: Stored, step: StoredStep): void {
  const first = (step.records[0] as { seq?: unknown } | undefined)?.seq;
  const next = typeof first === "number" ? first === seq + 1 : step.seq >= seq;
  if (step.firstMessage === count && next) return;
  const found =
    count === 0 && seq === 0 && step.firstMessage > 0
      ? "This session was deleted while it was open here."
      : `Another page or program has written to this session (it has ${count} messages and ${seq} records; this write begins at ` +
        `${step.firstMessage} and ${first ?? step.seq}).`;
  throw storeError("conflict", `${found} Nothing was stored; dispose() the session and open it again.`);
}

/** Whether a run would go on from this checkpoint. */
export function isUnfinished(checkpoint: string | undefined): boolean {
  try {
    const { state } = JSON.parse(checkpoint ?? "") as { state?: { phase?: unknown; current?: unknown; queue?: unknown[] } };
    return Boolean(state && (state.phase !== "idle" || state.current || state.queue?.length));
  } catch {
    return false;
  }
}

/** Refuses messages that would come into the middle of a run. */
export function checkNoRun(unfinished: boolean): void {
  if (!unfinished) return;
  throw storeError(
    "conflict",
    "A run of this session is still in progress; append messages after it ends, or through its session.",
  );
}

/** The counters with those of some messages added. */
export function counted(tokens: TokenCount, turns: number, messages: readonly Message[]) {
  const answers = messages.filter(({ sender }) => sender === "agent");
  const sum = answers.reduce((sum, { usage }) => (usage ? addTokens(sum, usage) : sum), tokens);
  return { tokens: sum, turns: turns + answers.length };
}

/** A number alone counts as prompt tokens. */
export function addTokens(tokens: TokenCount, count: number | TokenCount): TokenCount {
  const added: Partial<Usage> = typeof count === "number" ? { tokens_in: count } : check("`count`", count, "object");
  const sum: Record<string, number> = { ...tokens };
  for (const [name, value] of Object.entries(added)) if (typeof value === "number") sum[name] = (sum[name] ?? 0) + value;
  return sum as unknown as TokenCount;
}
