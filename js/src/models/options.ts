// Options that no call could be made with are refused when they are given, by their names.

import { GloveError } from "../error.js";
import { checkOptions, describeValue, nearest } from "../values/validate-options.js";

/** What an adapter and a chat handler have in common. */
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
    checkNumber(`policy.${limit}`, (policy as Record<string, unknown> | undefined)?.[limit], 0, most, "0 is none");
  }
  checkNumber("maxTokens", maxTokens, 1, 0xffff_ffff);
  checkNumber("reasoningBudget", reasoningBudget, 0, 0xffff_ffff);
  checkWord("format", format, ["anthropic", "openai_chat", "openai_responses", "gemini"]);
  checkWord("toolUse", toolUse, ["native", "text"]);
  checkWord("cache", cache, [true, false, "5m", "1h"]);
}

export function checkNumber(name: string, value: unknown, least: number, most: number, hint?: string): void {
  if (value === undefined || (Number.isInteger(value) && Number(value) >= least && Number(value) <= most)) return;
  const range = most < Number.MAX_SAFE_INTEGER ? `${least} to ${most}` : `${least} on`;
  throw config(`\`${name}\` is ${describeValue(value)}, and has to be a whole number from ${range}${hint ? `; ${hint}` : ""}.`);
}

export function checkWord(name: string, value: unknown, words: readonly unknown[], or = ""): void {
  if (value === undefined || words.includes(value)) return;
  const near = typeof value === "string" && nearest(value, words.map(String));
  const hint = near ? ` Did you mean "${near}"?` : "";
  throw config(
    `\`${name}\` is ${describeValue(value)}, and has to be one of ${words.map(describeValue).join(", ")}${or}.${hint}`,
  );
}

/** A key without the blanks around it, as headers can carry it. `name` is where it came from. */
export function keyFrom(name: string, given: string | undefined): string | undefined {
  const key = given?.trim();
  if (key && /[^ -~]/.test(key)) {
    throw config(`The key in ${name} holds a character that no key has, as a line break or "…": copy it anew.`);
  }
  return key;
}

export function config(message: string): GloveError {
  return new GloveError("MODEL_CONFIG", message);
}
