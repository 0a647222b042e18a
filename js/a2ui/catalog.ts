// The parts that a model may compose, as the application gives them, and what a model is told of them.

import type { ReactNode } from "react";
import { jsonSchemaOf } from "../src/schema/json-schema-of.js";
import type { InferOutput, JsonSchema, Schema } from "../src/schema/types.js";
import { GloveError } from "../src/values/error.js";
import { check } from "../src/values/validate-options.js";

/** What a component of the catalogue is given. */
export interface PartProps<P = Record<string, unknown>> {
  /** Checked by the schema; what is bound to data has its value. */
  readonly props: P;
  /** What the model has put into it. */
  readonly children: ReactNode;
  /** Does what the model has bound to it; missing where it has bound nothing. */
  readonly act: (() => void) | undefined;
  /** Writes what is bound to this property into the data of the surface; nothing happens where it is not bound. */
  set(name: keyof P & string, value: unknown): void;
  /** Nothing can be done at present: it is answered, something runs, or one of its checks fails and it has an action. */
  readonly disabled: boolean;
  /** What its `checks` say of what is entered, in the words of the model; empty where all is well. */
  readonly errors: readonly string[];
}

/** A component that a model may use. */
export interface Part<S extends Schema = Schema, P = InferOutput<S>> {
  /** Tells the model when to use it. */
  readonly description?: string | undefined;
  /** Its properties: an object. */
  readonly schema: S;
  readonly component: (props: PartProps<P>) => ReactNode;
}

/** Components by the names that the model uses. */
// biome-ignore lint/suspicious/noExplicitAny: each has its own properties; `definePart` infers them.
export type Catalog = Readonly<Record<string, Part<Schema, any>>>;

/** A component of a catalogue, with the types of its schema. */
export function definePart<S extends Schema>(part: Part<S>): Part<S> {
  return part;
}

/** These have a meaning of their own in each component. */
export const reserved: readonly string[] = ["id", "component", "child", "children", "action", "checks"];

export function checkCatalog(catalog: Catalog): void {
  const wrong = (what: string): never => {
    throw new GloveError("CONFIG_INVALID", `a2ui: ${what}.`);
  };
  check("`catalog`", catalog, "object");
  if (Object.keys(catalog).length === 0) wrong("`catalog` needs a component");
  for (const [name, part] of Object.entries(catalog)) {
    if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) wrong(`"${name}" is no name of a component: letters, digits and _`);
    if (typeof part?.component !== "function") wrong(`"${name}" needs a \`component\``);
    if (typeof part.schema !== "object" && typeof part.schema !== "function") wrong(`"${name}" needs a \`schema\``);
  }
}

const bound = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
  description: "The value at this JSON Pointer of `data`.",
};

const call = {
  type: "object",
  properties: { call: { type: "string" }, args: { type: "object" } },
  required: ["call", "args"],
  additionalProperties: false,
  description: "What a function gives.",
};

const common = {
  child: { type: "string", description: "The id of the component in it." },
  children: {
    description: "The ids of the components in it, or one component for each row of a list in `data`.",
    anyOf: [
      { type: "array", items: { type: "string" } },
      {
        type: "object",
        properties: { componentId: { type: "string" }, path: { type: "string" } },
        required: ["componentId", "path"],
      },
    ],
  },
  action: {
    description:
      "What happens when the person uses it: you are told the name of the `event`, and the context with its values at that moment; a `functionCall` is made in the page.",
    type: "object",
    properties: {
      event: {
        type: "object",
        properties: { name: { type: "string" }, context: { type: "object" } },
        required: ["name"],
      },
      functionCall: { type: "object", properties: call.properties, required: call.required },
    },
  },
  checks: {
    description:
      "Each condition is true or false. While one is false the person reads its message, and the action of the component waits.",
    type: "array",
    items: {
      type: "object",
      properties: { condition: { anyOf: [bound, call] }, message: { type: "string" } },
      required: ["condition", "message"],
    },
  },
};

/** The JSON Schema of one component, for the model. */
async function ofPart(name: string, { schema, description }: Pick<Part, "schema" | "description">): Promise<JsonSchema> {
  const { type, properties, required } = (await jsonSchemaOf(schema)) as {
    readonly type?: unknown;
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  if (type !== "object") throw new GloveError("CONFIG_INVALID", `a2ui: the schema of "${name}" must be that of an object.`);
  const own = Object.entries(properties ?? {});
  const taken = own.find(([property]) => reserved.includes(property));
  if (taken)
    throw new GloveError(
      "CONFIG_INVALID",
      `a2ui: "${name}" cannot have a property "${taken[0]}": that has a meaning of its own.`,
    );
  // What refers to another part of its schema finds nothing here; its check still holds.
  const alone = (one: JsonSchema) => (JSON.stringify(one).includes('"$ref"') ? {} : one);
  return {
    type: "object",
    ...(description !== undefined && { description }),
    properties: {
      id: { type: "string" },
      component: { const: name },
      ...Object.fromEntries(own.map(([property, one]) => [property, { anyOf: [alone(one), bound, call] }])),
      ...common,
    },
    required: ["id", "component", ...(required ?? [])],
  };
}

/** What a model writes to show a surface. */
export async function surfaceSchema(catalog: Catalog): Promise<JsonSchema> {
  const parts = await Promise.all(Object.entries(catalog).map(([name, part]) => ofPart(name, part)));
  return {
    type: "object",
    properties: {
      surface: { type: "string", description: "A short name of yours for it." },
      components: {
        type: "array",
        description: 'A flat list: components name what is in them by its id. One has the id "root".',
        items: { anyOf: parts },
      },
      data: { type: "object", description: "Values that components are bound to." },
    },
    required: ["surface", "components"],
  };
}
