// Refuses invalid options of a model when it is created, with an error that names the option.

import { GloveError } from "../values/error.js";
import { checkOptions, describeValue, nearest } from "../values/validate-options.js";

/** The options that an adapter and a chat handler share. */
interface CallOptions {
  readonly policy?: object;
  readonly maxTokens?: number;
  readonly reasoningBudget?: number;
  readonly format?: string;
  readonly toolUse?: string;
  readonly cache?: boolean | string;
}

const limits = ["maxRetries", "firstByteMs", "idleMs", "totalMs", "answerBytes"] as const;
const policyOptions = { maxRetries: "any", firstByteMs: "any", idleMs: "any", totalMs: "any", answerBytes: "any" } as const;

export function checkCall({ policy, maxTokens, reasoningBudget, format, toolUse, cache }: CallOptions): void {
  checkOptions(policy, policyOptions, { called: (option) => `\`policy.${option}\``, code: "MODEL_CONFIG" });
  for (const limit of limits) {
    const most = limit === "maxRetries" ? 0xffff_ffff : Number.MAX_SAFE_INTEGER;
    checkNumber(`policy.${limit}`, (policy as Record<string, unknown> | undefined)?.[limit], 0, most, "use 0 for none");
  }
  checkNumber("maxTokens", maxTokens, 1, 0xffff_ffff);
  checkNumber("reasoningBudget", reasoningBudget, 0, 0xffff_ffff);
  checkWord("format", format, ["anthropic", "openai_chat", "openai_responses", "gemini"]);
  checkWord("toolUse", toolUse, ["native", "text"]);
  checkWord("cache", cache, [true, false, "5m", "1h"]);
}

export function checkNumber(name: string, value: unknown, least: number, most: number, hint?: string): void {
  if (value === undefined || (Number.isInteger(value) && Number(value) >= least && Number(value) <= most)) return;
  const range = most < Number.MAX_SAFE_INTEGER ? `a whole number from ${least} to ${most}` : `a whole number of ${least} or more`;
  throw config(`\`${name}\` must be ${range}, got ${describeValue(value)}${hint ? `; ${hint}` : ""}.`);
}

export function checkWord(name: string, value: unknown, words: readonly unknown[], or = ""): void {
  if (value === undefined || words.includes(value)) return;
  const near = typeof value === "string" && nearest(value, words.map(String));
  const hint = near ? ` Did you mean "${near}"?` : "";
  throw config(`\`${name}\` must be one of ${words.map(describeValue).join(", ")}${or}, got ${describeValue(value)}.${hint}`);
}

/** The key without surrounding whitespace. Refuses characters that a header cannot carry; `name` says where the key came from. */
export function keyFrom(name: string, given: string | undefined): string | undefined {
  const key = given?.trim();
  if (key && /[^ -~]/.test(key)) {
    throw config(
      `The key in ${name} contains a character that cannot be part of a key, such as a line break or "…": copy it again.`,
    );
  }
  return key;
}

export function config(message: string): GloveError {
  return new GloveError("MODEL_CONFIG", message);
}
