// How much of a chat a keyboard on the screen covers. Loaded where a finger is the pointer.

/** Tells the chat in a variable of its style. Gives its undo. */
export function keepAbove(chat: HTMLElement): () => void {
  const document = chat.ownerDocument;
  const page = document.defaultView ?? window;
  const view = page.visualViewport;
  if (!view) return () => {};
  const look = () => {
    const { bottom } = chat.getBoundingClientRect();
    const { activeElement: active, documentElement } = document;
    const isOther = active?.matches("input, textarea, [contenteditable]") && !chat.contains(active);
    // What is below the window is behind no keyboard, and a keyboard for a field elsewhere is none of the chat's.
    const end = isOther ? 0 : Math.min(bottom, documentElement.clientHeight);
    // A page that is made larger with two fingers shows less of itself too.
    const covered = view.scale < 1.01 ? Math.max(0, Math.round(end - view.offsetTop - view.height)) : 0;
    if (covered) chat.style.setProperty("--glove-keyboard", `${covered}px`);
    // A chat that is as high as what is in it scrolls with its page, which the browser does.
    if (!covered || Math.abs(chat.getBoundingClientRect().bottom - bottom) > 1) chat.style.removeProperty("--glove-keyboard");
  };
  const over = new page.AbortController();
  const { signal } = over;
  for (const name of ["resize", "scroll"]) view.addEventListener(name, look, { signal });
  for (const name of ["focusin", "focusout", "scroll"]) document.addEventListener(name, look, { passive: true, signal });
  look();
  return () => {
    over.abort();
    chat.style.removeProperty("--glove-keyboard");
  };
}
