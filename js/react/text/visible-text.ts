// What could make a text look like another one, as escapes.

import { misleading } from "../../src/wire/visible-text.js";

/** Stands around escapes; it is none of the characters that are left. */
export const mark = "\x01";

function escapeOf(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
  const code =
    /\s/.test(char) && char < " " ? JSON.stringify(char).slice(1, -1) : `\\u${hex[4] ? `{${hex}}` : hex.padStart(4, "0")}`;
  return mark + code + mark;
}

/** With a mark before and behind each escape. */
export function marked(text: string, lines?: boolean | undefined): string {
  const seen = text.replace(misleading, (found, kept) => kept ?? escapeOf(found));
  return (lines ? seen : seen.replace(/[\t\n\r]/g, escapeOf)).replaceAll(mark + mark, "");
}

/** For what is no element: a title, a label. */
export const visibleText = (text: string): string => marked(text).replaceAll(mark, "");
