// The functions of A2UI's basic catalogue, and those of the application. Only surfaces with calls load it.

import { checkWithSchema, issuesText } from "../src/schema/check.js";
import { isPromise } from "../src/timing/sync-or-promise.js";
import type { Args, Calls, SurfaceFunctions } from "./calls.js";
import { dateText } from "./dates.js";
import { partsOf } from "./expressions.js";
import { matches } from "./patterns.js";

/** In letters: a text may put itself together of many large values. */
const longest = 10_000;

type Evaluate = (value: unknown) => unknown;

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

const number = (value: unknown): number =>
  typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;

const text = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

const within = (value: number, { min, max }: Args) =>
  !Number.isNaN(value) && !(min !== undefined && value < number(min)) && !(max !== undefined && value > number(max));

const list = ({ values }: Args): readonly unknown[] => {
  if (!Array.isArray(values)) throw new Error("`values` must be a list");
  return values;
};

/** Digits behind the point, and whether thousands stand apart. */
const digits = ({ decimals, grouping }: Args): Intl.NumberFormatOptions => ({
  ...(decimals !== undefined && { minimumFractionDigits: number(decimals), maximumFractionDigits: number(decimals) }),
  useGrouping: grouping !== false,
});

const formatted = (args: Args, options: Intl.NumberFormatOptions): string => {
  const value = number(args.value);
  return Number.isNaN(value) ? "" : new Intl.NumberFormat(undefined, { ...digits(args), ...options }).format(value);
};

const standard: Readonly<Record<string, (args: Args, evaluate: Evaluate) => unknown>> = {
  required: ({ value }) => !isEmpty(value),
  regex: ({ value, pattern }) => matches(text(value), text(pattern)),
  length: (args) => within(typeof args.value === "string" || Array.isArray(args.value) ? args.value.length : 0, args),
  numeric: (args) => within(number(args.value), args),
  email: ({ value }) => /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(text(value).slice(0, 321)) && text(value).length <= 320,
  and: (args) => list(args).every(Boolean),
  or: (args) => list(args).some(Boolean),
  not: ({ value }) => !value,
  equals: ({ a, b }) => a === b,
  not_equals: ({ a, b }) => a !== b,
  greater_than: ({ a, b }) => number(a) > number(b),
  less_than: ({ a, b }) => number(a) < number(b),
  contains: ({ string, substring }) => text(string).includes(text(substring)),
  starts_with: ({ string, prefix }) => text(string).startsWith(text(prefix)),
  ends_with: ({ string, suffix }) => text(string).endsWith(text(suffix)),
  add: ({ a, b }) => number(a) + number(b),
  subtract: ({ a, b }) => number(a) - number(b),
  multiply: ({ a, b }) => number(a) * number(b),
  divide: ({ a, b }) => number(a) / number(b),
  formatString: ({ value }, evaluate) => {
    let whole = "";
    for (const part of partsOf(text(value))) {
      whole += typeof part === "string" ? part : text(evaluate(part));
      if (whole.length > longest) throw new Error(`formatString gives more than ${longest} letters`);
    }
    return whole;
  },
  formatNumber: (args) => formatted(args, {}),
  formatCurrency: (args) => formatted(args, { style: "currency", currency: text(args.currency) }),
  formatDate: ({ value, format }) => dateText(value, text(format)),
  pluralize: (args) => {
    const value = number(args.value);
    const form = value === 0 && args.zero !== undefined ? "zero" : new Intl.PluralRules().select(value);
    return text(args[form] ?? args.other);
  },
};

const openUrl = "openUrl";

/** `refused` says why an address may not be opened. */
export function callsOf(own: SurfaceFunctions, refused: (url: string) => string | undefined): Calls {
  const ownOf = (name: string) => (Object.hasOwn(own, name) ? own[name] : undefined);
  const unknown = (name: string): never => {
    const names = [...Object.keys(own), ...Object.keys(standard), openUrl].join(", ");
    throw new Error(`there is no function "${name.slice(0, 64)}": there are ${names}`);
  };
  /** Its arguments as its schema gives them. */
  const checked = (name: string, args: Args): unknown => {
    const result = checkWithSchema((ownOf(name) as SurfaceFunctions[string]).schema, args);
    if (isPromise(result)) throw new Error(`the arguments of ${name} cannot be checked at once`);
    if ("issues" in result) throw new Error(`${name}: ${issuesText(result.issues)}`);
    return result.value;
  };
  return {
    value(name, args, evaluate) {
      const mine = ownOf(name);
      if (mine ? mine.acts : name === openUrl)
        throw new Error(`${name} does something: it may only be the \`functionCall\` of an action`);
      if (mine) return mine.run(checked(name, args));
      const does = Object.hasOwn(standard, name) ? standard[name] : undefined;
      if (!does) return unknown(name);
      try {
        return does(args, evaluate);
      } catch (error) {
        throw new Error(`${name}: ${(error as Error).message}`);
      }
    },
    act(name, args) {
      const mine = ownOf(name);
      if (mine?.acts) {
        const given = checked(name, args);
        return () => mine.run(given);
      }
      if (mine || Object.hasOwn(standard, name)) throw new Error(`${name} only gives a value, and does nothing as an action`);
      if (name !== openUrl) return unknown(name);
      const { url } = args;
      if (typeof url !== "string" || url === "") throw new Error("openUrl needs a `url`");
      const why = refused(url);
      if (why) throw new Error(`openUrl: ${why}`);
      return () => void globalThis.open?.(url, "_blank", "noopener,noreferrer");
    },
  };
}
