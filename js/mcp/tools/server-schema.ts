// Values checked by schemas of servers: both may be made so that the check never ends.

import type { Issue, JsonSchema } from "../../src/schema/types.js";
import { validatorOf } from "../../src/schema/validator.js";

/** So many parts of a schema are tried on one value; more is a schema that multiplies itself. */
const mostSteps = 100_000;

/** Expressions may take for ever on a text that was made for them, and comparing each with each takes long. */
const slow = new Set(["pattern", "patternProperties", "uniqueItems", "format"]);

/** Without a slow part inside they would refuse what is right. */
const turning = new Set(["not", "if", "then", "else", "contains", "oneOf"]);

/** What these hold is no schema, or schemas by names. */
export const data = new Set(["const", "enum", "default", "examples", "required"]);
export const maps = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

/** Tried on each part of a value: as `false`, what they refuse would not be counted. */
const ofEach = new Set(["items", "additionalItems", "unevaluatedItems", "additionalProperties", "propertyNames"]);

/** What is wrong with a value, as far as it can be told in time. Throws where the schema is none, or takes too long. */
export function issuesBy(schema: JsonSchema, value: unknown): readonly Issue[] {
  return validatorOf(withoutSlow(schema) as JsonSchema, mostSteps)(value);
}

function withoutSlow(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withoutSlow(item));
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (isMap) return [[key, withoutSlow(value)]];
    if (data.has(key)) return [[key, value]];
    // A name that an expression would have allowed is not among them any more.
    const closes = key === "unevaluatedProperties" || (key === "additionalProperties" && "patternProperties" in schema);
    if (slow.has(key) || closes) return [];
    if (value === false && ofEach.has(key)) return [[key, { not: {} }]];
    const isTurning =
      turning.has(key) && /"(pattern|patternProperties|uniqueItems|format|\$ref|\$dynamicRef)":/.test(JSON.stringify(schema));
    if (!isTurning) return [[key, withoutSlow(value, maps.has(key))]];
    return key === "oneOf" && !("anyOf" in schema) ? [["anyOf", withoutSlow(value)]] : [];
  });
  return Object.fromEntries(entries);
}
