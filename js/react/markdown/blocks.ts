// A text that grows, cut into blocks: what stands before the last one never changes again.

/** A piece of the text between two places where a reader of markdown may begin anew. */
export interface TextBlock {
  readonly text: string;
  /** The middle of something too long to be read as markdown. */
  readonly plain: boolean;
}

/** In UTF-16 units: a longer block is cut, so that no step takes long whatever is in it. Code is not read, and may be longer. */
const most = 6_000;
/** A list or a table is cut at its next item from here on. */
const enough = 3_000;

const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const fence = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/;
const mathFence = /^[ \t]*\$\$/;
const delimiterRow = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$/;

/** Follows one text. Each step looks at what is new in it only. */
export class Blocks {
  readonly #math: boolean;
  #text = "";
  #settled: TextBlock[] = [];
  /** Where the open block begins, and where the next line does that has not been looked at. */
  #start = 0;
  #at = 0;
  #fence: string | undefined;
  #isList = false;
  #blank = false;
  /** The first two lines of a table that is cut, which stand over each of its parts. */
  #head = "";
  #first = "";

  constructor(math: boolean) {
    this.#math = math;
  }

  get settled(): readonly TextBlock[] {
    return this.#settled;
  }

  /** The block that may still change; the last one of a text that is whole. */
  get open(): TextBlock {
    return this.#block(this.#text.length);
  }

  /** The open block is code that is not closed. */
  get isInCode(): boolean {
    return this.#fence !== undefined;
  }

  update(text: string): void {
    if (!text.startsWith(this.#text)) {
      this.#settled = [];
      this.#start = this.#at = 0;
      this.#begin(0, "");
      this.#fence = undefined;
    }
    this.#text = text;
    for (let end = text.indexOf("\n", this.#at); end >= 0; end = text.indexOf("\n", this.#at)) {
      this.#line(text.slice(this.#at, Math.min(end, this.#at + most)), this.#at);
      this.#at = end + 1;
      this.#limit(this.#at);
    }
    this.#limit(text.length);
  }

  #line(line: string, at: number): void {
    const marks = (this.#math && mathFence.test(line) && "$$") || fence.exec(line)?.[1];
    if (this.#fence !== undefined) {
      const closes = this.#fence === "$$" ? /\$\$[ \t]*$/.test(line) : marks?.startsWith(this.#fence) && /[`~][ \t]*$/.test(line);
      if (closes) this.#fence = undefined;
      return;
    }
    if (line.trim() === "") {
      this.#blank = true;
      return;
    }
    const item = listItem.test(line);
    const goesOn = this.#isList && (item || /^(?: {2}|\t)/.test(line));
    const long = at - this.#start > enough;
    const row = this.#head !== "" && line.includes("|");
    if (this.#blank && !goesOn) this.#cut(at, "");
    else if (long && item && this.#isList) this.#cut(at, "");
    else if (long && row) this.#cut(at, this.#head);
    if (at === this.#start) {
      this.#isList = item;
      this.#first = line;
    } else if (this.#head === "" && delimiterRow.test(line) && this.#first.includes("|")) {
      this.#head = `${this.#first}\n${line}\n`;
    }
    this.#blank = false;
    // One of a single line: `$$x$$`.
    if (marks && !(marks === "$$" && /\$\$.*\$\$/.test(line))) this.#fence = marks;
  }

  /** Cuts what grows beyond all limits, at a line where there is one. */
  #limit(end: number): void {
    while (this.#fence === undefined && end - this.#start > most) {
      const line = this.#text.lastIndexOf("\n", this.#start + most);
      const cut = line > this.#start ? line + 1 : this.#start + most;
      // Not the first half of an emoji.
      const half = line <= this.#start && /[\ud800-\udbff]/.test(this.#text.charAt(cut - 1)) ? 1 : 0;
      this.#settled.push({ ...this.#block(cut - half), plain: line <= this.#start });
      this.#begin(cut - half, "");
      if (this.#at < this.#start) this.#at = this.#start;
    }
  }

  #cut(at: number, head: string): void {
    if (at > this.#start) this.#settled.push(this.#block(at));
    this.#begin(at, head);
  }

  #begin(at: number, head: string): void {
    this.#start = at;
    this.#head = head;
    this.#prefix = head;
    this.#isList = this.#blank = false;
    this.#first = "";
  }
  #prefix = "";

  #block(end: number): TextBlock {
    return { text: this.#prefix + this.#text.slice(this.#start, end), plain: this.#inLine() };
  }

  /** It begins in the middle of a line that was cut. */
  #inLine(): boolean {
    return this.#start > 0 && this.#text.charAt(this.#start - 1) !== "\n";
  }
}

/** A first row, and what there is of the line that makes a table of it. */
const tableHead = /(?:^|\n) {0,3}\|[^\n]*(?:\n[ \t|:-]*)?$/;

/** Until it is sure to be a table, nobody sees its bars. */
function withoutTableHead(text: string): string {
  const at = tableHead.exec(text)?.index;
  if (at === undefined) return text;
  const before = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^ {0,3}\|/.test(before) ? text : text.slice(0, at);
}

/** What is being written, as if its marks were closed already: words do not change their look when the mark comes. */
export function closed(written: string): string {
  const text = withoutTableHead(written);
  const from = text.lastIndexOf("\n\n") + 1;
  const last = text.slice(from).replace(/`[^`\n]*`/g, "");
  const open = /\[[^\]\n]*\]\([^)\s]*$/.exec(text);
  if (open) return `${text.slice(0, open.index)}${/\[([^\]]*)\]/.exec(open[0])?.[1] ?? ""}`;
  if (last.split("`").length % 2 === 0) return `${text}\``;
  if (last.split("**").length % 2 === 0 && !/\*\*\s*$/.test(text)) return `${text.replace(/\*$/, "").trimEnd()}**`;
  return text;
}
