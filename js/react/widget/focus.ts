// Where the focus goes when a panel opens and closes.

export const rootOf = (element: Element) => element.getRootNode() as Document | ShadowRoot;

/** Into the composer: at once, or when that is there, unless the person is elsewhere by then. Gives what ends the waiting. */
export function enter(panel: HTMLElement): () => void {
  const take = () => {
    const field = panel.querySelector<HTMLElement>('[data-glove-role="input"] :is(textarea, input:not([type="file"]))');
    (field ?? panel).focus({ preventScroll: true });
    return field !== null;
  };
  if (take()) return () => {};
  const observer = new MutationObserver(() => {
    if (rootOf(panel).activeElement !== panel || take()) observer.disconnect();
  });
  observer.observe(panel, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/** Back to what had it before, or to the button. Who is elsewhere on the page stays there. */
export function leave(panel: HTMLElement | null, before: Element | null | undefined, button: HTMLElement | null): void {
  if (!button) return;
  const { body } = button.ownerDocument;
  const at = rootOf(button).activeElement;
  if (at && at !== body && !panel?.contains(at)) return;
  const isThere = before?.isConnected && before !== body && !panel?.contains(before);
  const to = isThere ? (before as HTMLElement) : button;
  to.focus({ preventScroll: true });
}
