// Text where a person decides or reads a name: what could make it look like another text stands as an escape, and its direction is its own.
import { type ReactNode, useMemo } from "react";
import { misleading } from "../../src/wire/visible-text.js";

/** Stands around escapes; it is none of the characters that are left. */
const mark = "\x01";

/** More of them are drawn as text: each is an element. */
const maxDrawn = 1_000;

function escapeOf(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
  const code =
    /\s/.test(char) && char < " " ? JSON.stringify(char).slice(1, -1) : `\\u${hex[4] ? `{${hex}}` : hex.padStart(4, "0")}`;
  return mark + code + mark;
}

function marked(text: string, lines?: boolean | undefined): string {
  const seen = text.replace(misleading, (found, kept) => kept ?? escapeOf(found));
  return (lines ? seen : seen.replace(/[\t\n\r]/g, escapeOf)).replaceAll(mark + mark, "");
}

/** The same for what is no element: a title, a label. */
export const visibleText = (text: string): string => marked(text).replaceAll(mark, "");

/** `lines`: of several lines; a name is one. */
export function Visible({ text, lines }: { readonly text: string; readonly lines?: boolean | undefined }): ReactNode {
  return useMemo(() => {
    const seen = marked(text, lines);
    const parts = seen.split(mark);
    if (parts.length > maxDrawn) return seen.replaceAll(mark, "");
    return parts.map((part, at) =>
      at % 2 ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name.
        <code key={at} data-glove-escape="">
          {part}
        </code>
      ) : (
        part
      ),
    );
  }, [text, lines]);
}

/** A name or a sentence of somebody else's among others. */
export const Name = ({ of, lines }: { readonly of: string; readonly lines?: boolean | undefined }): ReactNode => (
  <bdi>
    <Visible text={of} lines={lines} />
  </bdi>
);
