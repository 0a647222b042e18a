// Checks the options that an application passes, before anything is made of them. An error names the option as the application wrote it.
import { GloveError } from "./error.js";
import { isEvent } from "./events.js";

/** The largest number that the core counts to where it does not count tokens or time. */
const most = 0xffff_ffff;

/** What a value must be, in words, and the test for it. */
type Kind = readonly [expected: string, fits: (value: unknown) => boolean];

const isWhole = (value: unknown, to = Number.MAX_VALUE) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= to;
const isEndless = (value: unknown) => value === Number.POSITIVE_INFINITY;
const upTo = (more = "") => `a whole number from 0 to ${most}${more}`;
const typed = (expected: string, type: string): Kind => [expected, (value) => typeof value === type];
const having = (what: string, name: string, type: string): Kind => [
  `${what} with \`${name}\``,
  // biome-ignore lint/suspicious/noExplicitAny: it may be anything.
  (value: any) => typeof value?.[name] === type,
];

const kinds = {
  text: /* @__PURE__ */ typed("a string", "string"),
  object: ["an object", (value) => describeValue(value) === "an object"],
  flag: /* @__PURE__ */ typed("true or false", "boolean"),
  work: /* @__PURE__ */ typed("a function", "function"),
  permission: ["true, false or a function", (value) => /^[bf]/.test(typeof value)],
  approval: [
    "true, false, { required: true or false } or a function",
    (value) => isApprovalRule(value) || typeof value === "function",
  ],
  persist: ["true, false, a key, or an object with `key` and `storage`", isPersist],
  any: ["anything", () => true],
  list: ["an array", Array.isArray],
  names: ["an array or a Set", (value) => typeof Object(value)[Symbol.iterator] === "function"],
  whole: [/* @__PURE__ */ upTo(), (value) => isWhole(value, most)],
  count: [/* @__PURE__ */ upTo(", or Infinity"), (value) => isEndless(value) || isWhole(value, most)],
  large: ["a whole number of 0 or more, or Infinity", (value) => isEndless(value) || isWhole(value)],
  amount: ["a number of 0 or more", (value) => Number(value) >= 0 && typeof value === "number"],
  prices: [
    "prices by model, { input, output, cacheRead?, cacheWrite? } in dollars for a million tokens",
    (value) => describeValue(value) === "an object" && Object.values(value as object).every(isPrice),
  ],
  model: /* @__PURE__ */ having("a model", "prompt", "function"),
  store: /* @__PURE__ */ having("a store", "identifier", "string"),
  subscriber: /* @__PURE__ */ having("an object", "record", "function"),
  image: /* @__PURE__ */ having("an object", "data", "string"),
  file: /* @__PURE__ */ having("a File or Blob", "size", "number"),
  part: /* @__PURE__ */ having("an object", "type", "string"),
  session: /* @__PURE__ */ having("a session", "sessionId", "string"),
  signal: /* @__PURE__ */ having("an AbortSignal", "addEventListener", "function"),
  response: /* @__PURE__ */ having("a Response", "body", "object"),
} satisfies Record<string, Kind>;

/** A kind of value, the allowed words (`a|b`), or the options of an object. */
export type OptionType = keyof typeof kinds | `${string}|${string}` | { readonly [option: string]: OptionType };

/** What each option of `T` must be. Options that are not named are refused. */
export type Options<T> = { readonly [Option in keyof T]-?: OptionType };

/** Refuses invalid and unknown options. For options known from other frameworks, `moved` says what to use instead. */
export function checkOptions(
  passed: object | undefined,
  expected: Readonly<Record<string, OptionType>>,
  {
    called = (option: string) => `\`${option}\``,
    code = "CONFIG_INVALID",
    moved = {},
  }: { called?: (option: string) => string; code?: string; moved?: Readonly<Record<string, string>> } = {},
): void {
  if (typeof passed !== "object") return;
  for (const option in passed) {
    if (Object.hasOwn(expected, option) || (passed as Record<string, unknown>)[option] === undefined) continue;
    const names = Object.keys(expected);
    const near = nearest(option, names);
    const instead = Object.hasOwn(moved, option) ? moved[option] : near && `Did you mean \`${near}\`?`;
    const there = names[1] ? `the options are ${names.join(", ")}` : `the only option is \`${names}\``;
    const known = `There is no option ${called(option)}; ${there}.`;
    throw new GloveError(code, instead ? `${known} ${instead}` : known);
  }
  for (const [option, kind] of Object.entries(expected)) {
    const value = (passed as Record<string, unknown> | null)?.[option];
    if (value !== undefined) check(called(option), value, kind, code);
  }
}

