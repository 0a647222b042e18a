// Values of JavaScript as JSON text: what JSON cannot hold is named by its place, instead of vanishing or throwing deep inside.
import { GloveError } from "./error.js";
import { isEvent } from "./events.js";

/**
 * The JSON text of a value. `undefined` is null, a Date its ISO text, a Map an object (or pairs), a Set an array.
 * Throws `NOT_SERIALISABLE` with the path of a BigInt, function, symbol, bytes or cycle, of an object that shows nothing of what it
 * holds (a promise, a Response, a File, a generator, an element of the page, an event), and of what makes it larger than `most`.
 */
export function toJson(value: unknown, what: string, most: Most = maxOfAll): string {
  return written(toPlain(value, what, most), what);
}

/** The same as a value that JSON holds as it is. What stood in it twice may be the same object. */
export function toPlain<T>(value: T, what: string, most: Most = maxOfAll): T {
  return describeFailure(what, () => {
    const walk = new Walk(throwIt, most, most.levels);
    const plain = walk.plain(value, what) as T;
    if (walk.cut) throw tooDeep(what, most);
    return plain;
  });
}

/** The same of something that is shown, without its cycles. */
export function withoutCycles<T>(value: T, what: string): T {
  return describeFailure(what, () => {
    const walk = new Walk(leaveOutCycles, maxKept);
    const plain = walk.plain(value, what);
    // The way around a cycle may be as long as there are parts.
    return (walk.cut ? new Walk(leaveOutCycles, maxKept, deepest).plain(value, what) : plain) as T;
  });
}

/** JSON of the serialisable parts of a value; other parts and cycles are left out. For values that are also kept as they are. */
export function toLooseJson(value: unknown): string {
  return looseJson(value);
}

/** The same of what is shown: it is a part of something that the core reads. */
export function shownJson(value: unknown): string {
  return looseJson(value, deepest);
}

function looseJson(value: unknown, levels?: number): string {
  try {
    return JSON.stringify(new Walk(leaveOut, maxOfAll, levels).plain(value, "")) ?? "null";
  } catch {
    // A getter that throws.
    return "null";
  }
}

/** The same of an answer, which is refused when it has cycles or is larger than what is kept. */
export function answerJson(value: unknown): string {
  try {
    return JSON.stringify(new Walk(leaveOutOfAnswer, maxKept).plain(value, "The answer")) ?? "null";
  } catch (error) {
    if (error instanceof GloveError) throw error;
    return "null";
  }
}

/** The same plain data, shared with nobody. */
export function copy<T>(value: T): T {
  return JSON.parse(toJson(value, "The value")) as T;
}

/** How large a value may be, with what stands in it more than once counted as often. */
export interface Most {
  readonly parts: number;
  /** Of its texts and names. */
  readonly letters: number;
  /** Within each other. */
  readonly levels?: number;
  /** Of what is larger, where it is another error. */
  readonly code?: string;
}

/** Of one result or answer, and of one thing that is shown. */
export const maxKept: Most = { parts: 1_000_000, letters: 64 * 1024 * 1024 };
/** So many levels may be in what becomes a part of JSON: the core reads 127. */
export const deepest = 120;
/** A graph without cycles may have more paths than there is memory. */
const maxOfAll: Most = { parts: 20_000_000, letters: Number.POSITIVE_INFINITY };
/** What cycles were cut out of is walked again where it stands again, as long as there are no more parts: from there, others are cut. */
const maxAgain = 10_000;

/** What becomes of a part that JSON cannot hold. */
type Refuse = (path: string, what: string, instead: string, part: unknown) => unknown;

/** A part that has been copied: it is the same wherever it stands, and is walked once. */
interface Copied extends Most {
  readonly copy: unknown;
  /** How often something was left out of it that is not left out everywhere. */
  readonly cut: number;
  /** How many levels it has. */
  readonly height: number;
}

/** One way through a value. */
class Walk {
  readonly #refuse: Refuse;
  readonly #most: Most;
  /** How many levels there may still be. */
  #levels: number;
  /** The least that there were since the part began that is being copied. */
  #least = 0;
  /** Nothing for those that are being copied. */
  readonly #copies = new Map<object, Copied | undefined>();
  #parts = 0;
  #letters = 0;
  /** How often something was left out because it stands above, or too deep. */
  cut = 0;

  constructor(refuse: Refuse, most: Most, levels = 1_000_000_000) {
    this.#refuse = refuse;
    this.#most = most;
    this.#levels = levels;
  }

