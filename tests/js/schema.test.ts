// Schemas of the libraries that applications use: how values are checked, and what the model is told.
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod3";
import { z as z40 } from "zod40";
import { checkWithSchema } from "../../js/src/schema/check.js";
import { jsonSchema } from "../../js/src/schema/json-schema.js";
import { jsonSchemaOf } from "../../js/src/schema/json-schema-of.js";
import type { Schema } from "../../js/src/schema/types.js";

const libraries: Record<string, Schema> = {
  "zod 4": z.object({ city: z.string(), days: z.number().default(3) }),
  "zod 4.0": z40.object({ city: z40.string(), days: z40.number().default(3) }),
  "zod 3": z3.object({ city: z3.string(), days: z3.number().default(3) }),
  valibot: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 3) })),
  arktype: type({ city: "string", days: "number = 3" }),
};

test.each(Object.entries(libraries))("%s: a value is checked, with defaults filled in", async (_, schema) => {
  expect(await checkWithSchema(schema, { city: "Oslo" })).toEqual({ value: { city: "Oslo", days: 3 } });
  const wrong = await checkWithSchema(schema, { city: 7 });
  expect(wrong).toMatchObject({ issues: [{ path: ["city"], message: expect.any(String) }] });
});

test.each(Object.entries(libraries))("%s: the model is told the JSON Schema of what goes in", async (library, schema) => {
  const told = await jsonSchemaOf(schema);
  expect(told).toMatchObject({ type: "object", required: ["city"] });
  expect(told).toHaveProperty(["properties", "city", "type"], "string");
  expect(told).toHaveProperty(["properties", "days", "type"], "number");
  // arktype leaves defaults out.
  if (library !== "arktype") expect(told).toHaveProperty(["properties", "days", "default"], 3);
  expect(told).not.toHaveProperty("$schema");
});

test("a JSON Schema is made once for each schema", () => {
  const schema = z.object({ a: z.string() });
  expect(jsonSchemaOf(schema)).toBe(jsonSchemaOf(schema));
});

test("zod schemas without a converter of their own become JSON Schema, in both majors", async () => {
  const of = (zod: typeof z40 | typeof z3) => {
    const lib = zod as typeof z40;
    return lib.object({
      name: lib.string().min(2).max(9).describe("who"),
      kind: lib.enum(["a", "b"]),
      one: lib.literal(1),
      tags: lib.array(lib.string()).optional(),
      pair: lib.tuple([lib.string(), lib.number()]),
      either: lib.union([lib.string(), lib.null()]),
      maybe: lib.boolean().nullable(),
      count: lib.number().int().min(1),
      when: lib.date().optional(),
      map: lib.record(lib.string(), lib.number()),
      length: lib.string().transform((text) => text.length),
    });
  };
  const told = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 2, maxLength: 9, description: "who" },
      kind: { enum: ["a", "b"] },
      one: { const: 1 },
      tags: { type: "array", items: { type: "string" } },
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 2, items: false },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
      maybe: { anyOf: [{ type: "boolean" }, { type: "null" }] },
      count: { type: "integer", minimum: 1 },
      when: {},
      map: { type: "object", additionalProperties: { type: "number" } },
      length: { type: "string" },
    },
    required: ["name", "kind", "one", "pair", "either", "maybe", "count", "map", "length"],
  };
  expect(await jsonSchemaOf(of(z40))).toEqual(told);
  expect(await jsonSchemaOf(of(z3))).toEqual(told);
});

test("raw JSON Schema checks values and names the place of what is wrong", async () => {
  const schema = jsonSchema({
    type: "object",
    properties: { list: { type: "array", items: { type: "number" } } },
    required: ["list"],
  });
  expect(await checkWithSchema(schema, { list: [1, 2] })).toEqual({ value: { list: [1, 2] } });
  expect(await checkWithSchema(schema, { list: [1, "two"] })).toMatchObject({ issues: [{ path: ["list", 1] }] });
  expect(await checkWithSchema(schema, {})).toMatchObject({ issues: [{ path: [], message: expect.stringContaining("list") }] });
});

