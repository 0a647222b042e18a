// What can be done with a message that waits, beside editing it and taking it back: it goes in now, or at another place.
import { type ReactNode, useRef } from "react";
import { type Parts, useHandlePart } from "../hooks/handle-registry.js";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { adopt } from "../look/adopt.js";
import { css } from "../look/generated/working-css.js";
import { useChat } from "../parts/chat-context.js";
import { IconLabel, type IconProps } from "../parts/icons.js";
import { useLabels } from "../render/labels.js";
import type { GloveHandle } from "../render/types.js";

const icons = {
  sendNow: "M4 6v5a3 3 0 0 0 3 3h12M14.5 9.5 19 14l-4.5 4.5",
  moveUp: "M6 14l6-6 6 6",
  moveDown: "M6 10l6 6 6-6",
} as const satisfies Readonly<Record<Move, IconProps["name"]>>;

type Move = "sendNow" | "moveUp" | "moveDown";

const words = { sendNow: "Send after this step", moveUp: "Move up", moveDown: "Move down" } as const;

/** Alt with an arrow, anywhere in the row of a message, moves it. */
const keys: Readonly<Record<string, Move>> = { ArrowUp: "moveUp", ArrowDown: "moveDown" };

/** Where a message can go: nowhere where the handle cannot move it, and in front of what goes in after this step. */
function movesOf({ sendNow, moveQueued }: GloveHandle, queue: Parts["queue"] = [], id: string): Moves {
  const shown = queue.filter(({ text, files }) => text || files);
  const at = shown.findIndex((message) => message.id === id);
  const [before, own, after] = [shown[at - 1], shown[at], shown[at + 1]];
  if (!own || own.steers) return {};
  return {
    ...(sendNow && { sendNow: () => void sendNow(id) }),
    ...(moveQueued && before && !before.steers && { moveUp: () => void moveQueued(id, before.id) }),
    ...(moveQueued && after && { moveDown: () => void moveQueued(after.id, id) }),
  };
}

type Moves = { readonly [move in Move]?: () => void };

export function QueueTools({ id }: { readonly id: string }): ReactNode {
  const { glove, styled } = useChat();
  const queue = useHandlePart(glove, ({ queue }) => queue);
  const item = movesOf(glove, queue, id);
  const say = useLabels();
  const tools = useRef<HTMLSpanElement>(null);
  /** What was pressed: it keeps the focus where the row goes. */
  const pressed = useRef<Move>(undefined);
  const now = useRef<Moves>(item);
  now.current = item;
  useBrowserLayoutEffect(() => {
    const row = tools.current?.closest("[data-glove-waits]");
    if (!row) return;
    if (styled) adopt(row, css);
    const onKey = (event: Event) => {
      const { key, altKey, target } = event as KeyboardEvent;
      const move = altKey ? keys[key] : undefined;
      const act = move && now.current[move];
      if (!act || (target as Element).closest("textarea")) return;
      event.preventDefault();
      pressed.current = move;
      act();
    };
    row.addEventListener("keydown", onKey);
    return () => row.removeEventListener("keydown", onKey);
  }, [styled]);
  useBrowserLayoutEffect(() => {
    const move = pressed.current;
    const element = tools.current;
    if (!move || !element) return;
    const { activeElement } = element.ownerDocument;
    // The browser takes the focus from an element that React puts elsewhere, and from a button that is gone.
    if (activeElement !== element.ownerDocument.body && !element.parentElement?.contains(activeElement))
      pressed.current = undefined;
    else if (activeElement === element.ownerDocument.body) {
      const button = element.querySelector<HTMLElement>(`[data-glove-move="${move}"]`) ?? element.querySelector("button");
      (button ?? element.parentElement?.querySelector("button"))?.focus();
    }
  });
  const button = (move: Move) => {
    const act = item[move];
    const press = () => {
      pressed.current = move;
      act?.();
    };
    return (
      act && (
        <button key={move} type="button" title={say(words[move])} data-glove-move={move} onClick={press}>
          <IconLabel icon={icons[move]} label={say(words[move])} />
        </button>
      )
    );
  };
  return (
    <span ref={tools} data-glove-moves="">
      {button("sendNow")}
      {button("moveUp")}
      {button("moveDown")}
    </span>
  );
}
