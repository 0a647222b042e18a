// The forms of schemas: those of libraries, and JSON Schema.

/** As far as a model has written it. */
export type Partly<T> = T extends object ? { readonly [K in keyof T]?: Partly<T[K]> } : T;

/** What Standard Schema libraries have (zod 3.24 and later, valibot, arktype, effect, …). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What zod has had since version 3. */
export interface ParsingSchema<Input = unknown, Output = Input> {
  readonly _input: Input;
  readonly _output: Output;
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: Output }
    | { readonly success: false; readonly error: { readonly issues: readonly StandardIssue[] } };
}

/** A schema of the application: Standard Schema, or zod 3. JSON Schema comes in through `jsonSchema()`. */
export type Schema<Input = unknown, Output = Input> = StandardSchema<Input, Output> | ParsingSchema<Input, Output>;

/** What may be given to a schema. */
export type InferInput<S> =
  S extends StandardSchema<infer Input, unknown> ? Input : S extends ParsingSchema<infer Input, unknown> ? Input : unknown;
/** What comes out of it. */
export type InferOutput<S> =
  S extends StandardSchema<unknown, infer Output> ? Output : S extends ParsingSchema<unknown, infer Output> ? Output : unknown;

/** A JSON Schema, as an object. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export type { Issue } from "../wire/run-types.js";
