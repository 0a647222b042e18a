// JSON Schemas: those of schemas of any library, for the model, and a JSON Schema as a schema itself.

import { after, type Maybe } from "../timing/sync-or-promise.js";
import { GloveError, loadPart } from "../values/error.js";
import { jsonSchemas } from "./made.js";
import type { Issue, JsonSchema, Schema, StandardSchema } from "./types.js";

/** The validator is loaded when it is first used. */
export function schemaFrom<T = unknown>(schema: JsonSchema): StandardSchema<T> {
  let validator: Promise<(value: unknown) => readonly Issue[]> | undefined;
  return {
    "~standard": {
      version: 1,
      vendor: "glove-wasm",
      async validate(value) {
        validator ??= loadPart(import("./validator.js")).then(({ validatorOf }) => validatorOf(schema));
        // Without a network it cannot be loaded; with one it can.
        validator.catch(() => {
          validator = undefined;
        });
        const issues = (await validator)(value);
        return issues.length ? { issues } : { value: value as T };
      },
      ...{ jsonSchema: { input: () => schema } },
    },
  };
}

/** The JSON Schema of what a schema takes; made once for each schema. */
export function jsonSchemaOf(schema: Schema): Maybe<JsonSchema> {
  let known = jsonSchemas.get(schema);
  if (!known) {
    known = after(make(schema), ({ $schema: _, ...rest }) => rest);
    jsonSchemas.set(schema, known);
    if (known instanceof Promise) known.catch(() => jsonSchemas.delete(schema));
  }
  return known;
}

/** The part of the Standard JSON Schema interface that is used, and older ways to the same. */
interface Convertible {
  readonly "~standard"?: {
    readonly vendor?: string;
    readonly jsonSchema?: { input(options: { target: string; libraryOptions?: object }): JsonSchema };
  };
  readonly toJsonSchema?: () => JsonSchema;
  readonly _zod?: object;
  readonly _def?: object;
}

function make(schema: Schema): Maybe<JsonSchema> {
  const convertible = (schema ?? {}) as Convertible;
  const convert = convertible["~standard"]?.jsonSchema;
  if (convert) {
    // zod refuses dates and the like unless told otherwise; the model then sees a value of any kind there.
    return convert.input({ target: "draft-2020-12", libraryOptions: { unrepresentable: "any" } });
  }
  if (typeof convertible.toJsonSchema === "function") return convertible.toJsonSchema();
  if (convertible._zod || convertible._def) return loadPart(import("./zod.js")).then(({ ofZod }) => ofZod(schema));
  const { vendor } = convertible["~standard"] ?? {};
  if (!vendor) {
    throw new GloveError(
      "SCHEMA_WITHOUT_JSON",
      "This schema is not from a known library. Pass a JSON Schema as `jsonSchema`, or wrap it: `jsonSchema({ … })`.",
    );
  }
  throw new GloveError(
    "SCHEMA_WITHOUT_JSON",
    `A ${vendor} schema has no JSON Schema, which the model needs: ` +
      (vendor === "valibot"
        ? "wrap it with toStandardJsonSchema of @valibot/to-json-schema, or give the tool `jsonSchema` beside `inputSchema`."
        : "give the tool `jsonSchema` beside `inputSchema`."),
  );
}