  plain(value: unknown, path: string): unknown {
    const type = typeof value;
    if (type === "bigint") return this.#refuse(path, "a BigInt", "Convert it to a string.", value);
    if (type === "function" || type === "symbol") return this.#refuse(path, `a ${type}`, "Use plain data.", value);
    this.#count(path, 1, type === "string" ? (value as string).length : 0);
    if (typeof value !== "object" || value === null) return value;
    const before = this.#copies.get(value);
    if (!this.#levels) {
      this.cut++;
      return undefined;
    }
    if (!before && this.#copies.has(value)) {
      this.cut++;
      return this.#refuse(path, circle, "Return data without cycles.", value);
    }
    if (before && !(before.cut && this.#parts < maxAgain)) return this.#again(before, path);
    this.#copies.set(value, undefined);
    const [parts, letters, cut] = [this.#parts, this.#letters, this.cut];
    const least = this.#least;
    this.#least = --this.#levels;
    const copy = this.#within(value, path);
    this.#levels++;
    this.#copies.set(value, {
      copy,
      parts: this.#parts - parts,
      letters: this.#letters - letters,
      cut: this.cut - cut,
      height: this.#levels - this.#least,
    });
    this.#least = Math.min(least, this.#least);
    return copy;
  }

  /** Not walked again: there may be more paths to it than anybody could count. */
  #again({ copy, parts, letters, cut, height }: Copied, path: string): unknown {
    const isTooMuch = this.#parts + parts > maxKept.parts || this.#letters + letters > maxKept.letters;
    if (cut || height > this.#levels || (isTooMuch && this.#refuse === leaveOut)) {
      this.cut++;
      return undefined;
    }
    this.#least = Math.min(this.#least, this.#levels - height);
    this.#count(path, parts, letters);
    return copy;
  }

  #count(path: string, parts: number, letters: number): void {
    this.#parts += parts;
    this.#letters += letters;
    if (this.#parts > this.#most.parts || this.#letters > this.#most.letters) throw tooLarge(path, this.#most);
  }

  #within(value: object, path: string): unknown {
    const list = (all: Iterable<unknown>) => Array.from(all, (part, at) => this.plain(part, `${path}[${at}]`) ?? null);
    const named = (all: readonly (readonly [unknown, unknown])[]) =>
      Object.fromEntries(all.map(([key, part]) => [key, this.#named(key, part, path)]));
    if (Array.isArray(value) || value instanceof Set) return list(value);
    if (value instanceof Map) {
      const entries = [...value];
      return entries.every(([key]) => typeof key === "string" || typeof key === "number") ? named(entries) : list(entries);
    }
    if (value instanceof Error) return { name: value.name, message: value.message };
    if (value instanceof RegExp) return String(value);
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
      return this.#refuse(path, "bytes", "Use base64 text or a URL.", value);
    // Dates have it too.
    if ("toJSON" in value && typeof value.toJSON === "function") return this.plain(value.toJSON(), path);
    // They lead to all that a page holds.
    if (isEvent(value)) return this.#refuse(path, "an event", "Use its parts.", value);
    const kind = Object.getPrototypeOf(value);
    // Each frame has a prototype of plain objects of its own.
    const isMade = kind && Object.getPrototypeOf(kind);
    const entries = isMade && isOfPage(value) ? [] : Object.entries(value);
    // An object of a class that shows nothing of what it holds.
    if (entries.length === 0 && isMade) {
      const tag = Object.prototype.toString.call(value).slice(8, -1);
      const name: string = tag === "Object" ? kind.constructor?.name || "class" : tag;
      return this.#refuse(path, `a ${name}`, instead[name] ?? "Use plain data, or an object with `toJSON`.", value);
    }
    return named(entries);
  }

  #named(key: unknown, part: unknown, path: string): unknown {
    const name = String(key);
    this.#letters += name.length;
    return this.plain(part, `${path}.${name}`);
  }
}

/** A node of a document, or a window: what a library has written onto it is nobody's data. */
const isOfPage = (value: object) => "addEventListener" in value && ("nodeType" in value || "navigator" in value);

const circle = "a circular reference";

/** The way to a part may be as long as a value is deep. */
const place = (path: string) => (path.length > 200 ? `${path.slice(0, 100)}…${path.slice(-100)}` : path);

const tooDeep = (what: string, { levels }: Most) =>
  new GloveError("NOT_SERIALISABLE", `${what} has more than ${levels} levels within each other. Pass a flatter value.`);

function tooLarge(path: string, { parts, letters, code = "NOT_SERIALISABLE" }: Most): GloveError {
  const size = Number.isFinite(letters) ? `${parts} parts or ${letters} letters` : `${parts} parts`;
  return new GloveError(
    code,
    `At ${place(path)} the value has more than ${size} (a part that is used twice counts twice). Pass less, or a URL to the rest.`,
  );
}

function describeFailure<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof GloveError) throw error;
    throw new GloveError("NOT_SERIALISABLE", `${what} cannot be JSON: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

/** A text may be too long for the engine. */
const written = (plain: unknown, what: string): string => describeFailure(what, () => JSON.stringify(plain) ?? "null");

const instead: Readonly<Record<string, string>> = {
  Promise: "Await it first.",
  Response: "Use its content: `await response.json()`.",
  Blob: "Use its text, or a URL.",
  File: "Use its text, or a URL.",
  Generator: "Use an array: `[...values]`.",
};

const throwIt: Refuse = (path, what, instead) => {
  throw new GloveError("NOT_SERIALISABLE", `${place(path)} is ${what}, which JSON cannot hold. ${instead}`);
};

const leaveOut: Refuse = (_path, _what, _instead, part) => (typeof part === "bigint" ? String(part) : undefined);

const leaveOutOfAnswer: Refuse = (path, what, ...rest) => (what === circle ? throwIt : leaveOut)(path, what, ...rest);
const leaveOutCycles: Refuse = (path, what, ...rest) => (what === circle ? leaveOut : throwIt)(path, what, ...rest);
