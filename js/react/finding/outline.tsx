// The messages of the person, to jump with: the first line of each.
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { ShownEntry } from "../../src/snapshot/snapshot.js";
import { useLabels } from "../render/labels.js";

/** So many are listed at first, the latest ones as far as what is read, and with each press of the button. */
const piece = 200;
/** In UTF-16 units. */
const most = 160;

export interface OutlineProps {
  readonly timeline: readonly ShownEntry[];
  /** The one that is read now. */
  readonly current: string | undefined;
  readonly id: string;
  choose(id: string): void;
}

export function Outline({ timeline, current, id, choose }: OutlineProps): ReactNode {
  const say = useLabels();
  const list = useRef<HTMLOListElement>(null);
  const all = timeline.filter((entry) => entry.kind === "user");
  const [count, setCount] = useState(() =>
    reachOf(
      all.findIndex((entry) => entry.id === current),
      all.length,
    ),
  );
  const shown = all.slice(-count);
  const at = Math.max(
    0,
    shown.findIndex((entry) => entry.id === current),
  );
  useLayoutEffect(() => {
    const now = list.current?.querySelector<HTMLElement>('[tabindex="0"]');
    now?.focus({ preventScroll: true });
    now?.scrollIntoView?.({ block: "center" });
  }, []);
  const keyDown = (event: KeyboardEvent<HTMLElement>) => {
    const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
    const now = buttons.indexOf(event.target as HTMLElement);
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    buttons[to]?.focus();
  };
  const more = () => {
    setCount(count + piece);
    // The button goes with the last of them, and the focus would be nowhere.
    if (count + piece >= all.length) list.current?.querySelector("button")?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its buttons.
    <div data-glove-outline="" id={id} onKeyDown={keyDown}>
      {all.length === 0 && <p>{say("Nothing found.")}</p>}
      {shown.length < all.length && (
        <button type="button" data-glove-more="" onClick={more}>
          {say("Earlier messages")}
        </button>
      )}
      <ol ref={list} aria-label={say("Your messages")}>
        {shown.map((entry, index) => (
          <li key={entry.id}>
            <button
              type="button"
              tabIndex={index === at ? 0 : -1}
              aria-current={entry.id === current || undefined}
              dir="auto"
              onClick={() => choose(entry.id)}
            >
              {lineOf(entry) || say("File")}
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

const lineOf = ({ text }: { readonly text: string }): string =>
  text
    .slice(0, 4 * most)
    .trim()
    .replace(/\s+/g, " ")
    .slice(0, most);

const reachOf = (current: number, length: number): number => (current < 0 ? piece : Math.max(piece, length - current + 10));
