// Functions of a surface: what an application gives of its own, and how values and actions call them.

import type { InferOutput, Schema } from "../src/schema/types.js";
import { GloveError } from "../src/values/error.js";
import { check } from "../src/values/validate-options.js";

/** A function that a model may call in a surface. */
export interface SurfaceFunction<S extends Schema = Schema, I = InferOutput<S>> {
  /** Tells the model what it gives or does. */
  readonly description?: string | undefined;
  /** Its arguments: an object. It is checked while the surface is drawn, so it may not wait for anything. */
  readonly schema: S;
  /** It does something in the page: only an action calls it, when a person uses it. Otherwise it gives a value, each time the surface is drawn. */
  readonly acts?: boolean | undefined;
  run(args: I): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: each has its own arguments; `defineFunction` infers them.
export type SurfaceFunctions = Readonly<Record<string, SurfaceFunction<Schema, any>>>;

/** A function of a surface, with the types of its schema. */
export function defineFunction<S extends Schema>(given: SurfaceFunction<S>): SurfaceFunction<S> {
  return given;
}

export type Args = Readonly<Record<string, unknown>>;

/** The functions that are there. Both throw a sentence for the model. */
export interface Calls {
  /** `evaluate` gives what stands for a value in the same place. */
  value(name: string, args: Args, evaluate: (value: unknown) => unknown): unknown;
  /** What an action is to do: nothing is done before it is called. */
  act(name: string, args: Args): () => unknown;
}

export interface Call {
  readonly call: string;
  readonly args: Args;
}

const parts: readonly string[] = ["call", "args", "returnType"];

/** The call that stands in the place of a value. */
export function callOf(value: object): Call | undefined {
  const { call, args = {} } = value as Partial<Call>;
  if (typeof call !== "string" || typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  return Object.keys(value).every((name) => parts.includes(name)) ? { call, args } : undefined;
}

/** Only surfaces with calls load what answers them. */
export const hasCalls = (components: unknown): boolean => /"call":/.test(JSON.stringify(components) ?? "");

export function checkFunctions(functions: SurfaceFunctions): void {
  check("`functions`", functions, "object");
  for (const [name, given] of Object.entries(functions)) {
    const wrong = (what: string): never => {
      throw new GloveError("CONFIG_INVALID", `a2ui: the function "${name}" ${what}.`);
    };
    if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) wrong("needs another name: letters, digits and _");
    if (typeof given?.run !== "function") wrong("needs a `run`");
    if (typeof given.schema !== "object" && typeof given.schema !== "function") wrong("needs a `schema`");
  }
}

const standard =
  "required(value), regex(value, pattern), length(value, min, max), numeric(value, min, max), email(value), and(values), or(values), not(value), " +
  "equals(a, b), not_equals(a, b), greater_than(a, b), less_than(a, b), contains(string, substring), starts_with(string, prefix), " +
  "ends_with(string, suffix), add(a, b), subtract(a, b), multiply(a, b), divide(a, b), formatString(value), formatNumber(value, decimals, grouping), " +
  "formatCurrency(value, currency, decimals, grouping), formatDate(value, format), pluralize(value, zero, one, two, few, many, other)";

/** What a model is told of them. */
export function toldOfFunctions(own: SurfaceFunctions): string {
  const lines = Object.entries(own).map(
    ([name, { description, acts }]) => `${name}${acts ? " (action)" : ""}${description ? `: ${description}` : ""}`,
  );
  const more = lines.length > 0 ? ` Functions of the application: ${lines.join("; ")}.` : "";
  return `Functions for values and checks: ${standard}. In formatString, \`\${/path}\` and \`\${call(name: value)}\` stand for values. For actions: openUrl(url).${more}`;
}
