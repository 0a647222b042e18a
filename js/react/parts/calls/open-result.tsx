// A button above a large result: shows it at the side of a wide screen, or as a sheet on a phone. What is shown is the same element, and keeps its state.
import { type ReactNode, type RefObject, useContext, useEffect, useState } from "react";
import { useBrowserLayoutEffect } from "../../hooks/use-browser-layout-effect.js";
import { onBack } from "../../look/on-back.js";
import { useLabels } from "../../render/labels.js";
import { Name } from "../../text/visible.js";
import { visibleText } from "../../text/visible-text.js";
import { ChatContext } from "../chat-context.js";
import { CopyButton } from "../copy-button.js";
import { IconLabel } from "../icons.js";
import { dressed } from "./dress.js";

/** In pixels: higher ones are large, and stay so until they are much lower. */
const large = 320;
const small = 240;

/** A text that does not fit on a card: in UTF-16 units, and in lines. */
const [longText, manyLines] = [1_200, 12];

export const isLong = (text: string): boolean => text.length > longText || text.split("\n", manyLines + 1).length > manyLines;

/** What is drawn, as a text: a table has a tab between its cells. */
const shownText = (element: HTMLElement | null): string =>
  [...(element?.children ?? [])]
    .filter((child) => !child.matches("[data-glove-opens]"))
    .map((child) => (child as HTMLElement).innerText)
    .join("\n");

/** What chats were before they made room, and for how many. */
const rooms = new WeakMap<HTMLElement, { readonly before: string; open: number }>();

/** A chat that has all of the window goes aside, so that its composer is not covered. */
function makeRoom(panel: HTMLElement): () => void {
  const chat = panel.closest<HTMLElement>("[data-glove-look]");
  const width = panel.ownerDocument.defaultView?.innerWidth ?? 0;
  const isSheet = panel.offsetWidth > width * 0.9;
  if (!chat || isSheet || chat.offsetWidth < width * 0.9) return () => {};
  const room = rooms.get(chat) ?? { before: chat.style.paddingInlineEnd, open: 0 };
  rooms.set(chat, room);
  room.open++;
  chat.style.paddingInlineEnd = `${panel.offsetWidth}px`;
  return () => {
    if (--room.open > 0) return;
    chat.style.paddingInlineEnd = room.before;
    rooms.delete(chat);
  };
}

interface OpenResultProps {
  /** What holds the result, and this button. */
  readonly of: RefObject<HTMLElement | null>;
  readonly title: string;
  /** It is a text, which is long as it is; what is drawn is measured. */
  readonly text?: string;
}

export function OpenResult({ of, title, text }: OpenResultProps): ReactNode {
  const say = useLabels();
  const isStyled = useContext(ChatContext)?.styled;
  const [isHigh, setHigh] = useState(false);
  const isLarge = isHigh || (text !== undefined && isStyled);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const element = of.current;
    const Sizes = element?.ownerDocument.defaultView?.ResizeObserver;
    if (!element || !Sizes || !isStyled || isOpen || text !== undefined) return;
    const sizes = new Sizes(() => {
      const { offsetHeight, scrollWidth, clientWidth } = element;
      setHigh((was) => offsetHeight > (was ? small : large) || scrollWidth > clientWidth);
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [of, isStyled, isOpen, text]);
  useBrowserLayoutEffect(() => {
    const element = of.current;
    const card = element?.parentElement;
    if (!isOpen || !element || !card) return;
    // Nothing moves where it was.
    card.style.minHeight = `${card.offsetHeight}px`;
    const own = { role: "dialog", "aria-label": visibleText(title), "data-glove-opened": "" };
    for (const [name, value] of Object.entries(own)) element.setAttribute(name, value);
    // Above all, where the browser can.
    if (element.showPopover) {
      element.popover = "manual";
      element.showPopover();
    }
    const giveBack = makeRoom(element);
    const keyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      // For this alone, not for the agent.
      event.stopPropagation();
      setOpen(false);
      element.querySelector<HTMLElement>("[data-glove-open]")?.focus();
    };
    element.addEventListener("keydown", keyDown);
    const closed = onBack(() => setOpen(false));
    return () => {
      closed();
      element.removeEventListener("keydown", keyDown);
      for (const name of [...Object.keys(own), "popover"]) element.removeAttribute(name);
      card.style.minHeight = "";
      giveBack();
    };
  }, [of, isOpen, title]);
  if (!isLarge && !isOpen) return null;
  const label = say(isOpen ? "Close" : "Show large");
  return (
    <div ref={dressed} data-glove-opens="">
      {isOpen && (
        <>
          <strong>
            <Name of={title} />
          </strong>
          {/* None of the plain buttons that an application draws there, either. */}
          <CopyButton className="" data-glove-copy-all="" text={() => text ?? shownText(of.current)} />
        </>
      )}
      <button
        type="button"
        // It is none of the plain buttons that an application draws there.
        className=""
        data-glove-open=""
        title={label}
        aria-label={`${label}: ${visibleText(title)}`}
        onClick={() => setOpen(!isOpen)}
      >
        <IconLabel icon={isOpen ? "remove" : "M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7"} label={label} />
      </button>
    </div>
  );
}
