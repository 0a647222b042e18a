// Long texts are drawn piece by piece: a browser lays out a text anew whenever it grows, all of it.
import { type Context, createContext, type ReactNode, type RefObject, useState } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { useLabels } from "./labels.js";

/** In UTF-16 units: what is drawn at first, and with each press of the button. */
const piece = 2 ** 18;

/** Where texts are drawn at once, and not by frames: a printer waits for none, and what grows moves what is read below it. */
export const AtOnce: Context<boolean> = /* @__PURE__ */ createContext(false);

/** The front of a text, and the button that shows more of it. */
export function useFront(text: string): readonly [front: string, more: ReactNode] {
  const say = useLabels();
  const [size, setSize] = useState(piece);
  if (text.length <= size) return [text, null];
  const open = ({ currentTarget }: { readonly currentTarget: Element }) => {
    // The button goes with the last piece.
    currentTarget.parentElement?.setAttribute("data-glove-keep", "");
    setSize(size + piece);
  };
  const more = (
    <button type="button" data-glove-more="" onClick={open}>
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

/**
 * What stands last in an element, but for a button, and grows there. React knows the first piece only: it would set the whole text each time, and what is
 * selected in it would be selected no more.
 */
export function useGrowing(element: RefObject<HTMLElement | null>, text: string): string {
  useBrowserLayoutEffect(() => {
    const last = element.current?.lastChild;
    const node = (last?.nodeName === "BUTTON" ? last.previousSibling : last) as Text | undefined;
    // A translator of the browser's may have put an element in its place.
    if (node?.nodeType === 3 && text.startsWith(node.data)) node.appendData(text.slice(node.length));
    else node?.replaceWith(text);
  }, [element, text]);
  return useState(text)[0];
}
