// What of a JSON Schema a form of the protocol can have: fields that hold one value, or some of a list.

/** The fields that a form can have; nothing where it cannot have one that is needed, or has none. */
export function formSchemaOf(
  schema: unknown,
): { type: "object"; properties: Record<string, object>; required: string[] } | undefined {
  const { properties, required } = Object(schema) as { readonly properties?: object; readonly required?: unknown };
  const needed = (Array.isArray(required) ? required : []).map(String);
  const all = Object.entries(Object(properties) as Record<string, object>);
  const fields = all.filter(([, field]) => isPlain(field));
  const isWhole = needed.every((name) => fields.some(([own]) => own === name));
  return isWhole && fields.length > 0 ? { type: "object", properties: Object.fromEntries(fields), required: needed } : undefined;
}

function isPlain(field: unknown): boolean {
  const { type, items } = Object(field) as { readonly type?: unknown; readonly items?: unknown };
  if (type === "array") return Array.isArray(Object(items).enum) || Array.isArray(Object(items).anyOf);
  return typeof type === "string" && /^(string|number|integer|boolean)$/.test(type);
}
