// Long texts are drawn piece by piece: a browser lays out a text anew whenever it grows, all of it.
import { type ReactNode, useState } from "react";
import { useLabels } from "./labels.js";

/** In UTF-16 units: what is drawn at first, and with each press of the button. */
const piece = 2 ** 18;

/** The front of a text, and the button that shows more of it. */
export function useFront(text: string): readonly [front: string, more: ReactNode] {
  const say = useLabels();
  const [size, setSize] = useState(piece);
  if (text.length <= size) return [text, null];
  const more = (
    <button type="button" data-glove-more="" onClick={() => setSize(size + piece)}>
      {say("Show more")}
    </button>
  );
  // Not the first half of an emoji.
  const half = /[\ud800-\udbff]/.test(text.charAt(size - 1));
  return [text.slice(0, half ? size - 1 : size), more];
}

/** A text of any length. */
export function Long({ text }: { readonly text: string }): ReactNode {
  const [front, more] = useFront(text);
  return (
    <>
      {front}
      {more}
    </>
  );
}
