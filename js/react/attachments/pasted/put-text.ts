// A text that is on its way, and one that comes into a field as if somebody had typed it: it can be undone, and whoever listens to the field learns of it.
import { draftText, saveDraftText, unsentKey } from "../../parts/draft-text.js";

export function putText(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  // Old, and the only way that the browser's own undo knows of.
  if (field.ownerDocument.execCommand?.("insertText", false, text)) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** In a reload before the file is kept, the text comes back as what was not sent. */
export function keepText(text: string, session: string): () => void {
  const key = unsentKey(session);
  saveDraftText(key, [draftText(key), text].filter(Boolean).join("\n"));
  return () => {
    const now = draftText(key) ?? "";
    const at = now.indexOf(text);
    if (at >= 0)
      saveDraftText(
        key,
        [now.slice(0, at), now.slice(at + text.length)]
          .map((part) => part.replace(/^\n|\n$/g, ""))
          .filter(Boolean)
          .join("\n"),
      );
  };
}
