// Moves the focus to a new question, and back to where it was when the question is answered.
import type { RefObject } from "react";
import { useBrowserLayoutEffect } from "./browser-effect.js";

const question = "[data-glove-question]";
const field = ":is(input, select, textarea):not([type=hidden], :disabled, [data-glove-optional])";

/** `slot` is the element around a slot; it holds a question while `open`. */
export function useQuestionFocus(slot: RefObject<HTMLElement | null>, open: boolean): void {
  useBrowserLayoutEffect(() => {
    const element = slot.current;
    const asked = open ? element?.querySelector<HTMLElement>(question) : null;
    if (!element || !asked) return;
    const root = element.closest("[data-glove-strategy]");
    const before = document.activeElement;
    if (mayLeave(before, root)) enter(asked);
    return () => {
      const now = document.activeElement;
      if (now && now !== document.body && !element.contains(now)) return;
      const next = [...(root?.querySelectorAll<HTMLElement>(question) ?? [])].find((other) => !element.contains(other));
      if (next) return enter(next);
      const back = before instanceof HTMLElement && before !== document.body && !element.contains(before) ? before : undefined;
      const composer = root?.querySelector<HTMLElement>("[data-glove-role=input] :is(textarea, input)");
      (back?.isConnected ? back : composer)?.focus();
    };
  }, [open]);
}

// Who writes something, answers another question or is elsewhere on the page is left alone.
function mayLeave(active: Element | null, root: Element | null): boolean {
  if (!active || active === document.body) return true;
  if (!root?.contains(active) || active.closest(question)) return false;
  return !("value" in active && active instanceof HTMLElement && active.matches(field) && active.value);
}

// The first field where there is one; never a button, or the next Enter would answer what nobody has read.
function enter(asked: HTMLElement): void {
  const first = asked.querySelector<HTMLElement>(field);
  const chosen = first?.matches("[type=radio]") ? asked.querySelector<HTMLElement>("[type=radio]:checked") : undefined;
  (chosen ?? first ?? asked).focus();
}
