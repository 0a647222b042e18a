// The JSON Schema that a schema tells of itself.

import { jsonSchemas } from "./made.js";
import type { JsonSchema, Schema } from "./types.js";

/** The part of the Standard JSON Schema interface that is used, and an older way to the same. */
interface Telling {
  readonly "~standard"?: { readonly jsonSchema?: { input(options: { target: string; libraryOptions?: object }): JsonSchema } };
  readonly toJsonSchema?: () => JsonSchema;
}

/** Made once for each schema. Nothing where a converter has to be loaded, or where there is none. */
export function ownJsonSchema(schema: Schema): JsonSchema | undefined {
  const known = jsonSchemas.get(schema);
  if (known) return known instanceof Promise ? undefined : (known as JsonSchema);
  const telling = (schema ?? {}) as Telling;
  const convert = telling["~standard"]?.jsonSchema;
  const own = convert
    ? // zod refuses dates and the like unless told otherwise; the model then sees a value of any kind there.
      convert.input({ target: "draft-2020-12", libraryOptions: { unrepresentable: "any" } })
    : typeof telling.toJsonSchema === "function" && telling.toJsonSchema();
  if (!own) return undefined;
  const { $schema: _, ...rest } = own;
  jsonSchemas.set(schema, rest);
  return rest;
}
