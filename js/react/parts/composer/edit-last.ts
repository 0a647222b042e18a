// ArrowUp where nothing is written yet edits the last message, as one that waits or as it stands in the list.
import type { KeyboardEvent } from "react";
import { engineOfHandle } from "../../hooks/handle-registry.js";
import type { GloveHandle } from "../../render/types.js";

export function editLast(event: KeyboardEvent<HTMLTextAreaElement>, glove: GloveHandle | undefined): void {
  const { key, altKey, ctrlKey, metaKey, shiftKey, currentTarget: field, nativeEvent } = event;
  if (key !== "ArrowUp" || altKey || ctrlKey || metaKey || shiftKey || field.value || nativeEvent.isComposing || !glove) return;
  const chat = field.closest("[data-glove-strategy]");
  const { timeline } = engineOfHandle(glove)?.getSnapshot() ?? glove;
  const id = timeline.findLast(({ kind }) => kind === "user")?.id;
  // Where that is not drawn, the last one that is would be another.
  const isDrawn = id === undefined || chat?.querySelector(`[data-glove-entry=${JSON.stringify(id)}], [data-glove-editor]`);
  const buttons = chat?.querySelectorAll<HTMLElement>("[data-glove-edit], [data-glove-editor] textarea") ?? [];
  const last = buttons[buttons.length - 1];
  if (!last || !isDrawn) return;
  event.preventDefault();
  if (last.matches("textarea")) last.focus();
  else last.click();
}
