// Values of JavaScript as JSON text: what JSON cannot hold is named by its place, instead of vanishing or throwing deep inside.
import { GloveError } from "./error.js";

/**
 * The JSON text of a value. `undefined` is null, a Date its ISO text, a Map an object (or pairs), a Set an array.
 * Throws `NOT_SERIALISABLE` with the path of a BigInt, function, symbol, promise, bytes or cycle.
 */
export function toJson(value: unknown, what: string): string {
  try {
    return JSON.stringify(plain(value, what, new Set())) ?? "null";
  } catch (error) {
    if (error instanceof GloveError) throw error;
    throw new GloveError("NOT_SERIALISABLE", `${what} cannot be JSON: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

/** The JSON of what can be JSON; the rest is left out. For what is also kept as it is. */
export function toLooseJson(value: unknown): string {
  try {
    return toJson(value, "value");
  } catch {
    // With the parts that cannot cross left out; a cycle leaves nothing.
  }
  try {
    return JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part)) ?? "null";
  } catch {
    return "null";
  }
}

function plain(value: unknown, path: string, above: Set<object>): unknown {
  switch (typeof value) {
    case "bigint":
      return refuse(path, "a BigInt", "Return it as a string.");
    case "function":
      return refuse(path, "a function", "Return plain data.");
    case "symbol":
      return refuse(path, "a symbol", "Return plain data.");
    case "object":
      return value === null ? null : inside(value, path, above);
    default:
      return value;
  }
}

function inside(value: object, path: string, above: Set<object>): unknown {
  if (above.has(value)) return refuse(path, "a reference to something that it is part of", "Return data without cycles.");
  above.add(value);
  const copy = parts(value, path, above);
  above.delete(value);
  return copy;
}

function parts(value: object, path: string, above: Set<object>): unknown {
  if (Array.isArray(value)) return value.map((part, at) => plain(part, `${path}[${at}]`, above) ?? null);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Map) return ofMap(value, path, above);
  if (value instanceof Set) return [...value].map((part, at) => plain(part, `${path}[${at}]`, above) ?? null);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return refuse(path, "a promise", "Await it first.");
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return refuse(path, "bytes", "Return them as base64 text or a URL.");
  if ("toJSON" in value && typeof value.toJSON === "function") return plain(value.toJSON(), path, above);
  const copy: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) define(copy, key, plain(part, `${path}.${key}`, above));
  return copy;
}

function ofMap(map: ReadonlyMap<unknown, unknown>, path: string, above: Set<object>): unknown {
  const entries = [...map];
  if (!entries.every(([key]) => typeof key === "string" || typeof key === "number")) {
    return entries.map((pair, at) => plain(pair, `${path}[${at}]`, above));
  }
  const copy: Record<string, unknown> = {};
  for (const [key, part] of entries) define(copy, String(key), plain(part, `${path}.${key}`, above));
  return copy;
}

// An assignment to `__proto__` would not make a property.
function define(copy: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
  else copy[key] = value;
}

function refuse(path: string, what: string, instead: string): never {
  throw new GloveError("NOT_SERIALISABLE", `${path} is ${what}, which JSON cannot hold. ${instead}`);
}
