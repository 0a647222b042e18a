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
  const type = typeof value;
  if (type === "bigint") return refuse(path, "a BigInt", "Return it as a string.");
  if (type === "function" || type === "symbol") return refuse(path, `a ${type}`, "Return plain data.");
  if (typeof value !== "object" || value === null) return value;
  if (above.has(value)) return refuse(path, "a reference to something that it is part of", "Return data without cycles.");
  above.add(value);
  const copy = parts(value, path, above);
  above.delete(value);
  return copy;
}

function parts(value: object, path: string, above: Set<object>): unknown {
  const list = (all: Iterable<unknown>) => Array.from(all, (part, at) => plain(part, `${path}[${at}]`, above) ?? null);
  const named = (all: readonly (readonly [unknown, unknown])[]) =>
    Object.fromEntries(all.map(([key, part]) => [key, plain(part, `${path}.${key}`, above)]));
  if (Array.isArray(value) || value instanceof Set) return list(value);
  if (value instanceof Map) {
    const entries = [...value];
    return entries.every(([key]) => typeof key === "string" || typeof key === "number") ? named(entries) : list(entries);
  }
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return refuse(path, "a promise", "Await it first.");
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return refuse(path, "bytes", "Return them as base64 text or a URL.");
  // Dates have it too.
  if ("toJSON" in value && typeof value.toJSON === "function") return plain(value.toJSON(), path, above);
  return named(Object.entries(value));
}

function refuse(path: string, what: string, instead: string): never {
  throw new GloveError("NOT_SERIALISABLE", `${path} is ${what}, which JSON cannot hold. ${instead}`);
}
