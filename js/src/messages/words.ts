// The words of messages as they are looked for: in one conversation, and in all of them.
import { plain } from "../values/plain.js";

/** Words as they are looked for: whatever their accents, capitals and spaces. */
export const sought = (text: string): string => plain(text).replace(/\s+/g, " ").trimStart();

/** The same of one character or of many, as long as what is read of it: none between others, where white space goes on. */
export const read = (text: string): string => plain(text).replace(/\s+/g, " ");

/** Headings, quotes, items, fences, and the lines below the heads of tables. */
const lineMarks = /^ {0,3}(?:#{1,6} |> ?|[-*+] |(?:```|~~~).*$|\|?[ :|-]*-{3}[ :|-]*$)/gm;
/** One sign around words. */
const emphasis = /(?<![\w*])([*_])(?=[^\s*_])([^*_\n]*[^\s*_])\1(?![\w*])/g;

/** The words of markdown as they are drawn, as near as that can be known without drawing it. */
export const unmarked = (text: string): string =>
  text
    .replace(lineMarks, "")
    .replace(/^ {0,3}\|.*/gm, (row) => row.replaceAll("|", " "))
    .replace(/!?\[([^[\]\n]*)\]\([^)\s]*(?: "[^"\n]*")?\)/g, "$1")
    .replace(/\*\*|~~|`/g, "")
    .replace(emphasis, "$2");
