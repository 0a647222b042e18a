// A button at what is selected in a message: it puts that into the composer, as a quote. Loaded with the first selection.
import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { adopt } from "../../look/adopt.js";
import { css } from "../../look/generated/quote-css.js";
import { useLabels } from "../../render/labels.js";
import { useChat } from "../chat-context.js";

interface Selected {
  readonly text: string;
  readonly left: number;
  readonly top: number;
}

/** `beside` stands next to the list. */
export function Quote({ beside }: { readonly beside: RefObject<HTMLElement | null> }): ReactNode {
  const { compose } = useChat();
  const say = useLabels();
  const [selected, setSelected] = useState<Selected>();
  useEffect(() => {
    const chat = beside.current?.parentElement;
    const page = chat?.ownerDocument;
    if (!chat || !page) return;
    adopt(chat, css);
    const look = () => setSelected(compose.current ? selectedIn(chat, page) : undefined);
    const hide = () => setSelected(undefined);
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A selection that is being made moves with each pixel.
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(look, 200);
    };
    later();
    const over = new AbortController();
    page.addEventListener("selectionchange", later, { signal: over.signal });
    chat.addEventListener("scroll", hide, { capture: true, passive: true, signal: over.signal });
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [beside, compose]);
  if (!selected) return null;
  const quote = () => {
    compose.current?.(`${selected.text.replace(/^/gm, "> ")}\n\n`);
    beside.current?.ownerDocument.getSelection()?.removeAllRanges();
    setSelected(undefined);
  };
  return (
    <button
      type="button"
      data-glove-quote=""
      style={{ left: selected.left, top: selected.top }}
      // The selection stays as long as it is pressed.
      onPointerDown={(event) => event.preventDefault()}
      onClick={quote}
    >
      {say("Quote")}
    </button>
  );
}

/** What is selected of one message. */
function selectedIn(chat: HTMLElement, page: Document): Selected | undefined {
  const selection = page.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const around = range.commonAncestorContainer;
  const message = (around.nodeType === 1 ? (around as Element) : around.parentElement)?.closest("[data-glove-entry]");
  const text = selection.toString().trim();
  const last = [...range.getClientRects()].at(-1);
  if (!message || !chat.contains(message) || !text || !last) return undefined;
  const box = chat.getBoundingClientRect();
  const left = Math.min(Math.max(last.right - box.left, 8), box.width - 96);
  return { text, left, top: Math.min(last.bottom - box.top + 6, box.height - 48) };
}
