// Text where a person decides or reads a name: what could make it look like another text stands as an escape, and its direction is its own.
import { type ReactNode, useMemo } from "react";
import { mark, marked } from "./visible-text.js";

/** More of them are drawn as text: each is an element. */
const maxDrawn = 1_000;

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