/** Returns the value if it is valid; throws an error that names it if not. */
export function check<T>(name: string, value: T, expected: OptionType, code = "CONFIG_INVALID"): T {
  if (typeof expected === "object") {
    check(name, value, "object", code);
    checkOptions(value as object, expected, { called: (option) => name.replace(/`$/, `.${option}\``), code });
  } else {
    const words: unknown[] = expected.split("|");
    const [text, fits]: Kind = words[1]
      ? [`one of ${words.map(describeValue).join(", ")}`, (value) => words.includes(value)]
      : kinds[expected as "text"];
    if (!fits(value)) throw new GloveError(code, `${name} must be ${text}, got ${describeValue(value)}.`);
  }
  return value;
}

/** Numbers for the core: `Infinity` becomes the largest number it counts to. */
export function withoutInfinity<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, isEndless(value) ? most : value])) as T;
}

/** Describes a value for an error message. */
export function describeValue(value: unknown): string {
  if (isEvent(value)) return `the event "${String(value.type)}" of a handler: call it with a value, \`() => …\``;
  if (Array.isArray(value)) return "an array";
  if (value && /^[fo]/.test(typeof value)) return typeof value === "object" ? "an object" : "a function";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : String(value);
}

/** Whether the value is a valid fixed `requireApproval`. */
export function isApprovalRule(value: unknown): value is boolean | { readonly required: boolean; readonly reason?: string } {
  if (typeof value === "boolean") return true;
  if (describeValue(value) !== "an object") return false;
  const { required, reason, ...rest } = value as Record<string, unknown>;
  const others = Object.values(rest).some((other) => other !== undefined);
  return typeof required === "boolean" && (reason === undefined || typeof reason === "string") && !others;
}

function isPersist(value: unknown): boolean {
  if (describeValue(value) !== "an object") return typeof value === "boolean" || typeof value === "string";
  return Object.keys(value as object).every((option) => option === "key" || option === "storage");
}

function isPrice(value: unknown): boolean {
  const { input, output, cacheRead = 0, cacheWrite = 0, ...rest } = Object(value) as Record<string, unknown>;
  const all = [input, output, cacheRead, cacheWrite];
  return !Object.keys(rest).length && all.every((price) => Number.isFinite(price) && Number(price) >= 0);
}

/** Refuses unknown methods; other properties of the object belong to the application. */
export function checkMethods(passed: object, expected: Readonly<Record<string, OptionType>>): void {
  check("The second argument", passed, "object");
  checkOptions(Object.fromEntries(Object.entries(passed).filter(([, value]) => typeof value === "function")), expected);
}

/** The closest of `names`: one that differs in at most a third of its letters, or contains the other. */
export function nearest(passed: string, names: readonly string[]): string | undefined {
  const plain = (name: string) =>
    name
      .slice(0, 40)
      .replace(/[^a-z0-9]/gi, "")
      .toLowerCase();
  const option = plain(passed);
  let near: string | undefined;
  let least = option.length / 3 + 0.1;
  for (const name of names) {
    const other = plain(name);
    const within = [option, other].every(({ length }) => length > 3) && (option.includes(other) || other.includes(option));
    const apart = distance(option, other);
    const far = within ? Math.min(apart, 1 + apart / 100) : apart;
    if (far < least) [near, least] = [name, far];
  }
  return near;
}

/** The edit distance: how many letters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [above, letter] of [...a].entries()) {
    const next = [above + 1];
    for (const [at, other] of [...b].entries()) {
      const change = Number(row[at]) + Number(letter !== other);
      next.push(Math.min(change, Number(row[at + 1]) + 1, Number(next[at]) + 1));
    }
    row = next;
  }
  return Number(row.at(-1));
}
