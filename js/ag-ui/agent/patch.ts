// A JSON Patch (RFC 6902) on the state of an agent. What it was stays as it is.

/** Gives the patched value, or throws a sentence. No more than so many letters of JSON are copied in it: copies of copies have no end. */
export function patched(before: unknown, operations: readonly unknown[], mostCopied: number): unknown {
  if (operations.length > maxOperations) throw new Error(`a patch has more than ${maxOperations} operations`);
  let value = structuredClone(before);
  let copied = 0;
  for (const operation of operations) {
    const { op, from } = Object(operation) as Record<"op" | "from", unknown>;
    if (op === "copy") copied += JSON.stringify(read(value, tokensOf(from)) ?? null).length;
    if (copied > mostCopied) throw new Error(`a patch copies more than ${mostCopied} letters`);
    value = applied(value, operation);
  }
  return value;
}

const maxOperations = 10_000;

function applied(value: unknown, operation: unknown): unknown {
  const { op, path, from, value: given } = Object(operation) as Record<"op" | "path" | "from" | "value", unknown>;
  const to = tokensOf(path);
  switch (op) {
    case "add":
      return set(value, to, given, true);
    case "replace":
      read(value, to);
      return set(value, to, given, false);
    case "remove":
      return removed(value, to);
    case "copy":
      return set(value, to, structuredClone(read(value, tokensOf(from))), true);
    case "move": {
      const moved = read(value, tokensOf(from));
      if (String(path).startsWith(`${String(from)}/`)) throw new Error("a value is moved into itself");
      return set(removed(value, tokensOf(from)), to, moved, true);
    }
    case "test":
      if (canonical(read(value, to)) !== canonical(given)) throw new Error(`${String(path)} is not what the patch expects`);
      return value;
    default:
      throw new Error(`there is no operation ${JSON.stringify(op)}`);
  }
}

function tokensOf(pointer: unknown): string[] {
  if (pointer === "") return [];
  if (typeof pointer !== "string" || !pointer.startsWith("/") || /~[^01]|~$/.test(pointer))
    throw new Error("a path is no JSON Pointer");
  const tokens = pointer.slice(1).split("/");
  return tokens.map((token) => token.replace(/~1/g, "/").replace(/~0/g, "~"));
}

function missing(token: string): never {
  throw new Error(`the state has nothing at ${JSON.stringify(token)}`);
}

/** The place of an element; `end` allows the one behind the last. */
function indexOf(list: readonly unknown[], token: string, end: number): number {
  if (!/^(0|[1-9]\d{0,8})$/.test(token) || Number(token) >= list.length + end) missing(token);
  return Number(token);
}

function child(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return value[indexOf(value, token, 0)];
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, token)) missing(token);
  return (value as Record<string, unknown>)[token];
}

const read = (value: unknown, tokens: readonly string[]): unknown => tokens.reduce(child, value);

function set(value: unknown, tokens: readonly string[], given: unknown, inserts: boolean): unknown {
  const last = tokens.at(-1);
  if (last === undefined) return given;
  const holder = read(value, tokens.slice(0, -1));
  if (Array.isArray(holder)) {
    if (!inserts) holder[indexOf(holder, last, 0)] = given;
    else holder.splice(last === "-" ? holder.length : indexOf(holder, last, 1), 0, given);
  } else if (typeof holder === "object" && holder !== null) {
    // Also for a key like `__proto__`.
    Object.defineProperty(holder, last, { value: given, writable: true, enumerable: true, configurable: true });
  } else missing(last);
  return value;
}

function removed(value: unknown, tokens: readonly string[]): unknown {
  const last = tokens.at(-1);
  if (last === undefined) return null;
  const holder = read(value, tokens.slice(0, -1));
  child(holder, last);
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete (holder as Record<string, unknown>)[last];
  return value;
}

/** Whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
