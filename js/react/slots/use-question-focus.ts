// Moves the focus to a new question, and back to where it was when the question is answered.
import type { RefObject } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";

const question = "[data-glove-question]";
const field = ":is(input, select, textarea):not([type=hidden], :disabled, [data-glove-optional])";

/** `slot` is the element around a slot; it holds a question while `open`. */
export function useQuestionFocus(slot: RefObject<HTMLElement | null>, open: boolean): void {
  useBrowserLayoutEffect(() => {
    const element = slot.current;
    const target = open ? element?.querySelector<HTMLElement>(question) : null;
    if (!element || !target) return;
    const root = element.closest("[data-glove-strategy]");
    const around = element.getRootNode() as Document | ShadowRoot;
    const before = focused(around);
    if (mayLeave(before, root)) enter(target, element.closest("[data-glove-left]") !== null);
    return () => {
      const now = focused(around);
      if (now && !element.contains(now)) return;
      const next = [...(root?.querySelectorAll<HTMLElement>(question) ?? [])].find((other) => !element.contains(other));
      if (next) return enter(next);
      const composer = root?.querySelector<HTMLElement>("[data-glove-role=input] :is(textarea, input)");
      (before?.isConnected && !element.contains(before) ? before : composer)?.focus?.();
    };
  }, [open]);
}

/** What has the focus in a document or a shadow root; where it has none, in what is around it. */
function focused(around: Document | ShadowRoot): HTMLElement | null {
  const page = "body" in around ? around : undefined;
  const active = around.activeElement as HTMLElement | null;
  if (active && active !== page?.body) return active;
  const host = page ? page.defaultView?.frameElement : (around as ShadowRoot).host;
  const outside = host ? focused(host.getRootNode() as Document | ShadowRoot) : null;
  return outside === host ? null : outside;
}

// Do not move the focus while the user types, answers another question or works elsewhere on the page.
function mayLeave(active: HTMLElement | null, root: Element | null): boolean {
  if (!active) return true;
  if (!root?.contains(active) || active.closest(question)) return false;
  return !(active.matches(field) && (active as HTMLInputElement).value);
}

// The first field where there is one; never a button, or the next Enter would answer what nobody has read.
function enter(target: HTMLElement, preventScroll = false): void {
  const first = target.querySelector<HTMLElement>(field);
  const chosen = first?.matches("[type=radio]") ? target.querySelector<HTMLElement>("[type=radio]:checked") : undefined;
  (chosen ?? first ?? target).focus({ preventScroll });
}
