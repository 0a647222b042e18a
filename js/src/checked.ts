// What an application gives as options is looked at before anything is made of it, and what cannot be is told by the name it has there.
import { GloveError } from "./error.js";

/** The largest number that the core counts to where it does not count tokens or time. */
const most = 0xffff_ffff;

/** What a value has to be, in words, and whether it is that. */
type Kind = readonly [wanted: string, fits: (value: unknown) => boolean];

const isWhole = (value: unknown, to = Number.MAX_VALUE) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= to;
const isEndless = (value: unknown) => value === Number.POSITIVE_INFINITY;
const typed = (wanted: string, type: string): Kind => [wanted, (value) => typeof value === type];
const having = (what: string, name: string, type: string): Kind => [
  `${what} with \`${name}\``,
  // biome-ignore lint/suspicious/noExplicitAny: it may be anything.
  (value: any) => typeof value?.[name] === type,
];

const kinds = {
  text: typed("a text", "string"),
  object: ["an object", (value) => said(value) === "an object"],
  flag: typed("true or false", "boolean"),
  work: typed("a function", "function"),
  rule: ["true, false, a rule or a function", (value) => /^(bo|f|o)/.test(typeof value)],
  list: ["a list", Array.isArray],
  whole: [`a whole number from 0 to ${most}`, (value) => isWhole(value, most)],
  count: [`a whole number from 0 to ${most}, or Infinity`, (value) => isEndless(value) || isWhole(value, most)],
  large: ["a whole number from 0 on, or Infinity", (value) => isEndless(value) || isWhole(value)],
  amount: ["a number from 0 on", (value) => Number(value) >= 0 && typeof value === "number"],
  model: having("a model", "prompt", "function"),
  store: having("a store", "identifier", "string"),
  subscriber: having("an object", "record", "function"),
  image: having("an object", "data", "string"),
  file: having("a File or Blob", "size", "number"),
  part: having("an object", "type", "string"),
} satisfies Record<string, Kind>;

/** A kind, words to choose from, or what options there are. */
type Wanted = keyof typeof kinds | `${string}|${string}` | { readonly [option: string]: Wanted };

const compaction: Wanted = {
  compaction_instructions: "text",
  max_turns: "count",
  compaction_context_limit: "large",
  compaction_every_turns: "count",
};

/** The options of clients, sessions and agents, which mean the same wherever they are given. */
const options: Record<string, Wanted> = {
  endpoint: "text",
  systemPrompt: "text",
  createModel: "work",
  createStore: "work",
  getSessionId: "work",
  createSessionId: "work",
  model: "model",
  store: "store",
  tools: "list",
  subscribers: "list",
  compaction,
  compaction_config: compaction,
  budgets: { turns: "count", tool_calls: "count", tokens: "large", cost: "amount", wall_clock_ms: "large", ask: "flag" },
  limits: {
    turns: "count",
    calls_per_turn: "count",
    result_bytes: "count",
    error_rounds: "count",
    same_rounds: "count",
    undo_steps: "count",
  },
  maxRetries: "whole",
  maxConsecutiveErrors: "count",
  whenBusy: "queue|drop|interrupt|steer",
  whenUnused: "continue|stop",
  resume: "auto|manual",
  tokenCounterStyle: "object|number",
};

/** Refuses options that cannot be. Those that are not named here may be somebody else's. */
export function checkOptions(given: object): void {
  checkEach(given, options, (name) => `\`${name}\``);
}

/** Refuses those of `given` that are not what they have to be. */
export function checkEach(
  given: object,
  wanted: Readonly<Record<string, Wanted>>,
  called: (option: string) => string,
  code?: string,
): void {
  for (const [option, kind] of Object.entries(wanted)) {
    const value = (given as Record<string, unknown>)?.[option];
    if (value !== undefined) check(called(option), value, kind, code);
  }
}

/** Gives the value if it is what it has to be, and refuses it by its name if not. */
export function check<T>(name: string, value: T, wanted: Wanted, code = "CONFIG_INVALID"): T {
  if (typeof wanted === "object") {
    check(name, value, "object", code);
    const inner = (option: string) => name.replace(/`$/, `.${option}\``);
    for (const option in value) {
      if (!Object.hasOwn(wanted, option)) {
        throw new GloveError(code, `${inner(option)} is no option; there are ${Object.keys(wanted).join(", ")}.`);
      }
    }
    checkEach(value as object, wanted, inner, code);
  } else {
    const words: unknown[] = wanted.split("|");
    const [text, fits]: Kind = words[1]
      ? [`one of ${words.map(said).join(", ")}`, (value) => words.includes(value)]
      : kinds[wanted as "text"];
    if (!fits(value)) throw new GloveError(code, `${name} is ${said(value)}, and has to be ${text}.`);
  }
  return value;
}

/** Numbers as the core counts: without end is the most that it counts to. */
export function counted<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, isEndless(value) ? most : value])) as T;
}

/** What was found, in words. */
export function said(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value && /^[fo]/.test(typeof value)) return typeof value === "object" ? "an object" : "a function";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : String(value);
}
