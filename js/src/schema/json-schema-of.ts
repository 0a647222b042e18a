// JSON Schemas: those of schemas of any library, for the model, and a JSON Schema as a schema itself.

import { after, type Maybe } from "../timing/sync-or-promise.js";
import { GloveError, loadPart } from "../values/error.js";
import { jsonSchemas } from "./made.js";
import { ownJsonSchema } from "./own-json-schema.js";
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
  const known = jsonSchemas.get(schema) ?? ownJsonSchema(schema);
  if (known) return known;
  const made = after(make(schema), ({ $schema: _, ...rest }) => rest);
  jsonSchemas.set(schema, made);
  if (made instanceof Promise) made.catch(() => jsonSchemas.delete(schema));
  return made;
}

/** By what a schema that tells no JSON Schema is known. */
interface Known {
  readonly "~standard"?: { readonly vendor?: string };
  readonly _zod?: object;
  readonly _def?: object;
}

function make(schema: Schema): Maybe<JsonSchema> {
  const known = (schema ?? {}) as Known;
  if (known._zod || known._def) return loadPart(import("./zod.js")).then(({ ofZod }) => ofZod(schema));
  const { vendor } = known["~standard"] ?? {};
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
