// What was made of a schema, once for each, whoever asks.

import type { Maybe } from "../timing/sync-or-promise.js";
import type { JsonSchema, Schema } from "./types.js";

/** The JSON Schema of what a schema takes. */
export const jsonSchemas = new WeakMap<object, Maybe<JsonSchema>>();

/** The schema that checks what a JSON Schema says. */
export const checking = new WeakMap<JsonSchema, Schema>();
