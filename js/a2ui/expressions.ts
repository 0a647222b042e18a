// The text of `formatString`: `${/path}`, `${call(name: value)}` and `\${`. Only surfaces with functions load it.

const deepest = 10;

/** Texts, and what stands for values. Throws a sentence where it cannot be read. */
export function partsOf(text: string): unknown[] {
  let at = 0;
  const fail = (): never => {
    throw new Error(`formatString cannot read "${text.slice(0, 80)}" at letter ${at + 1}`);
  };
  const taken = (sign: string) => {
    const isThere = text.startsWith(sign, at);
    if (isThere) at += sign.length;
    return isThere;
  };
  const matched = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) at += found.length;
    return found;
  };
  const space = () => matched(/\s+/y);
  const value = (depth: number): unknown => {
    if (depth > deepest) fail();
    space();
    const found = one(depth);
    space();
    return found;
  };
  const one = (depth: number): unknown => {
    if (taken("${")) {
      const inside = value(depth + 1);
      return taken("}") ? inside : fail();
    }
    const quoted = matched(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy);
    if (quoted !== undefined) return quoted.slice(1, -1).replace(/\\(.)/gs, "$1");
    const word = matched(/[^\s,(){}:'"]+/y) ?? fail();
    if (taken("(")) return { call: word, args: args(depth + 1) };
    if (/^-?\d+(\.\d*)?$/.test(word)) return Number(word);
    if (word === "true" || word === "false") return word === "true";
    return word === "null" ? null : { path: word };
  };
  const args = (depth: number): Record<string, unknown> => {
    const given: [string, unknown][] = [];
    for (;;) {
      space();
      if (taken(")")) return Object.fromEntries(given);
      const name = matched(/\w+/y) ?? fail();
      space();
      if (!taken(":")) fail();
      given.push([name, value(depth)]);
      if (!taken(",") && text[at] !== ")") fail();
    }
  };
  const parts: unknown[] = [];
  while (at < text.length) {
    if (taken("\\${")) parts.push("${");
    else if (text.startsWith("${", at)) parts.push(one(0));
    else parts.push(matched(/(?:(?!\\?\$\{).)+/sy));
  }
  return parts;
}
