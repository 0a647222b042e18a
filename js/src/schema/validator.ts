// Values checked against JSON Schema. Loaded when the first value is checked, so that nobody else carries the validator.
import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { GloveError, reasonOf } from "../values/error.js";
import type { Issue, JsonSchema } from "./types.js";

/**
 * `steps`: so many parts of the schema are tried on a value at most, for schemas that are not the application's. A part with long lists of values or
 * names counts for more: each of them is compared, and stands in an error.
 */
export function validatorOf(schema: JsonSchema, steps = Number.POSITIVE_INFINITY): (value: unknown) => readonly Issue[] {
  let left = Number.POSITIVE_INFINITY;
  const tried = (weight: number) => {
    left -= weight;
    if (left < 0) throw new Error(`a value is tried by more than ${steps} parts of it`);
  };
  const copy = withAnchors(schema, false, Number.isFinite(steps) ? tried : undefined);
  const validator = right(() => new Validator(copy as JsonSchema, "2020-12", false));
  return (value) => {
    left = steps;
    // A reference that leads nowhere is found only here.
    const { valid, errors } = right(() => validator.validate(value));
    if (valid) return [];
    return causes(errors).map(({ instanceLocation, keyword, error }) => ({
      path: partsOf(instanceLocation),
      message: keyword === "false" ? "No value is allowed here." : error,
    }));
  };
}

function right<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new GloveError("SCHEMA_INVALID", `This is not a JSON Schema: ${reasonOf(error)}`, { cause: error });
  }
}

/** Keywords whose error only says that something further in is wrong. */
const around = new Set(
  (
    "$ref allOf anyOf oneOf if properties patternProperties additionalProperties unevaluatedProperties propertyNames " +
    "dependentSchemas dependencies prefixItems items additionalItems unevaluatedItems contains"
  ).split(" "),
);

/** More errors than this help nobody to put a value right. */
const most = 500;

/** What is wrong, without what is reported again for everything around it and for the branches that were not meant. */
function causes(all: readonly OutputUnit[]): OutputUnit[] {
  const errors = all.slice(0, most);
  const unmeant = new Set(
    errors.filter(({ keyword }) => /^(any|one)Of$/.test(keyword)).flatMap((union) => ofOthers(union, errors)),
  );
  const meant = errors.filter((error) => !unmeant.has(error));
  const leaves = meant.filter(({ keyword }) => !around.has(keyword));
  const isInside = (place: string, of: string) => place === of || place.startsWith(`${of}/`);
  return meant.filter(
    ({ keyword, instanceLocation }) =>
      !around.has(keyword) || !leaves.some((leaf) => isInside(leaf.instanceLocation, instanceLocation)),
  );
}

/** The errors of branches that the value, by its type or a constant, tells not to be of, while there is a branch without such an error. */
function ofOthers(union: OutputUnit, errors: readonly OutputUnit[]): OutputUnit[] {
  const inside = errors.filter((error) => branchOf(error, union) !== undefined);
  const others = new Set(inside.filter((error) => tellsApart(error, union)).map((error) => branchOf(error, union)));
  const found = inside.filter((error) => others.has(branchOf(error, union)));
  return found.length < inside.length ? found : [];
}

function branchOf({ keywordLocation }: OutputUnit, union: OutputUnit): string | undefined {
  const start = `${union.keywordLocation}/`;
  return keywordLocation.startsWith(start) ? keywordLocation.slice(start.length).split("/", 1)[0] : undefined;
}

function tellsApart({ keyword, instanceLocation }: OutputUnit, union: OutputUnit): boolean {
  const inside = instanceLocation.slice(union.instanceLocation.length + 1);
  return inside === "" ? keyword === "type" : (keyword === "const" || keyword === "enum") && !inside.includes("/");
}

const lettersOfStep = 32;

/** Keywords that hold data, and those that hold schemas by names of the application's. */
const data = new Set(["const", "enum", "default", "examples"]);
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/**
 * A copy in which a dynamic anchor is an anchor too, and a dynamic reference one to it: the validator knows the plain ones only, and within
 * one schema they mean the same. (It also writes into the schema that it is given.)
 */
function withAnchors(schema: unknown, isMap = false, tried?: (weight: number) => void): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withAnchors(item, false, tried));
  if (typeof schema !== "object" || schema === null) return schema;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    const made = !isMap && data.has(key) ? value : withAnchors(value, !isMap && maps.has(key), tried);
    // `__proto__` is a name like any other.
    Object.defineProperty(copy, key, { value: made, enumerable: true, writable: true, configurable: true });
  }
  if (isMap) return copy;
  boundsOfDraft4(copy);
  const { $anchor, $dynamicAnchor, $ref, $dynamicRef } = copy;
  if (typeof $dynamicAnchor === "string") copy.$anchor = $anchor ?? $dynamicAnchor;
  if (typeof $dynamicRef === "string") {
    const reference = { $ref: $dynamicRef };
    if ($ref === undefined) copy.$ref = $dynamicRef;
    else copy.allOf = [...(Array.isArray(copy.allOf) ? copy.allOf : []), reference];
  }
  // The validator looks for a reference in each part that it tries.
  if (tried) {
    const { $ref: reference, enum: values, const: value, required, dependentRequired } = copy;
    const letters = JSON.stringify([values, value, required, dependentRequired]).length;
    const get = () => {
      tried(1 + Math.floor(letters / lettersOfStep));
      return reference;
    };
    Object.defineProperty(copy, "$ref", { get, enumerable: reference !== undefined });
  }
  return copy;
}

/** `exclusiveMinimum: true` beside a minimum, which the validator would take for 1. */
function boundsOfDraft4(schema: Record<string, unknown>): void {
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const is = schema[exclusive];
    if (typeof is !== "boolean") continue;
    delete schema[exclusive];
    if (!is || schema[bound] === undefined) continue;
    schema[exclusive] = schema[bound];
    delete schema[bound];
  }
}

function partsOf(pointer: string): (string | number)[] {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    return /^\d+$/.test(name) ? Number(name) : name;
  });
}
