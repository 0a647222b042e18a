// Begins to edit the last message: one that waits, or as it stands in the list. Loaded when it is first asked for.
import { engineOfHandle } from "../../hooks/handle-registry.js";
import type { GloveHandle } from "../../render/types.js";

export function editLast(field: Element, glove: GloveHandle): void {
  const chat = field.closest("[data-glove-strategy]");
  const { timeline } = engineOfHandle(glove)?.getSnapshot() ?? glove;
  const id = timeline.findLast(({ kind }) => kind === "user")?.id;
  // Where that is not drawn, the last one that is would be another.
  const isDrawn = id === undefined || chat?.querySelector(`[data-glove-entry=${JSON.stringify(id)}], [data-glove-editor]`);
  const places = chat?.querySelectorAll<HTMLElement>("[data-glove-edit], [data-glove-editor] textarea") ?? [];
  const last = places[places.length - 1];
  if (!last || !isDrawn) return;
  // What is being edited is gone on with.
  if (last.matches("textarea")) last.focus();
  else last.click();
}
