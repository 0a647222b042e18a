// Values of JavaScript as JSON text: what JSON cannot hold is named by its place, instead of vanishing or throwing deep inside.
import { GloveError } from "../error.js";

/**
 * The JSON text of a value. `undefined` is null, a Date its ISO text, a Map an object (or pairs), a Set an array.
 * Throws `NOT_SERIALISABLE` with the path of a BigInt, function, symbol, bytes or cycle, and of an object that shows nothing of what it
 * holds: a promise, a Response, a File, a generator.
 */
export function toJson(value: unknown, what: string): string {
  return JSON.stringify(toPlain(value, what)) ?? "null";
}

/** The same as a value that JSON holds as it is. */
export function toPlain<T>(value: T, what: string): T {
  try {
    return plain(value, what, new Set(), throwIt) as T;
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
    return JSON.stringify(plain(value, "", new Set(), leaveOut)) ?? "null";
  } catch {
    // A getter that throws.
    return "null";
  }
}

/** The same plain data, shared with nobody. */
export function copy<T>(value: T): T {
  return JSON.parse(toJson(value, "The value")) as T;
}

/** What becomes of a part that JSON cannot hold. */
type Refuse = (path: string, what: string, instead: string, part: unknown) => unknown;

function plain(value: unknown, path: string, above: Set<object>, refuse: Refuse): unknown {
  const type = typeof value;
  if (type === "bigint") return refuse(path, "a BigInt", "Convert it to a string.", value);
  if (type === "function" || type === "symbol") return refuse(path, `a ${type}`, "Use plain data.", value);
  if (typeof value !== "object" || value === null) return value;
  if (above.has(value)) return refuse(path, "a circular reference", "Return data without cycles.", value);
  above.add(value);
  const copy = parts(value, path, above, refuse);
  above.delete(value);
  return copy;
}

function parts(value: object, path: string, above: Set<object>, refuse: Refuse): unknown {
  const list = (all: Iterable<unknown>) => Array.from(all, (part, at) => plain(part, `${path}[${at}]`, above, refuse) ?? null);
  const named = (all: readonly (readonly [unknown, unknown])[]) =>
    Object.fromEntries(all.map(([key, part]) => [key, plain(part, `${path}.${key}`, above, refuse)]));
  if (Array.isArray(value) || value instanceof Set) return list(value);
  if (value instanceof Map) {
    const entries = [...value];
    return entries.every(([key]) => typeof key === "string" || typeof key === "number") ? named(entries) : list(entries);
  }
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof RegExp) return String(value);
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return refuse(path, "bytes", "Use base64 text or a URL.", value);
  // Dates have it too.
  if ("toJSON" in value && typeof value.toJSON === "function") return plain(value.toJSON(), path, above, refuse);
  const entries = Object.entries(value);
  const kind = Object.getPrototypeOf(value);
  // An object of a class that shows nothing of what it holds. Each frame has a prototype of plain objects of its own.
  if (entries.length === 0 && kind && Object.getPrototypeOf(kind)) {
    const tag = Object.prototype.toString.call(value).slice(8, -1);
    const name: string = tag === "Object" ? kind.constructor?.name || "class" : tag;
    return refuse(path, `a ${name}`, instead[name] ?? "Use plain data, or an object with `toJSON`.", value);
  }
  return named(entries);
}

const instead: Readonly<Record<string, string>> = {
  Promise: "Await it first.",
  Response: "Use its content: `await response.json()`.",
  Blob: "Use its text, or a URL.",
  File: "Use its text, or a URL.",
  Generator: "Use an array: `[...values]`.",
};

const throwIt: Refuse = (path, what, instead) => {
  throw new GloveError("NOT_SERIALISABLE", `${path} is ${what}, which JSON cannot hold. ${instead}`);
};

const leaveOut: Refuse = (_path, _what, _instead, part) => (typeof part === "bigint" ? String(part) : undefined);
