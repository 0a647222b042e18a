// What is typed into a question is kept for this tab until it is answered: a reload brings it back. Never a secret.
import { type RefObject, useEffect } from "react";
import { draftText, saveDraftText } from "../parts/draft-text.js";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** What keeps itself is left to that. */
const kept = ":is(input:not([type=password], [type=file], [type=hidden]), select, textarea):not([data-glove-own-draft] *)";

/** `slot` is the element around the slot with this id; it holds a question while `open`. */
export function useDraftForm(slot: RefObject<HTMLElement | null>, id: string, open: boolean): void {
  useEffect(() => {
    const element = slot.current;
    const key = `slot:${id}`;
    if (!open) saveDraftText(key, "");
    if (!element || !open) return;
    const fields = () => [...element.querySelectorAll<Field>(kept)];
    const stored = read(key);
    if (stored) for (const [at, field] of fields().entries()) fill(field, stored[at]);
    const typed = () => {
      const now = fields();
      if (now.length > 0) saveDraftText(key, JSON.stringify(now.map(valueIn)));
    };
    element.addEventListener("input", typed);
    return () => element.removeEventListener("input", typed);
  }, [slot, id, open]);
}

function read(key: string): readonly unknown[] | undefined {
  try {
    const stored: unknown = JSON.parse(draftText(key) ?? "null");
    return Array.isArray(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

const isChecked = (field: Field): field is HTMLInputElement => field.type === "checkbox" || field.type === "radio";

const valueIn = (field: Field) => (isChecked(field) ? field.checked : field.value);

/** As if somebody had typed it, also for components that hold the value themselves. */
function fill(field: Field, value: unknown): void {
  if (value === valueIn(field)) return;
  if (isChecked(field)) {
    // A click is what React listens to there.
    if (value === true || field.type === "checkbox") field.click();
    return;
  }
  if (typeof value !== "string") return;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? "change" : "input", { bubbles: true }));
}
