// `jsonSchema`: a JSON Schema as a schema.

import { schemaFrom } from "./json-schema-of.js";
import type { JsonSchema, StandardSchema } from "./types.js";

/**
 * A JSON Schema as a schema: what it validates is checked with it (the validator is loaded when first used), and a model is
 * told it as it is.
 */
export function jsonSchema<T = unknown>(schema: JsonSchema): StandardSchema<T> {
  return schemaFrom(schema);
}
