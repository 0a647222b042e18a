// What an application says of models: facts about them and their hosts, in the words of the package's own table
// (src/providers/facts.json), what they cost, and how they are called.
import type { ModelPrice } from "../wire/core-types.js";

export type { ModelPrice };

/**
 * US dollars for a million tokens, by the `name` of a model. A name may end with `*`, for all that begin so; the longest that fits counts, and a
 * whole name before all. A model that has no price has no cost, unless its provider tells one.
 */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/**
 * Facts about the models and hosts that it names. Other rows may supply what it leaves out: for each fact the most specific
 * row wins, and the application's rows come before the package's.
 */
export interface ModelFacts {
  /** A domain and its subdomains, or a suffix after `*`; separate several with spaces. */
  readonly host?: string;
  /** The API that the row is about; default: all. */
  readonly format?: "anthropic" | "openai_chat" | "openai_responses" | "gemini";
  /** A model's name, in which `*` is any text; several with blanks between. What stands before its last `/` does not count. */
  readonly model?: string;
  /** The field that bounds an answer in OpenAI's chat format. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** The longest answer, with thoughts. */
  readonly maxOutputTokens?: number;
  /** `false` where the model refuses this option, and so with the options below. */
  readonly temperature?: boolean;
  /** The highest `temperature`. */
  readonly maxTemperature?: number;
  /** Whether the model takes `topP`. */
  readonly topP?: boolean;
  /** Whether the model takes only one of `temperature` and `topP`. */
  readonly temperatureOrTopP?: boolean;
  /** Whether the model takes `stop`. */
  readonly stop?: boolean;
  /** How many texts may end an answer. */
  readonly maxStops?: number;
  /** Whether the model takes `seed`. */
  readonly seed?: boolean;
  /** The name of the field that has the seed. */
  readonly seedField?: string;
  /** Whether the model takes tools at all. */
  readonly tools?: boolean;
  /** Whether the model takes `toolChoice` `"required"` and `{ tool }`. */
  readonly forcedTools?: boolean;
  /** Whether the model takes `parallelToolCalls`. */
  readonly parallelToolCalls?: boolean;
  /** Whether the model takes tools and thinks in one request, in OpenAI's chat format. */
  readonly thinkingBesideTools?: boolean;
  /** Is asked by OpenAI's Responses API, unless `format` is given. */
  readonly responses?: boolean;
  /**
   * How it gives an answer that has a schema: by a tool, or as a text that its server keeps to a JSON Schema (`strict`: one whose objects list
   * all their keys).
   */
  readonly answers?: "tool" | "json_schema" | "strict";
  /** Takes tools and the schema of an answer in one request. */
  readonly answersBesideTools?: boolean;
  /** Takes `stream_options`. */
  readonly streamOptions?: boolean;
  /** Reads pictures. */
  readonly images?: boolean;
  /** Fetches pictures from their addresses. */
  readonly imageAddresses?: boolean;
  /** Reads videos. */
  readonly videos?: boolean;
  /** PDFs in OpenAI's chat format: in the request itself (`embedded`), or also by their address (`any`). */
  readonly documents?: "none" | "embedded" | "any";
  /** What ids of calls it takes: any, or nine letters and digits. */
  readonly callIds?: "any" | "nine";
  /** A user's message may stand right behind a tool's. */
  readonly userBehindTool?: boolean;
  /** Calls may stand beside `content: null`. */
  readonly nullContent?: boolean;
  /** How much of JSON Schema is taken for the arguments of a tool: all but a few words, or what Gemini takes of OpenAPI's form. */
  readonly schemas?: "json_schema" | "openapi";
  /** Takes marks that ask for caching. */
  readonly cacheMarks?: boolean;
  /** Wants back the `extra_content` of its calls. */
  readonly extraContent?: boolean;
  /** The first call of an answer has Google's signature, or one that stands for none. */
  readonly signedCalls?: boolean;
  /** Whether earlier reasoning goes back to the model in OpenAI's chat format. */
  readonly reasoningBack?: "never" | "asked" | "calls" | "details" | "details_always";
  /** How the model is told how much to think. */
  readonly thinking?:
    | "none"
    | "effort"
    | "reasoning"
    | "google"
    | "switch"
    | "switch_and_effort"
    | "budget"
    | "adaptive"
    | "level";
  /** How it is told not to think: by nothing, by saying so, not at all in front of an answer (Anthropic), or never. */
  readonly thinkingOff?: "silence" | "said" | "between_tools" | "never";
  /** The words for `reasoningEffort` that it knows, with blanks between. */
  readonly efforts?: string;
  /** The least tokens to think with. */
  readonly minBudget?: number;
  /** The most tokens to think with. */
  readonly maxBudget?: number;
}

/** Whether a model may use tools (`auto`), must not (`none`), must use one (`required`), or must use this one. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** Translated for each provider. Options that the model is known to refuse are left out, with a notice. */
export interface ModelCallOptions {
  /** Randomness: from 0 to 2 for most models, to 1 for Anthropic's. */
  readonly temperature?: number;
  /** Nucleus sampling: only the most likely tokens up to this total probability, from 0 to 1. */
  readonly topP?: number;
  /** Strings that end an answer. */
  readonly stop?: readonly string[];
  /** After the first round of tools in a request, `required` and `{ tool }` become `auto`; otherwise the request would never end. */
  readonly toolChoice?: ToolChoice;
  /** Whether the model may make several calls at once. */
  readonly parallelToolCalls?: boolean;
  /** The same seed tends to give the same answer, if the provider supports seeds. */
  readonly seed?: number;
  /** Fields that are added to the body unchanged. They replace fields of the same name; objects without a `type` are merged. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** Facts about models and hosts that take precedence over the package's own table. */
  readonly facts?: readonly ModelFacts[];
}

/** What each of the facts has to be. */
export const factKinds = {
  host: "text",
  format: "anthropic|openai_chat|openai_responses|gemini",
  model: "text",
  maxTokensField: "max_tokens|max_completion_tokens",
  maxOutputTokens: "whole",
  temperature: "flag",
  maxTemperature: "amount",
  topP: "flag",
  temperatureOrTopP: "flag",
  stop: "flag",
  maxStops: "whole",
  seed: "flag",
  seedField: "text",
  tools: "flag",
  forcedTools: "flag",
  parallelToolCalls: "flag",
  thinkingBesideTools: "flag",
  responses: "flag",
  answers: "tool|json_schema|strict",
  answersBesideTools: "flag",
  streamOptions: "flag",
  images: "flag",
  imageAddresses: "flag",
  videos: "flag",
  documents: "none|embedded|any",
  callIds: "any|nine",
  userBehindTool: "flag",
  nullContent: "flag",
  schemas: "json_schema|openapi",
  cacheMarks: "flag",
  extraContent: "flag",
  signedCalls: "flag",
  reasoningBack: "never|asked|calls|details|details_always",
  thinking: "none|effort|reasoning|google|switch|switch_and_effort|budget|adaptive|level",
  thinkingOff: "silence|said|between_tools|never",
  efforts: "text",
  minBudget: "whole",
  maxBudget: "whole",
} as const satisfies Record<keyof ModelFacts, string>;
