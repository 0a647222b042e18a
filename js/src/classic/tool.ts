// A tool as the executor runs it.

import type { JsonSchema, Schema } from "../schema/types.js";
import type { Maybe } from "../timing/sync-or-promise.js";

/** Hands something over to a person, and gives the answer. */
export type HandOverFunction = (input: unknown) => Promise<unknown>;

/** A tool as the executor runs it. */
// biome-ignore lint/suspicious/noExplicitAny: what applications were written for.
export interface Tool<I = any> {
  readonly name: string;
  readonly description: string;
  readonly input_schema?: Schema<unknown, I>;
  readonly jsonSchema?: JsonSchema;
  readonly requiresPermission?: boolean | ((input: I) => Maybe<boolean>);
  readonly unAbortable?: boolean;
  readonly idempotent?: boolean;
  run(input: I, handOver?: HandOverFunction, signal?: AbortSignal): unknown;
}
