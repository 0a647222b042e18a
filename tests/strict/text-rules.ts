// What holds for the text of every body: it is JSON, each key stands once, and every string is text.
import type { Body } from "./types.js";

/** The path of a string or key with half a character in it. */
export function brokenString(value: Body, at = ""): string | undefined {
  if (typeof value === "string") return isWhole(value) ? undefined : at;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const broken = brokenString(item, `${at}/${index}`);
      if (broken !== undefined) return broken;
    }
  } else if (value && typeof value === "object") {
    for (const [key, item] of Object.entries(value)) {
      const broken = isWhole(key) ? brokenString(item, `${at}/${key}`) : `${at}/${key}`;
      if (broken !== undefined) return broken;
    }
  }
  return undefined;
}

/** Pairs are one character to a pattern with `u`, so what it finds is half of one. */
function isWhole(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** A key that one object has twice. The text is known to be JSON. */
export function repeatedKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let key = true;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    if (token === "{") {
      open.push(new Set());
      key = true;
    } else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ",") key = true;
    else if (token === ":") key = false;
    else {
      const keys = open.at(-1);
      if (!keys || !key) continue;
      const name = JSON.parse(token) as string;
      if (keys.has(name)) return name;
      keys.add(name);
    }
  }
  return undefined;
}
