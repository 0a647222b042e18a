// Values that are the same: copies that share nothing with what they are made of, and values as JSON holds them.

import type { Maybe } from "../timing/sync-or-promise.js";
import { toLooseJson } from "./json.js";

/** A copy of plain data, dates, maps, sets and typed arrays. Throws where there is anything else in it. */
export function copyOf<T>(value: T): T {
  return copied(value, new Map()) as T;
}

/** A copy in which what cannot be copied (a function, a File, an object of a class) is the same as in the value. */
export function looseCopy<T>(value: T): T {
  try {
    return copied(value, new Map(), (part) => part) as T;
  } catch {
    // A getter that throws.
    return value;
  }
}

/** A copy, or the value made `again` where only that can make one. Rejects when neither is independent of the value. */
export async function independentCopy(value: unknown, again: () => Maybe<unknown>): Promise<unknown> {
  try {
    return copyOf(value);
  } catch (uncopied) {
    const other = await again();
    const own = parts(value);
    // What cannot be told apart from the value has to be another one in all its parts.
    if (toLooseJson(other) === toLooseJson(value) && ![...parts(other)].some((part) => own.has(part))) return other;
    throw uncopied;
  }
}

/** Whether a value is just what this JSON holds: no date, no class, nothing that is `undefined`. Keys may stand in another order. */
export function isJson(value: unknown, json: unknown): boolean {
  if (typeof json !== "object" || json === null) return Object.is(value, json);
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(json)) return false;
  if (Array.isArray(json))
    return json.length === (value as unknown[]).length && json.every((part, at) => isJson((value as unknown[])[at], part));
  const kind = Object.getPrototypeOf(value);
  // Each frame has a prototype of plain objects of its own.
  if (kind && Object.getPrototypeOf(kind)) return false;
  const parts = Object.entries(json);
  return (
    Reflect.ownKeys(value).length === parts.length &&
    parts.every(([key, part]) => Object.hasOwn(value, key) && isJson((value as Record<string, unknown>)[key], part))
  );
}

function copied(value: unknown, made: Map<object, unknown>, instead: (part: object) => object = refuse): unknown {
  if (!isObject(value)) return value;
  if (made.has(value)) return made.get(value);
  const [copy, fill] = emptyCopy(value) ?? [instead(value)];
  made.set(value, copy);
  fill?.((part) => copied(part, made, instead));
  return copy;
}

type Fill = (copy: (part: unknown) => unknown) => void;

/** An empty copy, and what fills it: values may be part of themselves. Nothing for what cannot be copied. */
function emptyCopy(value: object): readonly [copy: object, fill?: Fill] | undefined {
  const kind = Object.getPrototypeOf(value);
  if (Array.isArray(value) && kind === Array.prototype) {
    const list: unknown[] = [];
    return [list, (copy) => fillKeys(value, list, copy)];
  }
  // Each frame has a prototype of plain objects of its own.
  if (typeof value === "object" && (!kind || (!Object.getPrototypeOf(kind) && Object.hasOwn(kind, "isPrototypeOf")))) {
    const object: object = Object.create(kind);
    return [object, (copy) => fillKeys(value, object, copy)];
  }
  // What was added to one of these would be lost.
  if (Reflect.ownKeys(value).length === 0 || ArrayBuffer.isView(value)) {
    if (kind === Date.prototype) return [new Date(Number(value))];
    if (kind === Set.prototype) {
      const set = new Set();
      const fill: Fill = (copy) => {
        for (const part of value as Set<unknown>) set.add(copy(part));
      };
      return [set, fill];
    }
    if (kind === Map.prototype) {
      const map = new Map();
      const fill: Fill = (copy) => {
        for (const [key, part] of value as Map<unknown, unknown>) map.set(copy(key), copy(part));
      };
      return [map, fill];
    }
    if (value instanceof Uint8Array && kind === Uint8Array.prototype) return [value.slice()];
  }
  return undefined;
}

function refuse(value: object): never {
  const kind = Object.getPrototypeOf(value);
  const name: string = typeof value === "function" ? "function" : kind.constructor?.name || "class";
  throw new TypeError(
    `the arguments contain a ${name}, which cannot be copied, so the rule could change what runs. Make the schema return plain data.`,
  );
}

function fillKeys(from: object, to: object, copy: (part: unknown) => unknown): void {
  for (const key of Reflect.ownKeys(from)) {
    const enumerable = Object.prototype.propertyIsEnumerable.call(from, key);
    const value = copy((from as Record<PropertyKey, unknown>)[key]);
    Object.defineProperty(to, key, { value, enumerable, writable: true, ...(key !== "length" && { configurable: true }) });
  }
}

/** Every object that can be reached from a value. */
function parts(value: unknown): Set<object> {
  const all = new Set<object>();
  const next = [value];
  while (next.length) {
    const part = next.pop();
    if (!isObject(part) || all.has(part)) continue;
    all.add(part);
    for (const key of Reflect.ownKeys(part)) next.push((part as Record<PropertyKey, unknown>)[key]);
    if (part instanceof Map) next.push(...part.keys(), ...part.values());
    if (part instanceof Set) next.push(...part);
    if (ArrayBuffer.isView(part)) next.push(part.buffer);
  }
  return all;
}

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";
