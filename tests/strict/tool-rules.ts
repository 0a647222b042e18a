// The schemas of tools: what each API refuses in them.
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Body, Judged } from "./types.js";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const one = [
  "items",
  "additionalProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "additionalItems",
];
const many = ["anyOf", "oneOf", "allOf", "prefixItems"];
const named = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/** Every schema within a schema, with where it stands. */
export function* schemas(schema: Body, at = ""): Generator<[string, Body]> {
  if (!schema || typeof schema !== "object" || Array.isArray(schema)) return;
  yield [at, schema];
  for (const key of one) yield* schemas(schema[key], `${at}/${key}`);
  for (const key of many) {
    if (Array.isArray(schema[key]))
      for (const [index, inner] of schema[key].entries()) yield* schemas(inner, `${at}/${key}/${index}`);
  }
  for (const key of named) {
    if (schema[key] && typeof schema[key] === "object") {
      for (const [name, inner] of Object.entries(schema[key])) yield* schemas(inner, `${at}/${key}/${name}`);
    }
  }
}

export interface Tool {
  readonly name: string;
  readonly schema: Body;
  readonly at: string;
}

const compatibleRefuses = [
  "const",
  "$ref",
  "$defs",
  "definitions",
  "oneOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "patternProperties",
  "propertyNames",
  "prefixItems",
  "dependentSchemas",
  "dependentRequired",
  "contains",
  "$schema",
  "$id",
  "unevaluatedProperties",
];

export function toolRules(judged: Judged, tools: readonly Tool[]): void {
  const { host, add } = judged;
  const has = (rule: string) => host.rules.includes(rule);
  const seen = new Set<string>();
  for (const { name, at } of tools) {
    if (seen.has(name)) add("tools.unique", at, `Tool names must be unique: ${name}`);
    seen.add(name);
  }
  if (has("tools-128") && tools.length > 128) {
    add(
      "tools.count",
      "/tools",
      `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${tools.length} instead.`,
      {
        code: "array_above_max_length",
        param: "tools",
      },
    );
  }
  const unions =
    has("openai-tools") || has("gemini-openai-tools")
      ? ["oneOf", "anyOf", "allOf", "enum", "not"]
      : has("anthropic-tools")
        ? ["oneOf", "anyOf", "allOf"]
        : [];
  for (const { name, schema, at } of tools) {
    if (!schema || typeof schema !== "object") continue;
    const found = unions.filter((word) => word in schema);
    if (found.length) {
      add(
        "tools.root-union",
        at,
        `Invalid schema for function '${name}': schema must have type 'object' and not have ${found.map((word) => `'${word}'`).join("/")} at the top level.`,
        {
          code: "invalid_function_parameters",
        },
      );
    }
    const wrong = validity(schema);
    if (wrong)
      add("tools.schema-valid", at, `Invalid schema for function '${name}': ${wrong}`, { code: "invalid_function_parameters" });
    for (const [where, inner] of schemas(schema)) inside(judged, name, `${at}${where}`, inner);
    if (has("gemini-tools")) {
      const key = [...schemas(schema)]
        .flatMap(([, inner]) => Object.keys(inner.properties ?? {}))
        .find((key) => !/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(key));
      if (key !== undefined) add("tools.gemini-key", at, `Invalid parameter name of '${name}': ${JSON.stringify(key)}`);
    }
    if (has("anthropic-tools")) {
      const key = Object.keys(schema.properties ?? {}).find((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key));
      if (key !== undefined) {
        add(
          "tools.property-key",
          at,
          `tools: input_schema: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$' (${JSON.stringify(key)})`,
        );
      }
    }
  }
}

function inside({ host, add }: Judged, name: string, at: string, schema: Body): void {
  const has = (rule: string) => host.rules.includes(rule);
  const isList = schema.type === "array" || (Array.isArray(schema.type) && schema.type.includes("array"));
  if (
    isList &&
    (has("openai-tools") || has("gemini-openai-tools")) &&
    !(schema.items && typeof schema.items === "object" && !Array.isArray(schema.items))
  ) {
    add("tools.array-items", at, `Invalid schema for function '${name}': array schema missing items.`, {
      code: "invalid_function_parameters",
    });
  }
  if (has("gemini-tools") && "$ref" in schema) {
    const beside = Object.keys(schema).find((key) => !key.startsWith("$"));
    if (beside) add("tools.gemini-ref", at, `Invalid JSON schema of '${name}': "${beside}" stands beside a $ref.`);
  }
  if (has("gemini-openai-tools")) {
    const word = compatibleRefuses.find((key) => key in schema);
    if (word)
      add(
        "tools.compatible-word",
        at,
        `Invalid JSON payload received. Unknown name "${word}" at 'tools' (${name}): Cannot find field.`,
      );
    if (schema.type === "object" && at.includes("/properties/") && !Object.keys(schema.properties ?? {}).length) {
      add("tools.compatible-object", at, `${name}: properties: should be non-empty for OBJECT type`);
    }
  }
}

const known = new Map<string, string | undefined>();

/** Why a schema is none, by the meta schema of its draft, with references that lead somewhere. */
function validity(schema: Body): string | undefined {
  const text = JSON.stringify(schema);
  if (known.has(text)) return known.get(text);
  const wrong = validityOf(schema);
  known.set(text, wrong);
  return wrong;
}

function validityOf(schema: Body): string | undefined {
  if (!ajv.validateSchema(schema)) return ajv.errorsText(ajv.errors);
  for (const [, { $ref }] of schemas(schema)) {
    if (typeof $ref !== "string") continue;
    if (!$ref.startsWith("#")) return `reference ${$ref} leads out of the schema`;
    const steps = $ref.slice(1).split("/").slice(1);
    const anchors = [...schemas(schema)].some(([, { $anchor }]) => $anchor === $ref.slice(1));
    const found = steps.reduce(
      (value, step) => value?.[decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")],
      schema,
    );
    if (found === undefined || ($ref.length > 1 && !$ref.startsWith("#/") && !anchors)) return `reference ${$ref} leads nowhere`;
  }
  return undefined;
}
