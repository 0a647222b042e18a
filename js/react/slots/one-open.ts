// Of several questions that wait in one chat, one is open; the others are a line each until somebody opens them.
import { type RefObject, useRef, useState } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";

interface Waiting {
  readonly element: HTMLElement;
  readonly changed: (isOpen: boolean) => void;
}

/** By the element of the chat. Only where the look hides what is folded. */
const chats = new WeakMap<Element, { readonly all: Set<Waiting>; open: Waiting | undefined }>();

/** Whether the question is folded, and what opens it: the one that was open is folded then. */
export function useOneOpen(form: RefObject<HTMLElement | null>, waits: boolean): readonly [folded: boolean, open: () => void] {
  const [folded, setFolded] = useState(false);
  const asked = useRef(false);
  const [open, setOpen] = useState(() => () => {});
  useBrowserLayoutEffect(() => {
    const element = form.current;
    const look = element?.closest("[data-glove-look]");
    if (!waits || !element || !look) return;
    const chat = chats.get(look) ?? { all: new Set(), open: undefined };
    chats.set(look, chat);
    const own: Waiting = { element, changed: (isOpen) => setFolded(!isOpen) };
    const tell = () => {
      for (const one of chat.all) one.changed(one === chat.open);
    };
    chat.all.add(own);
    // Nothing that somebody reads or answers is folded by what comes later.
    chat.open ??= own;
    setOpen(() => () => {
      chat.open = own;
      asked.current = true;
      tell();
    });
    tell();
    return () => {
      chat.all.delete(own);
      if (chat.open !== own) return;
      chat.open = firstOf(chat.all);
      tell();
    };
  }, [form, waits]);
  // Who opens it goes on there; so does the focus that was in what has gone.
  const before = useRef(folded);
  useBrowserLayoutEffect(() => {
    const element = form.current;
    const wasFolded = before.current;
    before.current = folded;
    if (!element || folded || !wasFolded) return;
    const { activeElement, body } = element.ownerDocument;
    if (!asked.current && activeElement !== body) return;
    asked.current = false;
    const field = element.querySelector<HTMLElement>("input:checked, input:not([data-glove-optional]), select, textarea");
    (field ?? element).focus({ preventScroll: true });
  }, [form, folded]);
  return [folded, open];
}

/** In the order of the page. */
const firstOf = (all: ReadonlySet<Waiting>): Waiting | undefined =>
  [...all].sort(({ element }, { element: other }) =>
    element.compareDocumentPosition(other) & element.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  )[0];
