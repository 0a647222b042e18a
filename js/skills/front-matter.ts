// What stands above the text of a SKILL.md, between two lines of `---`. It is YAML; what is needed of it are texts by their keys, so other
// values (lists, groups of keys) are passed over and not read. `tests/fixtures/front-matter.json` holds this and the same in Rust together.

export interface FrontMatter {
  /** What each key of the outermost level says, where it is a text. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

const mostKeys = 200;

/** Throws an `Error` with a sentence about the first line that is wrong. */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  if (lines[0]?.trimEnd() !== "---") throw new Error("it must begin with a line `---`, its front matter, and a line `---`");
  const end = lines.findIndex((line, at) => at > 0 && /^(---|\.\.\.)\s*$/.test(line));
  if (end < 0) throw new Error("its front matter has no end: a line `---`");
  const fields = new Map<string, string>();
  const keys = new Set<string>();
  let at = 1;
  while (at < end) {
    const line = lines[at] ?? "";
    if (/^\s*(#|$)/.test(line)) {
      at++;
      continue;
    }
    const [, key = "", first = ""] = /^([A-Za-z][\w-]*)\s*:(?:\s+(.*))?$/.exec(line) ?? [];
    if (!key) throw new Error(`line ${at + 1} of its front matter is not \`key: value\``);
    if (keys.size === mostKeys) throw new Error(`its front matter has more than ${mostKeys} keys`);
    if (keys.has(key)) throw new Error(`its front matter has \`${key}\` twice`);
    keys.add(key);
    // What is indented goes on with the value, and so do the points of a list.
    let until = at + 1;
    while (until < end && /^(\s|-\s|-$|$)/.test(lines[until] ?? "")) until++;
    const value = textIn(first.trim(), lines.slice(at + 1, until));
    if (value !== undefined) fields.set(key, value);
    at = until;
  }
  return {
    fields,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

/** Undefined for what is no text. */
function textIn(first: string, rest: readonly string[]): string | undefined {
  const [, style] = /^([|>])[-+0-9]*\s*(?:#.*)?$/.exec(first) ?? [];
  if (style) return blockOf(rest, style === ">");
  if (/^["']/.test(first)) return quotedOf([first, ...rest.map((line) => line.trim())]);
  if (/^[[{&*!%@`]/.test(first)) return undefined;
  const [head = "", ...lines] = [first, ...rest].map((line) =>
    line
      .trim()
      .replace(/(^|\s)#.*$/, "")
      .trim(),
  );
  // A group of keys or a list stands on lines of its own.
  if (!head && lines.some((line) => /^(-(\s|$)|[\w"'-]+\s*:(\s|$))/.test(line))) return undefined;
  return folded([head, ...lines]);
}

function blockOf(lines: readonly string[], folds: boolean): string {
  const indent = (line: string) => line.length - line.replace(/^ +/, "").length;
  const depth = indent(lines.find((line) => line.trim()) ?? "");
  const own = lines.map((line) => line.slice(Math.min(depth, indent(line))).trimEnd());
  return (folds ? folded(own) : own.join("\n")).trim();
}

/** Lines that follow each other are one; an empty one between them is a line break. */
function folded(lines: readonly string[]): string {
  let text = "";
  let breaks = 0;
  for (const line of lines) {
    if (!line) {
      breaks++;
      continue;
    }
    text += text ? (breaks ? "\n".repeat(breaks) : " ") : "";
    text += line;
    breaks = 0;
  }
  return text;
}

const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  t: "\t",
  r: "\r",
  "0": "\0",
  " ": " ",
  '"': '"',
  "/": "/",
  "\\": "\\",
};

/** Of the number of a letter. */
const digits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function quotedOf(lines: readonly string[]): string {
  const text = folded(lines);
  const quote = text[0] ?? "";
  let value = "";
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (letter === quote && quote === "'" && text[at + 1] === "'") {
      value += "'";
      at++;
    } else if (letter === quote) {
      if (/^\s*(#.*)?$/.test(text.slice(at + 1))) return value.trim();
      break;
    } else if (letter === "\\" && quote === '"') {
      const next = text[at + 1] ?? "";
      const code = text.slice(at + 2, at + 2 + (digits[next] ?? 0));
      const point = code.length === digits[next] && /^[\da-fA-F]+$/.test(code) ? Number.parseInt(code, 16) : Number.NaN;
      // Half a pair stands for no letter.
      const plain =
        point >= 0xd800 && point <= 0xdfff ? "\uFFFD" : point <= 0x10ffff ? String.fromCodePoint(point) : escapes[next];
      if (plain === undefined) throw new Error(`its front matter has an unknown escape \`\\${next}\``);
      value += plain;
      at += 1 + code.length;
    } else value += letter;
  }
  throw new Error("a text of its front matter begins with a quote and does not end with it");
}
