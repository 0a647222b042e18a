// A text that comes into a field as if somebody had typed it: it can be undone, and whoever listens to the field learns of it.

export function putText(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  // Old, and the only way that the browser's own undo knows of.
  if (field.ownerDocument.execCommand?.("insertText", false, text)) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
