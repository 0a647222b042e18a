// JSON text taken apart without reading its values, so that numbers, key order and unknown fields stay as they are.

/** The members of an object as they are written. The text has to be JSON. What stands behind the last that is wanted is not read. */
export function membersOf(text: string, wanted: readonly string[] = []): Map<string, string> {
  const members = new Map<string, string>();
  let [depth, start, key] = [0, 0, ""];
  const close = (at: number) => {
    const member = text.slice(start, at).trim();
    if (member) members.set(key, member);
    start = at + 1;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") {
      if (++depth === 1) start = at + 1;
    } else if (character === "}" || character === "]") {
      if (--depth === 0) close(at);
    } else if (depth !== 1) continue;
    else if (character === ",") {
      close(at);
      if (wanted.length > 0 && wanted.every((name) => members.has(name))) break;
    } else if (character === ":") {
      key = nameOf(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return members;
}

function nameOf(written: string): string {
  return written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1);
}

/** The elements of an array as they are written, from its first to the end of it or of the text, which may be cut off. */
export function elementsOf(text: string): string[] {
  const elements: string[] = [];
  let [depth, start, at] = [0, 0, 0];
  const close = () => {
    const element = text.slice(start, at).trim();
    if (element) elements.push(element);
    start = at + 1;
  };
  for (; at < text.length && depth >= 0; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (character === "," && depth === 0) close();
  }
  if (depth < 0) at--;
  close();
  return elements;
}

/** What stands between the brackets of an array. */
export function arrayBody(array: string | undefined): string {
  return array === undefined ? "" : array.slice(1, -1).trim();
}

/** An array of texts that were inside of arrays. */
export function arrayOf(insides: readonly string[]): string {
  return `[${insides.filter(Boolean).join(",")}]`;
}

/** Where the quote is that ends the string which begins at `from`. */
export function endOfString(text: string, from: number): number {
  let end = from;
  do {
    end = text.indexOf('"', end + 1);
  } while (end > 0 && isEscaped(text, end));
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
}
