// An answer's words without the marks of markdown: shown until it can be drawn, and read aloud.

/** Headings, quotes, fences, rules, the lines below the heads of tables; what is bold, struck out, code or a link. */
const raw =
  /^ {0,3}(?:#{1,6}(?: |$)|> ?|(?:```|~~~)[^`\n]*$\n?|\|[ :|-]*$\n?|(?:-{3,}|={3,}|\*{3,})[ \t]*$\n?)|(?<![^\s*_(])\*\*+(?=\S)|(?<=\S)\*\*+(?![^\s*_).,:;!?])|\*+$|~~|`|!?\[([^[\]\n]*)\]\([^)\s]*\)?/gm;

/** Its words alone, for the moment until it can be drawn. */
export const withoutMarks = (text: string): string =>
  text
    .replace(raw, "$1")
    .replace(/^( *)[-*+] /gm, "$1• ")
    .replace(/^ {0,3}\|.*/gm, (row) => row.replaceAll("|", " ").trim());
