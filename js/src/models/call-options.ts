// The options of model calls that an adapter and a chat handler share.

import { factKinds, type ModelCallOptions } from "../ports/model-options.js";
import { toPlain } from "../values/json.js";
import { check, describeValue } from "../values/validate-options.js";
import { checkNumber, checkWord, config } from "./options.js";

/** Their names. */
export const callOptions = {
  temperature: "any",
  topP: "any",
  stop: "any",
  toolChoice: "any",
  parallelToolCalls: "any",
  seed: "any",
  extraBody: "any",
  facts: "any",
} as const satisfies Record<keyof ModelCallOptions, "any">;

const code = "MODEL_CONFIG";

/** Those that were given, for the core; what cannot be is refused. */
export function callOptionsOf(options: ModelCallOptions & { readonly reasoningEffort?: string }): ModelCallOptions {
  const { temperature, topP, stop, toolChoice, parallelToolCalls, seed, extraBody, facts } = options;
  checkRange("temperature", temperature, 2);
  checkRange("topP", topP, 1);
  checkNumber("seed", seed, 0, Number.MAX_SAFE_INTEGER);
  if (stop !== undefined) check("`stop`", stop, "list", code);
  for (const text of stop ?? []) {
    check("Each of `stop`", text, "text", code);
    if (!text) throw config("Each of `stop` must be a non-empty string.");
  }
  if (toolChoice && typeof toolChoice === "object") {
    check("`toolChoice`", toolChoice, { tool: "text" }, code);
    check("`toolChoice.tool`", toolChoice.tool, "text", code);
  } else if (toolChoice !== undefined) {
    checkWord("toolChoice", toolChoice, ["auto", "none", "required"], " or { tool }");
  }
  if (parallelToolCalls !== undefined) check("`parallelToolCalls`", parallelToolCalls, "flag", code);
  if (facts !== undefined) check("`facts`", facts, "list", code);
  const words = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
  facts?.forEach((row, at) => {
    words.push(...(check(`\`facts[${at}]\``, row, factKinds, code).efforts ?? "").split(" ").filter(Boolean));
  });
  checkWord("reasoningEffort", options.reasoningEffort, words);
  if (extraBody !== undefined) check("`extraBody`", toPlain(extraBody, "`extraBody`"), "object", code);
  for (const field of Object.keys(extraBody ?? {})) {
    const instead = ours[field];
    if (instead) throw config(`\`extraBody.${field}\` cannot be set: ${instead}.`);
  }
  const given = { temperature, topP, stop, toolChoice, parallelToolCalls, seed, extraBody, facts };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const useMaxTokens = "use `maxTokens`";

/** Fields without which an answer could not be read, and those of options, which would stand there twice or not be looked at. */
const ours: Readonly<Record<string, string>> = {
  stream: "it is an option of `createAdapter`",
  model: "use `model`",
  max_tokens: useMaxTokens,
  max_completion_tokens: useMaxTokens,
  max_output_tokens: useMaxTokens,
  top_p: "use `topP`",
  stop_sequences: "use `stop`",
  random_seed: "use `seed`",
  parallel_tool_calls: "use `parallelToolCalls`",
  messages: "the conversation fills it",
  input: "the conversation fills it",
  contents: "the conversation fills it",
  n: "only one answer is read",
};

function checkRange(name: string, value: unknown, most: number): void {
  if (value === undefined || (typeof value === "number" && value >= 0 && value <= most)) return;
  throw config(`\`${name}\` must be a number from 0 to ${most}, got ${describeValue(value)}.`);
}
