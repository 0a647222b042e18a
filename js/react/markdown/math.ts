// Formulas between dollars or in `\(…\)` and `\[…\]`, for those who draw them.
import type { TokenizerAndRendererExtension } from "marked";

const rule = (
  name: string,
  level: "inline" | "block",
  begin: RegExp,
  whole: RegExp,
  display: boolean,
): TokenizerAndRendererExtension => ({
  name,
  level,
  start: (text) => {
    const at = text.search(begin);
    return at < 0 ? undefined : at;
  },
  tokenizer(text) {
    const found = whole.exec(text);
    if (!found) return undefined;
    return { type: "math", raw: found[0], text: (found[1] ?? found[2] ?? "").trim(), display };
  },
});

export const mathRules: TokenizerAndRendererExtension[] = [
  rule("mathBlock", "block", /\$\$|\\\[/, /^(?:\$\$([^$]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/, true),
  rule("mathInline", "inline", /\$|\\\(/, /^(?:\$(?!\s|\$)((?:\\.|[^$\\\n])+?)(?<!\s)\$(?!\d)|\\\((.+?)\\\))/, false),
];
