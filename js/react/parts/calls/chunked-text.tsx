// A text of any length, all of it in the page: in pieces, of which a browser lays out those that are in sight.
import { type ReactNode, useMemo } from "react";
import { Visible } from "../../text/visible.js";

/** In UTF-16 units. */
const size = 8_000;

interface PiecesProps {
  readonly text: string;
  /** No piece begins behind so much of it. */
  readonly most: number;
}

export function Pieces({ text, most }: PiecesProps): ReactNode {
  const pieces = useMemo(() => cut(text), [text]);
  if (pieces.length < 2) return <Visible text={text} lines />;
  return pieces.slice(0, Math.ceil(most / size)).map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name.
    <span key={at} data-glove-piece="">
      <Visible text={piece} lines />
    </span>
  ));
}

/** At the end of a line or of a word, where there is one. */
function cut(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const front = text.slice(from, from + size);
    const last = from + size >= text.length ? -1 : Math.max(front.lastIndexOf("\n"), front.lastIndexOf(" "));
    // Not the first half of an emoji.
    const end = last < 0 ? front.length - Number(/[\ud800-\udbff]$/.test(front) && from + size < text.length) : last + 1;
    pieces.push(front.slice(0, end));
    from += end;
  }
  return pieces;
}
