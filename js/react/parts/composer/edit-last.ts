// Begins to edit the last message: one that waits, or as it stands in the list. Loaded when it is first asked for.
import { engineOfHandle } from "../../hooks/handle-registry.js";
import type { GloveHandle } from "../../render/types.js";

export function editLast(field: Element, glove: GloveHandle): void {
  const { timeline, queue } = engineOfHandle(glove)?.getSnapshot() ?? glove;
  const waits = queue?.findLast(({ text, files }) => text || files);
  const id = JSON.stringify((waits ?? timeline.findLast(({ kind }) => kind === "user"))?.id ?? "");
  // One that has only files cannot be edited, nor is one before it.
  const place = field
    .closest("[data-glove-strategy]")
    ?.querySelector<HTMLElement>(`[data-glove-edit=${id}], [data-glove-editor=${id}] textarea`);
  // What is being edited is gone on with.
  if (place?.matches("textarea")) place.focus();
  else place?.click();
}
