// JSON Schema of zod schemas that cannot tell it themselves: zod 3, and zod 4 before 4.2. What has no JSON form is left open.
import type { JsonSchema } from "./types.js";

/** Both majors keep a schema's parts in a definition, under slightly different names. */
interface Definition {
  readonly type?: unknown;
  readonly typeName?: string;
  readonly [part: string]: unknown;
}

export function ofZod(schema: unknown): JsonSchema {
  const def = definition(schema);
  const made = convert(def);
  const description = (schema as { description?: unknown }).description;
  return typeof description === "string" ? { ...made, description } : made;
}

function definition(schema: unknown): Definition {
  const given = schema as { _zod?: { def?: Definition }; _def?: Definition } | null | undefined;
  return given?._zod?.def ?? given?._def ?? {};
}

// `ZodObject` in zod 3, `object` in zod 4.
function kindOf(def: Definition): string {
  return (def.typeName?.replace(/^Zod/, "") ?? String(def.type)).toLowerCase();
}

function convert(def: Definition): JsonSchema {
  switch (kindOf(def)) {
    case "string":
    case "template_literal":
      return { type: "string", ...limits(def, "minLength", "maxLength") };
    case "number":
    case "int":
      return { type: isInteger(def) ? "integer" : "number", ...limits(def, "minimum", "maximum") };
    case "boolean":
      return { type: "boolean" };
    case "null":
      return { type: "null" };
    case "literal":
      return literal(Array.isArray(def.values) ? def.values : [def.value]);
    case "enum":
    case "nativeenum":
      return literal(enumValues(def));
    case "object":
      return object(def);
    case "array":
    case "set":
      return { type: "array", items: ofZod(def.element ?? def.valueType ?? def.type), ...limits(def, "minItems", "maxItems") };
    case "tuple":
      return tuple(def);
    case "record":
      return { type: "object", additionalProperties: ofZod(def.valueType) };
    case "union":
    case "discriminatedunion":
      return { anyOf: each(def.options).map(ofZod) };
    case "intersection":
      return { allOf: [ofZod(def.left), ofZod(def.right)] };
    case "nullable":
      return { anyOf: [ofZod(def.innerType), { type: "null" }] };
    case "default":
    case "prefault":
      return { ...ofZod(def.innerType), ...defaulted(def) };
    case "lazy":
      return {};
    case "effects":
      return ofZod(def.schema);
    case "pipe":
    case "pipeline":
      return ofZod(def.in);
    case "optional":
    case "nonoptional":
    case "catch":
    case "readonly":
    case "branded":
      return ofZod(def.innerType ?? def.type);
    default:
      return {};
  }
}

function object(def: Definition): JsonSchema {
  const shape = (typeof def.shape === "function" ? def.shape() : def.shape) as Record<string, unknown>;
  const properties = Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, ofZod(schema)]));
  const required = Object.keys(shape).filter((key) => !mayBeMissing(shape[key]));
  return { type: "object", properties, ...(required.length ? { required } : {}) };
}

function mayBeMissing(schema: unknown): boolean {
  const def = definition(schema);
  switch (kindOf(def)) {
    case "optional":
    case "default":
    case "prefault":
    case "catch":
      return true;
    case "nullable":
    case "readonly":
    case "branded":
      return mayBeMissing(def.innerType ?? def.type);
    case "effects":
      return mayBeMissing(def.schema);
    case "pipe":
    case "pipeline":
      return mayBeMissing(def.in);
    default:
      return false;
  }
}

function tuple(def: Definition): JsonSchema {
  const prefixItems = each(def.items).map(ofZod);
  return { type: "array", prefixItems, minItems: prefixItems.length, items: def.rest ? ofZod(def.rest) : false };
}

function literal(values: readonly unknown[]): JsonSchema {
  return values.length === 1 ? { const: values[0] } : { enum: values };
}

function enumValues(def: Definition): unknown[] {
  if (Array.isArray(def.values)) return def.values;
  const entries = (def.entries ?? def.values ?? {}) as Record<string, unknown>;
  // A numeric TypeScript enum has its values as keys too.
  return Object.entries(entries).flatMap(([key, value]) =>
    typeof entries[String(value)] === "number" && key !== value ? [] : [value],
  );
}

function defaulted(def: Definition): JsonSchema {
  const value: unknown = typeof def.defaultValue === "function" ? def.defaultValue() : def.defaultValue;
  return value === undefined ? {} : { default: value };
}

/** The checks on a schema: `{kind, value}` in zod 3, `{_zod: {def: {check, …}}}` in zod 4. */
function limits(def: Definition, least: string, most: string): JsonSchema {
  const found: Record<string, unknown> = {};
  for (const check of each(def.checks)) {
    const { kind, check: name, value, minimum, maximum } = { ...(check as Definition), ...definition(check) } as Definition;
    if (kind === "min" || name === "greater_than") found[least] = value;
    if (kind === "max" || name === "less_than") found[most] = value;
    if (name === "min_length") found[least] = minimum;
    if (name === "max_length") found[most] = maximum;
  }
  return found;
}

function isInteger(def: Definition): boolean {
  return each(def.checks).some((check) => {
    const { kind, format } = { ...(check as Definition), ...definition(check) } as Definition;
    return kind === "int" || String(format).endsWith("int") || String(format).startsWith("int");
  });
}

function each(list: unknown): unknown[] {
  return list instanceof Map ? [...list.values()] : Array.isArray(list) ? list : [];
}