test("a missing property is named also when a deeper value is wrong", async () => {
  const schema = jsonSchema({
    type: "object",
    properties: {
      from: { type: "object", properties: { city: { type: "string" } }, required: ["city", "zip"] },
      to: { type: "string" },
    },
    required: ["from", "to"],
  });
  const wrong = await checkWithSchema(schema, { from: { city: 7 } });
  expect(wrong).toEqual({
    issues: [
      { path: [], message: expect.stringContaining('"to"') },
      { path: ["from"], message: expect.stringContaining('"zip"') },
      { path: ["from", "city"], message: expect.stringContaining("string") },
    ],
  });
});

test("of a union the branch that the value is meant for says what is wrong", async () => {
  const branch = (kind: string, field: string) => ({
    type: "object",
    properties: { kind: { const: kind }, [field]: { type: "number" }, unit: { type: "string" } },
    required: ["kind", field, "unit"],
  });
  const schema = jsonSchema({ oneOf: [branch("circle", "radius"), branch("square", "side"), { type: "string" }] });
  expect(await checkWithSchema(schema, { kind: "square", side: "2" })).toEqual({
    issues: [
      { path: [], message: expect.stringContaining('"unit"') },
      { path: ["side"], message: expect.stringContaining("number") },
    ],
  });
  const none = await checkWithSchema(schema, { kind: "line" });
  expect(none).toMatchObject({
    issues: expect.arrayContaining([{ path: ["kind"], message: expect.stringContaining("circle") }]),
  });
});

test("a reference to a dynamic anchor is followed", async () => {
  const list = Object.freeze({
    $dynamicAnchor: "list",
    type: "object",
    properties: {
      value: { type: "number" },
      next: { $dynamicRef: "#list" },
      other: { $ref: "#list" },
      $dynamicAnchor: { const: 1 },
    },
    required: ["value"],
    default: { $dynamicRef: "#nowhere" },
  });
  const schema = jsonSchema(list);
  expect(await checkWithSchema(schema, { value: 1, next: { value: 2, other: { value: 3 } } })).toMatchObject({
    value: { value: 1 },
  });
  for (const field of ["next", "other"]) {
    expect(await checkWithSchema(schema, { value: 1, [field]: { value: "2" } })).toMatchObject({
      issues: [{ path: [field, "value"] }],
    });
  }
  expect(await checkWithSchema(schema, { value: 1, $dynamicAnchor: 2 })).toMatchObject({
    issues: [{ path: ["$dynamicAnchor"] }],
  });
});

test("a format that is known is checked, any other says nothing", async () => {
  const schema = jsonSchema({ type: "object", properties: { to: { format: "email" }, at: { format: "moon-phase" } } });
  expect(await checkWithSchema(schema, { to: "a@b.example", at: "full" })).toMatchObject({ value: {} });
  expect(await checkWithSchema(schema, { to: "nobody" })).toMatchObject({ issues: [{ path: ["to"] }] });
});

test("a transform that throws refuses the value with a sentence", async () => {
  const schema = z.string().transform(() => {
    throw new Error("no such city");
  });
  expect(await checkWithSchema(schema, "x")).toEqual({ issues: [{ path: [], message: "the schema failed: no such city" }] });
});

test("an asynchronous schema is waited for, and its failure is an issue", async () => {
  const schema = z.string().refine(async (text) => text !== "taken", "is taken");
  expect(await checkWithSchema(schema, "free")).toEqual({ value: "free" });
  expect(await checkWithSchema(schema, "taken")).toEqual({ issues: [{ path: [], message: "is taken" }] });
});

test("a schema that gives no JSON Schema says what to do", () => {
  expect(() => jsonSchemaOf(v.object({ a: v.string() }))).toThrow(
    expect.objectContaining({ code: "SCHEMA_WITHOUT_JSON", message: expect.stringContaining("toStandardJsonSchema") }),
  );
});

test("a converter or a validator that failed is asked again the next time", async () => {
  let broken = true;
  const late = z3.late.object(() => {
    if (broken) throw new Error("not there yet");
    return { city: z3.string() };
  });
  await expect(Promise.resolve(jsonSchemaOf(late))).rejects.toThrow("not there yet");
  const raw = jsonSchema({
    type: "string",
    get pattern() {
      if (broken) throw new Error("not there yet");
      return "^a";
    },
  });
  expect(await checkWithSchema(raw, "abc")).toMatchObject({ issues: [{ message: expect.stringContaining("not there yet") }] });
  broken = false;
  expect(await jsonSchemaOf(late)).toMatchObject({ properties: { city: { type: "string" } } });
  expect(await checkWithSchema(raw, "abc")).toEqual({ value: "abc" });
});
