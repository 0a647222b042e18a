// Marks in an answer, such as [2], that stand for its sources: pressed, one says which it is and leads there.
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Source } from "../../../src/wire/record.js";
import { useBrowserLayoutEffect } from "../../hooks/use-browser-layout-effect.js";
import { useLabels } from "../../render/labels.js";
import { Name } from "../../text/visible.js";
import { visibleText } from "../../text/visible-text.js";
import { dressed } from "./dress.js";

interface CitedProps {
  readonly text: string;
  readonly sources: readonly Source[];
}

/** A text with such marks. A number that is no source's stays as it is written. */
export function Cited({ text, sources }: CitedProps): ReactNode {
  return text.split(/(\[\d{1,2}\])/).map((part, at) => {
    const number = at % 2 ? Number(part.slice(1, -1)) : 0;
    const source = sources[number - 1];
    // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name.
    return <Fragment key={at}>{isOfWeb(source) ? <Mark number={number} source={source} /> : part}</Fragment>;
  });
}

/** A store may hold anything. */
const isOfWeb = (source: Source | undefined): source is Source => /^https?:/.test(source?.url ?? "");

function Mark({ number, source: { url, title } }: { readonly number: number; readonly source: Source }): ReactNode {
  const say = useLabels();
  const [open, setOpen] = useState(false);
  const id = useId();
  const mark = useRef<HTMLSpanElement>(null);
  const box = useRef<HTMLSpanElement>(null);
  const words = `${title || url}`;
  useBrowserLayoutEffect(() => {
    const [anchor, element] = [mark.current, box.current];
    if (!open || !anchor || !element) return;
    // Above all, where the browser can: a table or the list would cut it off.
    if (element.showPopover) {
      element.popover = "manual";
      element.showPopover();
      const view = element.ownerDocument.defaultView ?? window;
      const [at, own] = [anchor.getBoundingClientRect(), element.getBoundingClientRect()];
      const left = Math.min(Math.max(8, at.left + at.width / 2 - own.width / 2), view.innerWidth - own.width - 8);
      const below = at.bottom + 6 + own.height < view.innerHeight;
      Object.assign(element.style, { left: `${left}px`, top: `${below ? at.bottom + 6 : at.top - own.height - 6}px` });
    }
  }, [open]);
  useEffect(() => {
    const page = mark.current?.ownerDocument;
    if (!open || !page) return;
    const outside = ({ target }: Event) => mark.current?.contains(target as Node) || setOpen(false);
    // It would stay where it is while its text goes.
    const listening = { capture: true };
    page.addEventListener("pointerdown", outside, listening);
    page.addEventListener("focusin", outside, listening);
    page.addEventListener("scroll", outside, listening);
    return () => {
      page.removeEventListener("pointerdown", outside, listening);
      page.removeEventListener("focusin", outside, listening);
      page.removeEventListener("scroll", outside, listening);
    };
  }, [open]);
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !open) return;
    // For this alone, not for the agent.
    event.stopPropagation();
    setOpen(false);
    mark.current?.querySelector("button")?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is in it can be operated, and tells of its keys.
    <span ref={mark} data-glove-cites="" onKeyDown={keyDown}>
      <button
        ref={dressed}
        type="button"
        aria-label={`${say("Source {n}", { n: number })}: ${visibleText(words)}`}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {number}
      </button>
      {open && (
        <span ref={box} id={id} data-glove-source="">
          <a href={url} title={visibleText(url)} target="_blank" rel="noopener noreferrer nofollow">
            <Name of={words} />
          </a>
          <small>
            <Name of={hostOf(url)} />
          </small>
        </span>
      )}
    </span>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
